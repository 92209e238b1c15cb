"""The lease of an import by one worker, and the import's files."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from time import monotonic

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.errors import Busy
from blogsvc.models import Post, db, transaction
from blogsvc.models.import_job import LEASE, ImportJob

# The uploaded file, and the parsed posts, one JSON object per line.
FILE, FOUND = "file", "found.jsonl"


class LeaseLost(Exception):
    """Raised when another worker has taken over the import, or it was cancelled."""


class ImportLease:
    """The lease of an import by one worker."""

    def __init__(self, import_id: str, fence: int, tools: Tools) -> None:
        self.import_id, self.fence, self.tools = import_id, fence, tools
        self.said_at = monotonic()

    @property
    def folder(self) -> Path:
        return folder_of(self.tools.config, self.import_id)

    def row(self) -> ImportJob:
        """Return the row of the import, inside a transaction. Raises LeaseLost."""
        job = db.session.get(ImportJob, self.import_id)
        if job is None or not job.is_held(self.fence):
            raise LeaseLost
        return job

    def is_lost(self) -> bool:
        with suppress(LeaseLost), transaction():
            self.row()
            return False
        return True

    def give_back(self, *, at_once: bool) -> None:
        """End the attempt without counting it as interrupted. The next one begins `at_once`, or in half a minute."""
        with suppress(Busy, LeaseLost), transaction():
            job = self.row()
            job.lease_owner = None
            job.lease_until = None if at_once else job.lease_until

    def go_on(self, *, at_least: float = 0.0) -> None:
        """Extend the lease, unless it was extended less than `at_least` seconds ago. Raises LeaseLost."""
        if monotonic() - self.said_at < at_least:
            return
        with transaction():
            self.row().lease_until = self.tools.now() + LEASE
        self.said_at = monotonic()


def folder_of(config: Config, import_id: str) -> Path:
    """Return the folder with the files of an import."""
    return config.imports / import_id


def remove_files(import_id: str, config: Config) -> None:
    shutil.rmtree(folder_of(config, import_id), ignore_errors=True)


def is_here(source: str, imported: dict[str, str]) -> bool:
    """Return True if the post exists here: imported before, or exported from this blog."""
    kind, _, post_id = source.partition(":")
    return source in imported or (kind == "blogsvc" and db.session.get(Post, post_id) is not None)
