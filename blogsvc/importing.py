"""Importing: take in a file of posts from elsewhere, say what would come of it, and carry that out.

The file is read once, in the background, and each post that is found is put aside beside it. Carrying out takes one of
them at a time, each in a transaction of its own: killed anywhere, it goes on with the next. What came in once does not
come in again, from whichever file. Nothing is announced: what was published is there as if it had always been.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

from sqlalchemy import delete, select

from blogsvc.arriving import Luggage, applied, make, plain_address, prepare, with_links_home
from blogsvc.config import Config
from blogsvc.errors import Busy, Fault, Invalid
from blogsvc.lib import movers
from blogsvc.lib.archives import pack
from blogsvc.lib.found import Found, Skipped, Unreadable, fitted, is_web
from blogsvc.lib.time import zone
from blogsvc.models import Address, Post, Setting, db, transaction
from blogsvc.models.moving import LEASE, Import, ImportedPost, known_sources
from blogsvc.toolbox import Toolbox

log = logging.getLogger(__name__)

MIB = 1024 * 1024
UNUSED_IS_KEPT = timedelta(days=7)
MOST_LEFT_OUT = 500
FILE, FOUND = "file", "found.jsonl"
TAKEN = ("skip", "rename")


def receive(
    data: BinaryIO, filename: str, person_id: str | None, tools: Toolbox, wanted: movers.Format | None = None
) -> Import:
    """Keep a file that is to be read. Raises Invalid where it is too large or empty, Busy where the disk is full."""
    name = Path(filename.replace("\\", "/")).name
    name = "".join(character for character in name if character.isprintable()).strip() or "a file"
    new = Import.of(name, person_id, tools.now())
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


def receive_path(path: Path, tools: Toolbox, wanted: movers.Format | None = None) -> Import:
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


def folder_of(config: Config, import_id: str) -> Path:
    """Where an import keeps its file."""
    return config.instance / "imports" / import_id


def begin(
    import_id: str, tools: Toolbox, *, drafts: bool = True, pictures: bool = True, taken: str = "skip", site: str = ""
) -> Import:
    """Carry it out. `taken` is what becomes of a post whose address another has here: skip, or rename.

    `site` is where the blog was, for pictures whose address does not say. Raises NotFound, StateConflict, Invalid.
    """
    site = site.strip().rstrip("/")
    if taken not in TAKEN:
        raise Invalid(Fault("#/taken", "not_one_of", f"This is one of {', '.join(TAKEN)}."))
    if site and not is_web(site):
        raise Invalid(Fault("#/site", "not_a_url", "This must be an address that begins with https:// or http://."))
    with transaction():
        one = Import.get(import_id)
        one.may("begin")
        one.choices = {**one.choices, "drafts": drafts, "pictures": pictures, "taken": taken, "site": site}
        one.move_to("running", tools.now())
        return one


def cancel(import_id: str, tools: Toolbox) -> Import:
    """Bring in no more. What came in stays. Raises NotFound, StateConflict."""
    with transaction():
        one = Import.get(import_id)
        one.may("cancel")
        one.move_to("cancelled", tools.now())
    _remove_files(one.id, tools.config)
    return one


def discard(import_id: str, tools: Toolbox) -> None:
    """Forget a file of which nothing was brought in. Raises NotFound, StateConflict."""
    with transaction():
        one = Import.get(import_id)
        one.may("discard")
        db.session.delete(one)
    _remove_files(import_id, tools.config)


def _remove_files(import_id: str, config: Config) -> None:
    shutil.rmtree(folder_of(config, import_id), ignore_errors=True)


def forget_old(now: datetime, config: Config) -> None:
    """Remove files that nobody went on with, and what a kill left of others."""
    with transaction():
        unused = Import.state.in_(("planned", "failed")), Import.created_at < now - UNUSED_IS_KEPT
        db.session.execute(delete(Import).where(*unused))
        kept = set(db.session.scalars(select(Import.id).where(Import.state.in_(("reading", "planned", "running")))))
    folder = config.instance / "imports"
    for left in folder.iterdir() if folder.is_dir() else ():
        age = now.timestamp() - left.stat().st_mtime
        if left.name not in kept and age > timedelta(days=1).total_seconds():
            shutil.rmtree(left, ignore_errors=True)


def step(import_id: str, tools: Toolbox) -> bool:
    """Do the next thing for an import: read its file, or bring in one post. False where nothing is to do."""
    with transaction():
        one = db.session.get(Import, import_id)
        fence = one.claim(tools.now()) if one is not None else None
        if one is None or fence is None:
            return False
        is_reading = one.state == "reading"
    if is_reading:
        _read(_Work(import_id, fence, tools))
        return False
    return _bring_next(_Work(import_id, fence, tools))


class Lost(Exception):
    """Another has it in hand by now, or it was cancelled."""


class _Work:
    """One worker's hold on an import."""

    def __init__(self, import_id: str, fence: int, tools: Toolbox) -> None:
        self.import_id, self.fence, self.tools = import_id, fence, tools
        self.said_at = monotonic()

    @property
    def folder(self) -> Path:
        return folder_of(self.tools.config, self.import_id)

    def row(self) -> Import:
        """Inside a transaction. Raises Lost."""
        one = db.session.get(Import, self.import_id)
        if one is None or not one.is_held(self.fence):
            raise Lost
        return one

    def go_on(self, *, at_least: float = 0.0) -> None:
        """Say that it is being worked on, unless that was said so many seconds ago. Raises Lost."""
        if monotonic() - self.said_at < at_least:
            return
        with transaction():
            self.row().lease_until = self.tools.now() + LEASE
        self.said_at = monotonic()


