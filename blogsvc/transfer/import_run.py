"""The second step of an import: create the planned posts, a few in each transaction.

What takes long comes first, outside of the transaction: images are fetched and texts are rendered. A post that fails
is undone alone. If the process is killed, the posts of its last transaction are made again, and no others.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic

from sqlalchemy import select

from blogsvc.errors import Invalid
from blogsvc.lib.sizes import MIB
from blogsvc.models import PostSlug, db, transaction
from blogsvc.models.database import as_busy
from blogsvc.models.import_job import EntryState, ImportedPost, ImportJob, known_sources
from blogsvc.models.setting import site_changed
from blogsvc.models.transactions import savepoint
from blogsvc.redirects import manage
from blogsvc.transfer import import_addresses, import_blog, import_slugs, lost_images
from blogsvc.transfer.blog_parts import LANGUAGE, TAKEN_OVER, in_order
from blogsvc.transfer.fitted_post import is_schedule_note
from blogsvc.transfer.formats.archives import Archive, image_archive
from blogsvc.transfer.formats.own_texts import with_own_texts
from blogsvc.transfer.formats.parsed_media import ParsedMedia
from blogsvc.transfer.formats.parsed_post import ParsedAuthor, ParsedPost, UnreadableFile
from blogsvc.transfer.import_authors import AUTHORS, import_authors, picture_of
from blogsvc.transfer.import_images import MEDIA, ImportContext, applied, imported_images
from blogsvc.transfer.import_lease import PARSED_POSTS, ImportLease, LeaseLost, is_here, remove_files
from blogsvc.transfer.import_links import settled, without_placeholder
from blogsvc.transfer.import_pages import PAGES, add_missing, missing, with_cover
from blogsvc.transfer.import_post import make, prepare
from blogsvc.transfer.lost_images import LOST
from blogsvc.transfer.post_links import with_links_home

log = logging.getLogger(__name__)

# A transaction takes a few milliseconds to reach the disk, and each post a few more. Others can't write meanwhile.
BATCH_SIZE = 20
BATCH_SECONDS = 0.5  # of preparation, so that the progress shows, and little is lost if the process is killed
BATCH_CHARACTERS = MIB // 2  # the rendered texts of a batch fit into their cache


@dataclass
class _Prepared:
    """A post that is ready to be made, or the reason why it is not."""

    number: int
    parsed: ParsedPost | None = None
    text: str = ""
    cover: str | None = None
    notes: list[str] = field(default_factory=list)
    state: EntryState = "made"
    detail: str | None = None


def import_next(lease: ImportLease) -> bool:
    """Import the next posts. Returns False if none is left, or another worker does it."""
    try:
        _take_over_language(lease)
        import_slugs.settle(lease)
        if not _add_pages(lease):
            return True
        with ThreadPoolExecutor(1) as beside:  # renders a post while this thread prepares the next one
            batch = list(_prepared(lease, beside))
        if not batch:
            _finish(lease)
            return False
        with transaction():
            job = lease.row()
            are_live = [_import_post(ready, job, lease) for ready in batch]
            if any(are_live):
                site_changed()
            job.end_lease()
    except LeaseLost:
        return False
    except UnreadableFile as missing:
        with suppress(LeaseLost), transaction():
            job = lease.row()
            job.error = str(missing)
            job.move_to("cancelled", lease.tools.now())
        return False
    return True


def _take_over_language(lease: ImportLease) -> None:
    job = ImportJob.get(lease.import_id)
    if not job.choices["blog"] or LANGUAGE in (job.old_addresses or {}):
        return
    with transaction():
        job = lease.row()
        stored = job.old_addresses or {}
        job.old_addresses = {**stored, LANGUAGE: import_blog.take_over_language(stored)}


def _add_pages(lease: ImportLease) -> bool:
    """Add the images, the authors, and the pages of series and tags, before the posts, which then find them.

    Returns False if images are left for the next time.
    """
    job = ImportJob.get(lease.import_id)
    stored = job.old_addresses or {}
    if not any(map(stored.get, (PAGES, AUTHORS, MEDIA))):
        return True
    pages, choices = missing(stored.get(PAGES, ())), dict(job.choices)
    authors = [ParsedAuthor.of_json(one) for one in stored.get(AUTHORS, ())]
    db.session.rollback()
    with ExitStack() as open_files:
        source = _Source(lease, choices[PARSED_POSTS], open_files)
        context = ImportContext(lease.import_id, choices, lease.tools, lease.go_on)
        if left := context.take_in_library([ParsedMedia(**one) for one in stored.get(MEDIA, ())], source.archive):
            with transaction():
                job = lease.row()
                stored = job.old_addresses or {}
                lost = [*stored.get(LOST, ()), *context.lost]
                job.old_addresses = {**stored, MEDIA: [one.to_json() for one in left], LOST: lost}
                job.end_lease()
            return False
        found = [with_cover(page, context, source.archive) for page in pages]
        for author in authors:
            context.take_in_head(f"Picture of {author.name}", picture_of(author), source.archive)
    with transaction():
        job = lease.row()
        add_missing(found, lease.tools.now())
        for author in authors:
            import_authors([author], imported_images(picture_of(author), job), lease.tools.now())
        rest = {name: value for name, value in (job.old_addresses or {}).items() if name not in (PAGES, AUTHORS, MEDIA)}
        job.old_addresses = {**rest, LOST: [*rest.get(LOST, ()), *context.lost]}
    return True


def _finish(lease: ImportLease) -> None:
    """Add the redirects and check the old addresses, now that all posts are here, and end the import."""
    job, entries = ImportJob.get(lease.import_id), ImportedPost.snapshot_of(lease.import_id)
    form, others = job.format or "", (job.old_addresses or {}).get("others", [])
    parsed_posts = job.choices[PARSED_POSTS]
    go_on = partial(lease.go_on, at_least=5)
    images = _site_images(lease)
    with transaction():
        job = lease.row()
        stored, public_url = job.old_addresses or {}, lease.tools.config.public_url
        if job.choices["blog"] and TAKEN_OVER not in stored:  # else it was, before the process was killed
            site = job.choices.get("site") or ""
            taken = import_blog.take_over(stored, images, entries, site, lease.tools)
            job.old_addresses = stored = {**stored, TAKEN_OVER: in_order([*stored.get(LANGUAGE, ()), *taken])}
        manage.add_new(stored.get("redirects", []), public_url)
    addresses = import_addresses.report(form, lease.file(parsed_posts), entries, others, go_on)
    with transaction():
        job = lease.row()
        job.old_addresses = {**addresses, TAKEN_OVER: stored.get(TAKEN_OVER, [])}
        job.left_out = [*job.left_out, *lost_images.rows(stored.get(LOST, ()), job.id)]
        job.move_to("finished", lease.tools.now())
    remove_files(lease.import_id, lease.tools.config)


def _site_images(lease: ImportLease) -> import_blog.SiteImages:
    """Add the icon and the logos to the media library, if they are wanted."""
    job = ImportJob.get(lease.import_id)
    stored, choices = job.old_addresses or {}, dict(job.choices)
    if not choices["blog"] or TAKEN_OVER in stored:
        return import_blog.SiteImages()
    with ExitStack() as open_files:
        source = _Source(lease, choices[PARSED_POSTS], open_files)
        context = ImportContext(lease.import_id, choices, lease.tools, lease.go_on)
        return import_blog.fetch_images(stored, context, source.archive)


def _prepared(lease: ImportLease, beside: Executor) -> Iterator[_Prepared]:
    """Yield the next posts, until they are enough for a transaction."""
    began, characters = monotonic(), 0
    job = ImportJob.get(lease.import_id)
    entries = ImportedPost.next_of(lease.import_id, BATCH_SIZE)
    imported = known_sources([entry.source for entry in entries])
    sources: set[str] = set()
    with ExitStack() as open_files:
        source = _Source(lease, job.choices[PARSED_POSTS], open_files)
        for entry in entries:
            is_enough = monotonic() - began > BATCH_SECONDS or characters > BATCH_CHARACTERS
            if sources and (is_enough or entry.source in sources):  # the first one of two must be made before
                return
            sources.add(entry.source)
            lease.go_on(at_least=5)
            ready = _prepare(entry, job, imported, source, beside)
            characters += len(ready.text)
            yield ready


class _Source:
    """The parsed posts and the images of an import's file, which is opened when the first of them is needed."""

    def __init__(self, lease: ImportLease, parsed_posts: str, open_files: ExitStack) -> None:
        self.lease, self._open_files = lease, open_files
        self._posts = open_files.enter_context(lease.file(parsed_posts).open("rb"))
        self._archive: Archive | None = None
        self._is_open = False

    def post(self, place: int, length: int) -> ParsedPost:
        self._posts.seek(place)
        return ParsedPost.of_json(json.loads(self._posts.read(length)))

    def archive(self) -> Archive | None:
        if not self._is_open:
            max_bytes = self.lease.tools.config.import_unpacked_mib * MIB
            self._archive = self._open_files.enter_context(image_archive(self.lease.file(), max_bytes))
            self._is_open = True
        return self._archive


