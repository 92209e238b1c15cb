"""The first step of an import: parse the file, store its posts, and plan what will be imported."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import delete

from blogsvc.lib.files import private_files
from blogsvc.lib.sizes import MIB
from blogsvc.models import PostSlug, Setting, db, transaction
from blogsvc.models.database import as_busy
from blogsvc.models.import_job import ImportedPost, ImportJob, known_sources
from blogsvc.posts import slugs
from blogsvc.posts.old_addresses import normalized
from blogsvc.transfer import import_addresses
from blogsvc.transfer.blog_parts import BLOG, LINKS
from blogsvc.transfer.fitted_post import fitted
from blogsvc.transfer.formats.parsed_blog import ParsedBlog
from blogsvc.transfer.formats.parsed_media import ParsedMedia
from blogsvc.transfer.formats.parsed_page import ParsedPage
from blogsvc.transfer.formats.parsed_post import (
    ParsedAuthor,
    ParsedLinks,
    ParsedPost,
    ParsedRedirect,
    SkippedItem,
    UnreadableFile,
)
from blogsvc.transfer.import_authors import AUTHORS
from blogsvc.transfer.import_images import MEDIA
from blogsvc.transfer.import_lease import PARSED_POSTS, ImportLease, LeaseLost, is_here, name_in_storage, remove_files
from blogsvc.transfer.import_pages import PAGES
from blogsvc.transfer.import_parse import parsed
from blogsvc.transfer.post_links import address_of

log = logging.getLogger(__name__)

MAX_SKIPPED_LISTED = 500
MAX_ADDRESSES_OF_OTHERS = 50_000
MAX_REDIRECTS = 10_000
MAX_PAGES = 2_000


@dataclass(frozen=True)
class _Parsed:
    """The format of a file, the plan's entries, what is left out, and its addresses, both with the reason.

    `redirects` are those of the owner of the old blog: path, target and status of each. `pages` are those of series
    and tags: the fields of each `ParsedPage`. `authors` are those of each `ParsedAuthor` that is listed by itself.
    """

    form: str
    entries: list[dict[str, Any]]
    left_out: list[list[str]]
    others: list[list[str]]
    redirects: list[list[str | int]]
    pages: list[dict[str, Any]]
    authors: list[dict[str, Any]]
    # The fields of each `ParsedMedia`.
    media: list[dict[str, Any]]
    # The links of each place: [label, target, is_me].
    links: dict[str, list[list[str | bool]]]
    # The fields of the first `ParsedBlog`, {} if the file has none.
    blog: dict[str, Any]


class _Closing(Exception):
    """Raised when the server is about to stop."""


def read(lease: ImportLease, is_closing: Callable[[], bool]) -> None:
    """Parse the file, and store the plan. Stops if `is_closing`. Raises Busy."""

    def go_on() -> None:
        if is_closing():
            raise _Closing
        lease.go_on(at_least=2)

    try:
        _store_plan(lease, _store_parsed_posts(lease, go_on), go_on)
    except LeaseLost:
        return
    except _Closing:
        lease.give_back(at_once=True)
    except UnreadableFile as unreadable:
        fail(lease, str(unreadable))
    except Exception as error:
        if as_busy(error) is not None:
            lease.give_back(at_once=False)
            raise
        if lease.is_lost():  # with the files of the import, if it was discarded
            return
        log.exception("the import %s could not be read", lease.import_id)
        fail(lease, "This file could not be read. See the server log.")


def fail(lease: ImportLease, error: str) -> None:
    """End the import with the reason, unless it was discarded meanwhile."""
    with suppress(LeaseLost):
        with transaction():
            job = lease.row()
            job.error = error[:2000]
            job.move_to("failed", lease.tools.now())
        remove_files(lease.import_id, lease.tools.config)


def _store_parsed_posts(lease: ImportLease, go_on: Callable[[], None]) -> _Parsed:
    """Store each parsed post in a file, and return what the plan needs."""
    config, now = lease.tools.config, lease.tools.now()
    job = ImportJob.get(lease.import_id)
    max_unpacked = config.import_unpacked_mib * MIB
    source = parsed(
        lease.file(),
        go_on,
        zone=Setting.read("time_zone"),
        max_unpacked=max_unpacked,
        chosen_format=job.choices.get("format"),
        filename=job.filename,
    )
    style = slugs.style()
    db.session.rollback()  # end the read transaction before parsing a large file
    entries: list[dict[str, Any]] = []
    left_out: list[list[str]] = []
    others: list[list[str]] = []
    redirects: list[list[str | int]] = []
    pages: list[dict[str, Any]] = []
    authors: list[dict[str, Any]] = []
    media: list[dict[str, Any]] = []
    links: dict[str, list[list[str | bool]]] = {}
    blog: dict[str, Any] = {}
    stored = name_in_storage(lease.import_id, lease.name_of_parsed_posts())
    with source as (form, items), private_files.create(config.storage.place(stored)) as out:
        for item in items:
            if isinstance(item, SkippedItem):
                left_out.append([item.title[:300], item.reason[:1000]])
                paths = item.paths[: MAX_ADDRESSES_OF_OTHERS - len(others)]
                others += ([normalized(path), item.reason[:1000]] for path in paths)
            elif isinstance(item, ParsedAuthor):
                authors += [asdict(item)] if len(authors) < MAX_PAGES else []
            elif isinstance(item, ParsedMedia):
                media += [item.to_json()] if len(media) < config.import_images else []
            elif isinstance(item, ParsedPage):
                pages += [item.to_json()] if len(pages) < MAX_PAGES else []
            elif isinstance(item, ParsedRedirect):
                redirects += [[item.path, item.target, item.status]] if len(redirects) < MAX_REDIRECTS else []
            elif isinstance(item, ParsedBlog):
                blog = blog or item.to_json()
            elif isinstance(item, ParsedLinks):
                links[item.place] = [list(link) for link in item.items]
            elif len(entries) < config.import_posts:
                post = fitted(item, now, style)
                line = json.dumps(post.to_json(), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
                entries.append(_entry(post, len(entries), out.tell(), len(line)))
                out.write(line)
                if out.tell() > max_unpacked:
                    raise UnreadableFile("The posts in this file are too large. Split the export into several files.")
            else:
                left_out.append([item.title[:300], f"At most {config.import_posts} posts are imported at once."])
    config.storage.store(stored)
    if len(left_out) > MAX_SKIPPED_LISTED:
        left_out[MAX_SKIPPED_LISTED:] = [["And more", f"{len(left_out) - MAX_SKIPPED_LISTED} others were skipped."]]
    if not entries and not left_out:
        raise UnreadableFile("There are no posts in this file.")
    return _Parsed(form, entries, left_out, others, redirects, pages, authors, media, links, blog)


def _entry(post: ParsedPost, number: int, place: int, length: int) -> dict[str, Any]:
    return {
        "number": number,
        "source": post.source[:100],
        "title": post.title or "Untitled",
        "slug": post.slug,
        "status": "scheduled" if post.scheduled_at else post.status,
        "warnings": list(post.warnings),
        "address": address_of(post),
        "file_name": post.file_name[:100] or None,
        "place": place,
        "length": length,
    }


def _store_plan(lease: ImportLease, parsed: _Parsed, go_on: Callable[[], None]) -> None:
    imported = known_sources([entry["source"] for entry in parsed.entries])
    taken_slugs = PostSlug.taken([entry["slug"] for entry in parsed.entries])
    rows = [
        ImportedPost(
            **entry, obstacle=_obstacle(entry, imported, taken_slugs), import_id=lease.import_id, state="waiting"
        )
        for entry in parsed.entries
    ]
    found = lease.name_of_parsed_posts()
    addresses = import_addresses.report(parsed.form, lease.file(found), rows, parsed.others, go_on)
    with transaction():
        job = lease.row()
        db.session.execute(delete(ImportedPost).where(ImportedPost.import_id == job.id))
        db.session.add_all(rows)
        job.format, job.left_out = parsed.form, parsed.left_out
        job.choices = {**job.choices, PARSED_POSTS: found}
        job.old_addresses = {**addresses, "others": parsed.others, "redirects": parsed.redirects}
        job.old_addresses |= {PAGES: parsed.pages, AUTHORS: parsed.authors, MEDIA: parsed.media}
        job.old_addresses |= {LINKS: parsed.links, BLOG: parsed.blog}
        job.move_to("planned", lease.tools.now())


def _obstacle(entry: dict[str, Any], imported: dict[str, str], taken_slugs: Collection[str]) -> str | None:
    if is_here(entry["source"], imported):
        return "known"
    return "taken" if entry["slug"] in taken_slugs else None
