"""Import posts from a file: receive it, show a plan for review, and carry it out.

A background task parses the file once and stores its posts. They are then imported, a few in each transaction,
so that an interrupted import continues with the next post. A post is imported only once, even if another file
contains it. No webhooks and no deliveries: published posts appear with their old dates.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from sqlalchemy import delete, select

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.errors import Busy, Fault, Invalid
from blogsvc.lib.files import private_files
from blogsvc.lib.instance_paths import IMPORTS
from blogsvc.lib.sizes import MIB
from blogsvc.models import db, transaction
from blogsvc.models.import_job import ImportJob
from blogsvc.models.post_conditions import is_new_blog
from blogsvc.transfer.formats import Format
from blogsvc.transfer.formats.archives import pack
from blogsvc.transfer.formats.parsed_post import is_web
from blogsvc.transfer.import_lease import FILE, HOST, ImportLease, name_in_storage, remove_files

UNUSED_IS_KEPT = timedelta(days=7)
LEFTOVERS_ARE_KEPT = timedelta(days=1)
DIGEST = "digest"  # the choice of an import with the SHA-256 of its file, "" for an upload
TAKEN = ("skip", "rename")
MAX_INTERRUPTIONS = 2  # the file may be why the server was killed
INTERRUPTED = "Reading this file was interrupted twice. Split the export into several files, or discard this file."


def receive(
    data: BinaryIO,
    filename: str,
    user_id: str | None,
    tools: Tools,
    chosen_format: Format | None = None,
    digest: str = "",
) -> ImportJob:
    """Store a file to be parsed. Raises Invalid if it is too large or empty, Busy if the disk is full."""
    name = Path(filename.replace("\\", "/")).name
    name = "".join(character for character in name if character.isprintable()).strip() or "a file"
    new = ImportJob.of(name, user_id, tools.now())
    new.choices = {"format": chosen_format, HOST: tools.host, DIGEST: digest}
    storage, stored = tools.config.storage, name_in_storage(new.id, FILE)
    try:
        private_files.make_directory(storage.place(stored).parent)
        _copy(data, storage.place(stored), tools.config.import_mib * MIB)
        storage.store(stored)
        with transaction():
            db.session.add(new)
            new.move_to("reading", tools.now())
    except OSError as error:
        remove_files(new.id, tools.config)
        raise Busy("The disk is full or not writable. The file was not saved.") from error
    except BaseException:
        remove_files(new.id, tools.config)
        raise
    return new


def receive_path(path: Path, tools: Tools, chosen_format: Format | None = None) -> ImportJob:
    """Store a local file or folder to be parsed, or return its import if one was interrupted. Raises as `receive`."""
    if not path.is_dir():
        return _receive_file(path, path.name, tools, chosen_format)
    with TemporaryDirectory(dir=tools.config.instance) as folder:
        packed = Path(folder, "packed.zip")
        pack(path, packed)
        return _receive_file(packed, path.name, tools, chosen_format)


def _receive_file(path: Path, name: str, tools: Tools, chosen_format: Format | None) -> ImportJob:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        for job in ImportJob.at_work():
            if job.user_id is None and (job.choices.get("format"), job.choices.get(DIGEST)) == (chosen_format, digest):
                return job
        file.seek(0)
        return receive(file, name, None, tools, chosen_format, digest)


def _copy(data: BinaryIO, target: Path, max_bytes: int) -> None:
    size = 0
    with private_files.create(target) as out:
        while part := data.read(MIB):
            size += len(part)
            if size > max_bytes:
                raise Invalid(Fault("#/file", "too_long", f"A file can have at most {max_bytes // MIB} MiB. Split it."))
            out.write(part)
        out.flush()
        os.fsync(out.fileno())
    if size == 0:
        raise Invalid(Fault("#/file", "empty", "This file is empty. Choose another one."))


def takes_over_by_default() -> bool:
    """Return True if an import takes over title, menus, icon and logo unless its user decides otherwise."""
    return is_new_blog()


def begin(
    import_id: str,
    tools: Tools,
    *,
    blog: bool,
    drafts: bool = True,
    images: bool = True,
    schedule: bool = False,
    taken: str = "skip",
    site: str = "",
) -> ImportJob:
    """Start the import. Raises NotFound, StateConflict, Invalid.

    Args:
        blog: take over title, menus, icon and logo, where nobody has chosen them here.
        schedule: keep the times of scheduled posts, for the default destinations; otherwise they become drafts.
        taken: what to do with a post whose slug is in use, "skip" or "rename".
        site: URL of the old blog, for images with relative URLs.
    """
    site = site.strip().rstrip("/")
    if taken not in TAKEN:
        raise Invalid(Fault("#/taken", "not_one_of", f"This must be one of: {', '.join(TAKEN)}."))
    if site and not is_web(site):
        raise Invalid(Fault("#/site", "not_a_url", "This must be a URL that starts with https:// or http://."))
    with transaction():
        job = ImportJob.get(import_id)
        job.require_move("begin")
        chosen = {"drafts": drafts, "images": images, "schedule": schedule, "taken": taken, "site": site}
        job.choices = {**job.choices, **chosen, "blog": blog}
        job.move_to("running", tools.now())
        return job


def cancel(import_id: str, tools: Tools) -> ImportJob:
    """Stop an import. Imported posts stay. Raises NotFound, StateConflict."""
    with transaction():
        job = ImportJob.get(import_id)
        job.require_move("cancel")
        job.move_to("cancelled", tools.now())
    remove_files(job.id, tools.config)
    return job


def discard(import_id: str, tools: Tools) -> None:
    """Delete a file that was not imported. Raises NotFound, StateConflict."""
    with transaction():
        job = ImportJob.get(import_id)
        job.require_move("discard")
        db.session.delete(job)
    remove_files(import_id, tools.config)


def delete_old_imports(now: datetime, config: Config) -> None:
    """Delete unused files after a week, and files left by interrupted imports."""
    with transaction():
        unused = ImportJob.state.in_(("planned", "failed")), ImportJob.created_at < now - UNUSED_IS_KEPT
        db.session.execute(delete(ImportJob).where(*unused))
        kept_ids = set(
            db.session.scalars(select(ImportJob.id).where(ImportJob.state.in_(("reading", "planned", "running"))))
        )
    oldest_kept = (now - LEFTOVERS_ARE_KEPT).timestamp()
    old = {
        file.name.split("/")[1] for file in config.storage.files(IMPORTS, below=True) if file.stored_at < oldest_kept
    }
    for import_id in old - kept_ids:
        remove_files(import_id, config)


def step(import_id: str, tools: Tools, is_closing: Callable[[], bool] = lambda: False) -> bool:
    """Run the next step of an import: parse its file, or import some posts. Returns False if nothing is left to do.

    Parsing stops if `is_closing`; the next step parses the file again.
    """
    from blogsvc.transfer import import_plan, import_run  # with the parsers of all formats

    with transaction():
        job = db.session.get(ImportJob, import_id)
        fence = job.claim(tools.now(), tools.process.name) if job is not None else None
        if job is None or fence is None:
            return False
        is_reading, is_tried = job.state == "reading", job.interruptions >= MAX_INTERRUPTIONS
    lease = ImportLease(import_id, fence, tools)
    if not is_reading:
        return import_run.import_next(lease)
    if is_tried:
        import_plan.fail(lease, INTERRUPTED)
    else:
        import_plan.read(lease, is_closing)
    return False