def _prepare(
    entry: ImportedPost, job: ImportJob, imported: dict[str, str], source: _Source, beside: Executor
) -> _Prepared:
    """Do what takes long for a post: images, and rendering in a thread `beside` this one.

    Raises LeaseLost, or the error of a database that is busy or away.
    """
    lease, number = source.lease, entry.id
    if (reason := _reason_to_skip(entry, job, imported)) is not None:
        return _Prepared(number, state="skipped", detail=reason)
    choices, place, length = dict(job.choices), entry.place, entry.length
    db.session.rollback()
    try:
        site, post, notes = choices.get("site") or "", source.post(place, length), list[str]()
        if not post.is_ours:
            post, notes = settled(post, site)
        context = ImportContext(lease.import_id, choices, lease.tools, lease.go_on)
        context.take_in(post, source.archive)
        text = applied(post.markdown, context)
        if not post.is_ours:
            text = without_placeholder(with_links_home(text, lease.import_id, post, choices, notes), site)
        cover = context.cover_of(post)
        post = replace(post, overrides=with_own_texts(post.overrides, partial(applied, luggage=context)))
        prepare(post, text, choices, beside)
    except LeaseLost:
        raise
    except Exception as error:
        if as_busy(error) is not None:  # the import goes on when the database is back
            raise
        return _failed(number, error, lease)
    return _Prepared(number, post, text, cover, [*notes, *context.notes])


