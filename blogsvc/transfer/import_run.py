"""The second step of an import: create the planned posts, each in its own transaction."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from sqlalchemy import select

from blogsvc.errors import Busy, Invalid
from blogsvc.models import PostSlug, db, transaction
from blogsvc.models.import_job import ImportedPost, ImportJob, known_sources
from blogsvc.transfer.formats import detect
from blogsvc.transfer.formats.parsed_post import ParsedPost
from blogsvc.transfer.import_lease import FILE, FOUND, ImportLease, LeaseLost, is_here, remove_files
from blogsvc.transfer.import_post import ImportContext, applied, make, prepare, with_links_home

log = logging.getLogger(__name__)

MIB = 1024 * 1024


def import_next(work: ImportLease) -> bool:
    entry = ImportedPost.next_of(work.import_id)
    if entry is None:
        with transaction():
            work.row().move_to("finished", work.tools.now())
        remove_files(work.import_id, work.tools.config)
        return False
    number, place, length = entry.id, entry.place, entry.length
    try:
        if (reason := _reason_to_skip(entry, ImportJob.get(work.import_id))) is not None:
            _close(work, number, "skipped", reason)
        else:
            db.session.rollback()
            _import_post(work, number, _parsed_post(work.folder / FOUND, place, length))
    except LeaseLost:
        return False
    except Busy:
        raise
    except Invalid as error:
        _close(work, number, "failed", f"It could not be imported. {error}")
    except Exception:
        log.exception("a post of the import %s could not be brought in", work.import_id)
        _close(work, number, "failed", "It could not be imported. See the server log.")
    return True


def _reason_to_skip(entry: ImportedPost, one: ImportJob) -> str | None:
    if is_here(entry.source, known_sources([entry.source])):
        return "It was already imported."
    if entry.status == "draft" and not one.choices.get("drafts", True):
        return "It is a draft."
    there = db.session.get(PostSlug, entry.slug)
    if there is None or one.choices.get("taken") == "rename" or _is_from_import(one.id, there.post_id):
        return None
    return f"Another post already has the slug {entry.slug}."


def _is_from_import(import_id: str, post_id: str) -> bool:
    """Return True if the post was imported from the same file: two posts of one name there are not duplicates."""
    query = select(ImportedPost.id).where(ImportedPost.import_id == import_id, ImportedPost.post_id == post_id)
    return db.session.scalar(query.limit(1)) is not None


def _close(work: ImportLease, number: int, state: Any, detail: str) -> None:
    with transaction():
        work.row().end_lease()
        entry = db.session.get(ImportedPost, number)
        if entry is not None and entry.state == "waiting":
            entry.close(state, detail)


def _parsed_post(path: Path, place: int, length: int) -> ParsedPost:
    with path.open("rb") as file:
        file.seek(place)
        return ParsedPost.of_json(json.loads(file.read(length)))


def _import_post(work: ImportLease, number: int, found: ParsedPost) -> None:
    context = ImportContext(work.import_id, dict(ImportJob.get(work.import_id).choices), work.tools, work.go_on)
    db.session.rollback()
    with detect.image_archive(work.folder / FILE, work.tools.config.import_unpacked_mib * MIB) as archive:
        context.take_in(found, archive)
    text = with_links_home(applied(found.markdown, context), work.import_id)
    cover = context.cover_of(found)
    prepare(found, text)
    with transaction():
        one = work.row()
        entry = db.session.get(ImportedPost, number)
        if entry is None or entry.state != "waiting":
            return
        post = make(found, text, cover, one, work.tools.now())
        notes = context.notes
        if post.slug != found.slug:
            notes.append(f"Its slug, {found.slug}, is already in use. The new slug is {post.slug}.")
        entry.post_id, entry.warnings = post.id, [*entry.warnings, *notes]
        entry.close("made")
        one.end_lease()
