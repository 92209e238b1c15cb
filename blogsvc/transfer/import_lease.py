"""The lease of an import by one worker, and the import's files."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from time import monotonic

from sqlalchemy import select

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.errors import Busy
from blogsvc.lib.instance_paths import IMPORTS
from blogsvc.models import Post, db, transaction
from blogsvc.models.import_job import LEASE, ImportJob
from blogsvc.models.process import is_shared, processes_seen
from blogsvc.transfer.formats.parsed_post import UnreadableFile

# The uploaded file.
FILE = "file"
# The choice of an import that names the file with the parsed posts.
PARSED_POSTS = "parsed_posts"
# The choice of an import that names the host on which it was uploaded.
HOST = "host"
MISSING_FILE = "The uploaded file is no longer on the server. Upload it again."


class LeaseLost(Exception):
    """Raised when another worker has taken over the import, or it was cancelled."""


class ImportLease:
    """The lease of an import by one worker."""

    def __init__(self, import_id: str, fence: int, tools: Tools) -> None:
        self.import_id, self.fence, self.tools = import_id, fence, tools
        self.said_at = monotonic()

    def file(self, name: str = FILE) -> Path:
        """Return a local file of the import. Raises UnreadableFile if it is missing, and Busy."""
        found = self.tools.config.storage.local(name_in_storage(self.import_id, name))
        if found is None:
            raise UnreadableFile(MISSING_FILE)
        return found

    def name_of_parsed_posts(self) -> str:
        """Return the name of a new file for parsed posts, one JSON object per line. Each attempt has its own."""
        return f"found-{self.fence}.jsonl"

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


def name_in_storage(import_id: str, name: str) -> str:
    return f"{IMPORTS}/{import_id}/{name}"


def remove_files(import_id: str, config: Config) -> None:
    """Remove the files of an import, as far as possible."""
    with suppress(Busy):
        config.storage.remove_directory(f"{IMPORTS}/{import_id}")


def imports_of_others(ids: Collection[str], tools: Tools) -> dict[str, str]:
    """Return which of these imports only other processes can do, because the file is on the disk of their machine."""
    if not ids or tools.config.media_url or not is_shared():
        return {}
    hosts = {process.host for process in processes_seen(tools.now()) if process.name != tools.process.name}
    jobs = db.session.scalars(select(ImportJob).where(ImportJob.id.in_(ids)))
    elsewhere = (job for job in jobs if not (tools.config.imports / job.id).is_dir())
    return {job.id: "the uploaded file" for job in elsewhere if job.choices.get(HOST) in hosts}


def is_here(source: str, imported: dict[str, str]) -> bool:
    """Return True if the post exists here: imported before, or exported from this blog."""
    kind, _, post_id = source.partition(":")
    return source in imported or (kind == "blogsvc" and db.session.get(Post, post_id) is not None)