def _failed(number: int, error: Exception, lease: ImportLease) -> _Prepared:
    if isinstance(error, Invalid):
        return _Prepared(number, state="failed", detail=f"It could not be imported. {error}")
    log.error("a post of the import %s could not be brought in", lease.import_id, exc_info=error)
    return _Prepared(number, state="failed", detail="It could not be imported. See the server log.")


def _reason_to_skip(entry: ImportedPost, job: ImportJob, imported: dict[str, str]) -> str | None:
    if is_here(entry.source, imported):
        return "It was already imported."
    if import_slugs.is_unwanted_draft(entry.status, job.choices):
        return "It is a draft."
    existing_slug = db.session.get(PostSlug, entry.slug)
    if existing_slug is None or job.choices.get("taken") == "rename" or _is_from_import(job.id, existing_slug.post_id):
        return None
    return f"Another post already has the address “{entry.slug}”."


def _is_from_import(import_id: str, post_id: str) -> bool:
    """Return True if the post was imported from the same file: two posts of one name there are not duplicates."""
    query = select(ImportedPost.id).where(ImportedPost.import_id == import_id, ImportedPost.post_id == post_id)
    return db.session.scalar(query.limit(1)) is not None


def _import_post(ready: _Prepared, job: ImportJob, lease: ImportLease) -> bool:
    """Create a post and close its entry, or close it with the reason why there is none.

    Returns True if readers see the post on this blog.
    """
    entry, is_live = db.session.get(ImportedPost, ready.number), False
    if entry is None or entry.state != "waiting":
        return is_live
    if (parsed := ready.parsed) is not None:
        try:
            with savepoint():
                named = replace(parsed, slug=import_slugs.slug_of(entry.id, entry.slug, job.choices))
                post = make(named, ready.text, ready.cover, job, lease.tools.now(), ready.notes)
        except Exception as error:
            if as_busy(error) is not None:
                raise
            ready = _failed(ready.number, error, lease)
        else:
            is_live = post.is_live
            if post.slug != parsed.slug:
                ready.notes.append(f"Its address, {parsed.slug}, is already in use. The new address is {post.slug}.")
            planned = [note for note in entry.warnings if post.state != "scheduled" or not is_schedule_note(note)]
            entry.post_id, entry.warnings = post.id, [*planned, *ready.notes]
            if entry.status == "scheduled":
                entry.status = post.state
    entry.close(ready.state, ready.detail)
    return is_live
