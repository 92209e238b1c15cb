"""One worker's hold on an import, and the files that belong to it."""

from __future__ import annotations

import shutil
from pathlib import Path
from time import monotonic

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.models import Post, db, transaction
from blogsvc.models.import_job import LEASE, ImportJob

# What came, and beside it each post that was found in it, a line each.
FILE, FOUND = "file", "found.jsonl"


class LeaseLost(Exception):
    """Another has it in hand by now, or it was cancelled."""


class ImportLease:
    """One worker's hold on an import."""

    def __init__(self, import_id: str, fence: int, tools: Tools) -> None:
        self.import_id, self.fence, self.tools = import_id, fence, tools
        self.said_at = monotonic()

    @property
    def folder(self) -> Path:
        return folder_of(self.tools.config, self.import_id)

    def row(self) -> ImportJob:
        """Inside a transaction. Raises Lost."""
        one = db.session.get(ImportJob, self.import_id)
        if one is None or not one.is_held(self.fence):
            raise LeaseLost
        return one

    def go_on(self, *, at_least: float = 0.0) -> None:
        """Say that it is being worked on, unless that was said so many seconds ago. Raises Lost."""
        if monotonic() - self.said_at < at_least:
            return
        with transaction():
            self.row().lease_until = self.tools.now() + LEASE
        self.said_at = monotonic()


def folder_of(config: Config, import_id: str) -> Path:
    """Where an import keeps its file."""
    return config.instance / "imports" / import_id


def remove_files(import_id: str, config: Config) -> None:
    shutil.rmtree(folder_of(config, import_id), ignore_errors=True)


def is_here(source: str, known: dict[str, str]) -> bool:
    """Whether the post is here: brought before, or written here and exported."""
    kind, _, post_id = source.partition(":")
    return source in known or (kind == "blogsvc" and db.session.get(Post, post_id) is not None)
