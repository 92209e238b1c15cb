"""Importing: take in a file of posts from elsewhere, say what would come of it, and carry that out.

The file is read once, in the background, and each post that is found is put aside beside it. Carrying out takes one of
them at a time, each in a transaction of its own: killed anywhere, it goes on with the next. What came in once does not
come in again, from whichever file. Nothing is announced: what was published is there as if it had always been.
"""

from __future__ import annotations

import os
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import delete, select

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.errors import Busy, Fault, Invalid
from blogsvc.models import db, transaction
from blogsvc.models.import_job import ImportJob
from blogsvc.transfer.formats import detect
from blogsvc.transfer.formats.archives import pack
from blogsvc.transfer.formats.parsed_post import is_web
from blogsvc.transfer.import_lease import FILE, ImportLease, folder_of, remove_files
from blogsvc.transfer.import_plan import read
from blogsvc.transfer.import_run import import_next

MIB = 1024 * 1024
UNUSED_IS_KEPT = timedelta(days=7)
TAKEN = ("skip", "rename")


def receive(
    data: BinaryIO, filename: str, person_id: str | None, tools: Tools, wanted: detect.Format | None = None
) -> ImportJob:
    """Keep a file that is to be read. Raises Invalid where it is too large or empty, Busy where the disk is full."""
    name = Path(filename.replace("\\", "/")).name
    name = "".join(character for character in name if character.isprintable()).strip() or "a file"
    new = ImportJob.of(name, person_id, tools.now())
    new.choices = {"format": wanted}
    folder = folder_of(tools.config, new.id)
    try:
        folder.mkdir(parents=True, mode=0o700)
        _copy(data, folder / FILE, tools.config.import_mib * MIB)
        with transaction():
            db.session.add(new)
            new.move_to("reading", tools.now())
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise Busy("The disk is full, or cannot be written to; the file was not kept.") from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return new


def receive_path(path: Path, tools: Tools, wanted: detect.Format | None = None) -> ImportJob:
    """The same of a file or a folder on this machine."""
    if not path.is_dir():
        with path.open("rb") as file:
            return receive(file, path.name, None, tools, wanted)
    packed = tools.config.instance / f".packed-{os.getpid()}.zip"
    try:
        pack(path, packed)
        with packed.open("rb") as file:
            return receive(file, path.name, None, tools, wanted)
    finally:
        packed.unlink(missing_ok=True)


def _copy(data: BinaryIO, target: Path, most: int) -> None:
    size = 0
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        while part := data.read(MIB):
            size += len(part)
            if size > most:
                raise Invalid(Fault("#/file", "too_long", f"A file may have at most {most // MIB} MiB; split it."))
            out.write(part)
        out.flush()
        os.fsync(out.fileno())
    if size == 0:
        raise Invalid(Fault("#/file", "empty", "This file is empty; choose another."))


def begin(
    import_id: str, tools: Tools, *, drafts: bool = True, pictures: bool = True, taken: str = "skip", site: str = ""
) -> ImportJob:
    """Carry it out. `taken` is what becomes of a post whose address another has here: skip, or rename.

    `site` is where the blog was, for pictures whose address does not say. Raises NotFound, StateConflict, Invalid.
    """
    site = site.strip().rstrip("/")
    if taken not in TAKEN:
        raise Invalid(Fault("#/taken", "not_one_of", f"This is one of {', '.join(TAKEN)}."))
    if site and not is_web(site):
        raise Invalid(Fault("#/site", "not_a_url", "This must be an address that begins with https:// or http://."))
    with transaction():
        one = ImportJob.get(import_id)
        one.may("begin")
        one.choices = {**one.choices, "drafts": drafts, "pictures": pictures, "taken": taken, "site": site}
        one.move_to("running", tools.now())
        return one


def cancel(import_id: str, tools: Tools) -> ImportJob:
    """Bring in no more. What came in stays. Raises NotFound, StateConflict."""
    with transaction():
        one = ImportJob.get(import_id)
        one.may("cancel")
        one.move_to("cancelled", tools.now())
    remove_files(one.id, tools.config)
    return one


def discard(import_id: str, tools: Tools) -> None:
    """Forget a file of which nothing was brought in. Raises NotFound, StateConflict."""
    with transaction():
        one = ImportJob.get(import_id)
        one.may("discard")
        db.session.delete(one)
    remove_files(import_id, tools.config)


def delete_old_imports(now: datetime, config: Config) -> None:
    """Remove files that nobody went on with, and what a kill left of others."""
    with transaction():
        unused = ImportJob.state.in_(("planned", "failed")), ImportJob.created_at < now - UNUSED_IS_KEPT
        db.session.execute(delete(ImportJob).where(*unused))
        kept = set(
            db.session.scalars(select(ImportJob.id).where(ImportJob.state.in_(("reading", "planned", "running"))))
        )
    folder = config.instance / "imports"
    for left in folder.iterdir() if folder.is_dir() else ():
        age = now.timestamp() - left.stat().st_mtime
        if left.name not in kept and age > timedelta(days=1).total_seconds():
            shutil.rmtree(left, ignore_errors=True)


def step(import_id: str, tools: Tools) -> bool:
    """Do the next thing for an import: read its file, or bring in one post. False where nothing is to do."""
    with transaction():
        one = db.session.get(ImportJob, import_id)
        fence = one.claim(tools.now()) if one is not None else None
        if one is None or fence is None:
            return False
        is_reading = one.state == "reading"
    if is_reading:
        read(ImportLease(import_id, fence, tools))
        return False
    return import_next(ImportLease(import_id, fence, tools))