# -- reading


def _read(work: _Work) -> None:
    one, error = Import.get(work.import_id), ""
    wanted = one.choices.get("format")
    try:
        form, entries, left_out = _put_aside(work, wanted)
        _keep_plan(work, form, entries, left_out)
        return
    except Lost:
        return
    except Busy:
        raise
    except Unreadable as unreadable:
        error = str(unreadable)
    except Exception:
        log.exception("the import %s could not be read", work.import_id)
        error = "This file could not be read; the log says why."
    with transaction():
        one = work.row()
        one.error = error[:2000]
        one.move_to("failed", work.tools.now())
    _remove_files(work.import_id, work.tools.config)


def _put_aside(work: _Work, wanted: movers.Format | None) -> tuple[str, list[dict[str, Any]], list[list[str]]]:
    """Each post that is found, as a line of a file; and what is known of it without opening that."""
    config, now = work.tools.config, work.tools.now()
    blog_zone = zone(Setting.read("time_zone"))
    db.session.rollback()  # nothing is held open while a large file is read
    entries: list[dict[str, Any]] = []
    left_out: list[list[str]] = []
    form, items = movers.read(work.folder / FILE, blog_zone, config.import_unpacked_mib * MIB, wanted)
    half = work.folder / f"{FOUND}.{work.fence}"
    with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        for item in items:
            work.go_on(at_least=5)
            if isinstance(item, Skipped):
                left_out.append([item.title[:300], item.reason[:1000]])
            elif len(entries) < config.import_posts:
                post = fitted(item, now)
                line = json.dumps(post.to_json(), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
                entries.append(_entry(post, len(entries), out.tell(), len(line)))
                out.write(line)
            else:
                left_out.append([item.title[:300], f"Only {config.import_posts} posts are brought in at once."])
    half.rename(work.folder / FOUND)
    if len(left_out) > MOST_LEFT_OUT:
        left_out[MOST_LEFT_OUT:] = [["And more", f"{len(left_out) - MOST_LEFT_OUT} others were left out."]]
    if not entries and not left_out:
        raise Unreadable("There are no posts in this file.")
    return form, entries, left_out


def _entry(post: Found, number: int, place: int, length: int) -> dict[str, Any]:
    return {
        "number": number,
        "source": post.source[:100],
        "title": post.title,
        "slug": post.slug,
        "status": post.status,
        "warnings": list(post.warnings),
        "address": next((plain_address(url) for url in post.addresses if is_web(url)), None),
        "place": place,
        "length": length,
    }


def _keep_plan(work: _Work, form: str, entries: list[dict[str, Any]], left_out: list[list[str]]) -> None:
    with transaction():
        one = work.row()
        db.session.execute(delete(ImportedPost).where(ImportedPost.import_id == one.id))
        known = known_sources([entry["source"] for entry in entries])
        for entry in entries:
            entry["obstacle"] = _obstacle(entry, known)
            db.session.add(ImportedPost(**entry, import_id=one.id, state="waiting"))
        one.format, one.left_out = form, left_out
        one.move_to("planned", work.tools.now())


def _obstacle(entry: dict[str, Any], known: dict[str, str]) -> str | None:
    if _is_here(entry["source"], known):
        return "known"
    return "taken" if db.session.get(Address, entry["slug"]) is not None else None


def _is_here(source: str, known: dict[str, str]) -> bool:
    """Whether the post is here: brought before, or written here and exported."""
    kind, _, post_id = source.partition(":")
    return source in known or (kind == "blogsvc" and db.session.get(Post, post_id) is not None)


# -- carrying out


def _bring_next(work: _Work) -> bool:
    entry = ImportedPost.next_of(work.import_id)
    if entry is None:
        with transaction():
            work.row().move_to("finished", work.tools.now())
        _remove_files(work.import_id, work.tools.config)
        return False
    number, place, length = entry.id, entry.place, entry.length
    try:
        if (reason := _reason_to_skip(entry, Import.get(work.import_id))) is not None:
            _close(work, number, "skipped", reason)
        else:
            db.session.rollback()
            _bring(work, number, _found(work.folder / FOUND, place, length))
    except Lost:
        return False
    except Busy:
        raise
    except Exception:
        log.exception("a post of the import %s could not be brought in", work.import_id)
        _close(work, number, "failed", "It could not be brought in; the log says why.")
    return True


def _reason_to_skip(entry: ImportedPost, one: Import) -> str | None:
    if _is_here(entry.source, known_sources([entry.source])):
        return "It is here already."
    if entry.status == "draft" and not one.choices.get("drafts", True):
        return "It is a draft."
    there = db.session.get(Address, entry.slug)
    if there is None or one.choices.get("taken") == "rename" or _is_of(one.id, there.post_id):
        return None
    return f"Another post has its address, /{entry.slug}."


def _is_of(import_id: str, post_id: str) -> bool:
    """Whether a post came with the same file: two of one name there are two, not one that comes again."""
    query = select(ImportedPost.id).where(ImportedPost.import_id == import_id, ImportedPost.post_id == post_id)
    return db.session.scalar(query.limit(1)) is not None


def _close(work: _Work, number: int, state: Any, detail: str) -> None:
    with transaction():
        work.row().lease_until = None
        entry = db.session.get(ImportedPost, number)
        if entry is not None and entry.state == "waiting":
            entry.close(state, detail)


def _found(path: Path, place: int, length: int) -> Found:
    with path.open("rb") as file:
        file.seek(place)
        return Found.of_json(json.loads(file.read(length)))


def _bring(work: _Work, number: int, found: Found) -> None:
    luggage = Luggage(work.import_id, dict(Import.get(work.import_id).choices), work.tools, work.go_on)
    db.session.rollback()
    with movers.picture_from(work.folder / FILE, work.tools.config.import_unpacked_mib * MIB) as archive:
        luggage.take_in(found, archive)
    text = with_links_home(applied(found.markdown, luggage), work.import_id)
    cover = luggage.cover_of(found)
    prepare(found, text)
    with transaction():
        one = work.row()
        entry = db.session.get(ImportedPost, number)
        if entry is None or entry.state != "waiting":
            return
        post = make(found, text, cover, one, work.tools.now())
        notes = luggage.notes
        if post.slug != found.slug:
            notes.append(f"Its address, /{found.slug}, is in use here; it is at /{post.slug}.")
        entry.post_id, entry.warnings = post.id, [*entry.warnings, *notes]
        entry.close("made")
        one.lease_until = None
