"""Import one post: add its images, then create it with its original dates."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count, islice
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from sqlalchemy import func, select

from blogsvc.connections.aliases import by_stored_name
from blogsvc.connections.by_hand import names_to_store
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.context import Tools
from blogsvc.errors import Invalid
from blogsvc.lib import blog_paths
from blogsvc.lib.images import MAX_IMAGE_BYTES
from blogsvc.lib.markdown import image_links
from blogsvc.lib.net.http import AddressRefused, HttpError, ResponseTooLarge
from blogsvc.lib.text.plain import excerpt
from blogsvc.lib.text.slug_letters import MAX_SLUG_LENGTH, is_slug
from blogsvc.media import images
from blogsvc.models import SITE, Delivery, Media, Post, PostSlug, db, record, transaction
from blogsvc.models.import_job import ImportedImage, ImportedPost, ImportJob
from blogsvc.models.revision import rendered
from blogsvc.posts import editing, rules, series
from blogsvc.posts.slugs import RESERVED
from blogsvc.transfer import import_addresses
from blogsvc.transfer.fitted_post import schedule_passed
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.ghost import PLACEHOLDER
from blogsvc.transfer.formats.parsed_post import ParsedPost, UnreadableFile, counted, is_web
from blogsvc.transfer.import_authors import import_authors

# After this many failures, no more images are fetched from a host.
IMAGE_ATTEMPTS = 3
MAX_NOTES = 10
MAX_IMAGES_OF_POST = 1000  # each is looked for in the text
MAX_FEED_ID_LENGTH = 500
MAX_FORMER_LENGTH = 400  # decomposed; normalization takes quadratic time
_FORMER = re.compile(r"[^\W_](?:[\w.-]{0,98}[\w-])?")


@dataclass
class ImportContext:
    """Imports the images of one post. `links` maps their URLs in the text to the new ones; `notes` lists problems."""

    import_id: str
    choices: Mapping[str, Any]
    tools: Tools
    # Called before slow steps: extends the lease, or raises LeaseLost.
    go_on: Callable[[], None]
    links: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def take_in(self, post: ParsedPost, archive: Callable[[], Archive | None]) -> None:
        """Add the images of a post. `archive` opens the zip that has them."""
        missed: list[str] = []
        image_files = post.images if self.choices.get("images", True) else ()
        if len(image_files) > MAX_IMAGES_OF_POST:
            self.notes.append(f"It has {len(image_files)} images; the first {MAX_IMAGES_OF_POST} were imported.")
        for address, file in image_files[:MAX_IMAGES_OF_POST]:
            self.go_on()
            try:
                self.links[address] = self._media_path(address, file, alt_of(post, address), archive)
            except (UnreadableFile, Invalid) as error:
                missed.append(f"{address.removeprefix(PLACEHOLDER)[:200]}: {error}")
        if missed:
            self.notes.append(f"{counted(len(missed), 'image was', 'images were')} not imported:")
            self.notes += missed[:MAX_NOTES]

    def address_of(self, address: str) -> str:
        """Return the new URL of an image, or the old one if it was not imported."""
        if address in self.links:
            return self.links[address]
        return absolute_url(address, self.choices) if address.startswith(PLACEHOLDER) else address

    def cover_of(self, post: ParsedPost) -> str | None:
        """Return the full URL of the cover image."""
        if not post.cover:
            return None
        address = self.address_of(post.cover)
        if address.startswith("/media/"):
            return self.tools.config.public_url + address
        address = absolute_url(address, self.choices)
        if is_web(address):
            return address[:2000]
        self.notes.append("The cover image could not be downloaded, and was removed.")
        return None

    def _media_path(self, address: str, file: str, alt: str, archive: Callable[[], Archive | None]) -> str:
        """Return the image's path in the media library. Raises UnreadableFile or Invalid if it can't be imported."""
        url, key = absolute_url(address, self.choices), image_key(address, file, self.choices)
        known = db.session.get(ImportedImage, (self.import_id, key))
        media = db.session.get(Media, known.media_id) if known else None
        if media is not None:
            return media.path
        self._require_room()
        if file and (zipped := archive()) is not None:
            data, name = zipped.read(file, MAX_IMAGE_BYTES), file
        else:
            data, name = self._fetch(url), unquote(urlsplit(url).path)
        self.go_on()
        media = images.add(data, name, alt, self.tools, along=lambda media: self._remember(key, media))
        return media.path

    def _require_room(self) -> None:
        query = select(func.count()).where(ImportedImage.import_id == self.import_id)
        limit = self.tools.config.import_images
        if (db.session.scalar(query) or 0) >= limit:
            raise UnreadableFile(f"an import can have at most {limit} images.")

    def _remember(self, key: str, media: Media) -> None:
        db.session.flush()
        db.session.merge(ImportedImage(import_id=self.import_id, key=key, media_id=media.id))

    def _fetch(self, url: str) -> bytes:
        if not is_web(url):
            raise UnreadableFile("it is not in the file, and its URL is relative. Enter the URL of the old blog.")
        host = urlsplit(url).hostname or ""
        failures = ImportJob.get(self.import_id).failures.get(host, 0)
        db.session.rollback()
        if failures >= IMAGE_ATTEMPTS:
            raise UnreadableFile(f"{host} did not respond several times, so no more images were requested from it.")
        try:
            answer = self.tools.http.request(
                "GET", url, headers={"Accept": "image/*"}, max_bytes=MAX_IMAGE_BYTES, redirects=3
            )
        except (ResponseTooLarge, AddressRefused) as error:
            raise UnreadableFile(str(error)) from error
        except HttpError as error:
            self._note_failure(host)
            raise UnreadableFile(str(error)) from error
        if answer.status != 200 or not answer.body:
            raise UnreadableFile(f"{host} answered {answer.status}.")
        return answer.body

    def _note_failure(self, host: str) -> None:
        with transaction():
            job = ImportJob.get(self.import_id)
            job.failures = {**job.failures, host: job.failures.get(host, 0) + 1}


def absolute_url(address: str, choices: Mapping[str, Any]) -> str:
    """Make a URL absolute, if the address of the old blog is known."""
    site = choices.get("site") or ""
    if address.startswith(PLACEHOLDER):
        return site + address.removeprefix(PLACEHOLDER)
    if address.startswith("//"):
        return f"https:{address}"
    return site + address if address.startswith("/") and site else address


def image_key(address: str, file: str, choices: Mapping[str, Any]) -> str:
    """Return the key of an image among those of its import."""
    return hashlib.sha256((file or absolute_url(address, choices)).encode()).hexdigest()


def _imported_images(parsed: ParsedPost, import_: ImportJob) -> dict[str, str]:
    """Return the ids of the imported images of a post, by their URLs in the text of the file."""
    keys = {address: image_key(address, file, import_.choices) for address, file in parsed.images}
    query = select(ImportedImage).where(ImportedImage.import_id == import_.id, ImportedImage.key.in_(keys.values()))
    media_ids = {row.key: row.media_id for row in db.session.scalars(query)} if keys else {}
    return {address: media_ids[key] for address, key in keys.items() if key in media_ids}


def alt_of(post: ParsedPost, address: str) -> str:
    """Return the alt text of an image in the library of the old blog, in the Markdown text, or of the cover."""
    if address in (known := dict(post.image_alts)):
        return known[address]
    match = re.search(rf"!\[((?:\\.|[^\[\]\\]){{0,1000}})\]\(\s*<?{re.escape(address)}", post.markdown)
    alt = re.sub(r"\\(.)", r"\1", match[1]) if match else ""
    return alt or (post.cover_alt if address == post.cover else "")


def make(parsed: ParsedPost, text: str, cover: str | None, import_: ImportJob, now: datetime, notes: list[str]) -> Post:
    """Create the post inside the caller's transaction. A published post goes live on this blog with its old date.

    Adds to `notes` what users should know. Call `prepare` first, so that nothing slow runs inside the transaction, and
    `site_changed` in the transaction if the post is live. Raises Invalid if a field breaks a rule.
    """
    made_at = parsed.created_at or parsed.published_at or now
    fields = {
        "title": parsed.title,
        "content": text,
        "summary": parsed.summary,
        "slug": vacant(parsed.slug),
        "canonical_url": parsed.canonical_url,
        "cover_image": cover,
        "cover_alt": parsed.cover_alt if cover else "",
        "cover_caption": parsed.cover_caption if cover else "",
        "kind": parsed.kind,
        "is_pinned": parsed.is_pinned,
        "is_unlisted": parsed.is_unlisted,
        "meta_title": parsed.meta_title,
        "series": series.called(parsed.series, now).slug if parsed.series else None,
        "series_part": parsed.series_part,
        "language": parsed.language,
        "tags": list(parsed.tags),
        "overrides": by_stored_name(parsed.overrides),
    }
    media_ids = _imported_images(parsed, import_)
    authors = import_authors(parsed.authors, media_ids, now)
    fields["authors"] = [author.slug for author in authors][: rules.MAX_AUTHORS]
    rules.check_fields(fields)
    is_live = parsed.status == "published"
    published_at = parsed.published_at or made_at
    post = Post.write(
        fields,
        [SITE] if is_live else _destinations(parsed, notes, now),
        made_at,
        "published" if is_live else "saved",
        author_id=import_.user_id,
        updated_at=max(made_at, parsed.updated_at or made_at, published_at if is_live else made_at),
        post_id=_own_id(parsed),
    )
    post.dated_at = None if is_live else parsed.published_at
    post.feed_id = parsed.feed_id if parsed.feed_id and len(parsed.feed_id) <= MAX_FEED_ID_LENGTH else None
    if is_live:
        _make_live(post, parsed, published_at)
    elif parsed.scheduled_at and import_.choices.get("schedule"):
        _schedule(post, parsed.scheduled_at, now, notes)
    import_addresses.keep_for(post, parsed, media_ids, authors)
    record("post.imported", now, post_id=post.id, source=import_.filename)
    return post


def _destinations(parsed: ParsedPost, notes: list[str], now: datetime) -> list[str]:
    """Return the destinations of a draft that are known here, or else those of a new post.

    One without an account waits for it.
    """
    destinations: list[str] = []
    known = KnownDestinations()
    for name in islice(dict.fromkeys(names_to_store(list(parsed.platforms), now)), rules.MAX_PLATFORMS):
        if known.is_known(name):
            destinations.append(name)
        else:
            notes.append(f"Its destination {excerpt(name, 64)!r} is unknown here, and was removed.")
    return destinations or editing.destinations_of_new_post(now, parsed.kind)


def _own_id(parsed: ParsedPost) -> str | None:
    """Return the id of a post exported from blogsvc, which feeds use; None if it is taken or not ours."""
    kind, _, post_id = parsed.source.partition(":")
    is_ours = (
        kind == "blogsvc" and re.fullmatch(r"post_[0-9a-z]{26}", post_id) and db.session.get(Post, post_id) is None
    )
    return post_id if is_ours else None


def _make_live(post: Post, parsed: ParsedPost, at: datetime) -> None:
    """Set the state that publishing would have left. Sends nothing; feeds show an old post."""
    post.published_at = at
    _held = post.pin("published", post.updated_at)  # so that it is not loaded again
    with db.session.no_autoflush:  # each row is written once
        post.enter_site(Delivery.to(post, SITE, None, at), at)
        post.state = "published"
        _redirect_former_urls(parsed.addresses, post)


def _schedule(post: Post, at: datetime, now: datetime, notes: list[str]) -> None:
    """Schedule a post for its old time, without an event. It stays a draft, with a note, if that is not possible."""
    if at <= now:
        notes.append(schedule_passed(at))
        return
    try:
        post.require_publishable("scheduled")
        rules.check_time(at, now)
    except Invalid as error:
        notes.append(f"It was not scheduled. {error}")
        return
    post.schedule(at, now)


def _redirect_former_urls(addresses: Iterable[str], post: Post) -> None:
    """Redirect the last path segments of old URLs to this post, if they are free."""
    last = (unquote(urlsplit(address).path).rstrip("/").rpartition("/")[2] for address in addresses)
    slugs = {
        slug
        for slug in (normalize("NFC", one) for one in last if len(one) <= MAX_FORMER_LENGTH)
        if _is_former_slug(slug)
    }
    free = sorted(slugs - PostSlug.taken(slugs))
    db.session.add_all(PostSlug(slug=slug, post_id=post.id, was_shown=True) for slug in free)


def _is_former_slug(slug: str) -> bool:
    is_valid = _FORMER.fullmatch(slug) or (is_slug(slug) and len(slug) <= MAX_SLUG_LENGTH)
    return bool(is_valid) and slug not in RESERVED


def prepare(parsed: ParsedPost, text: str, choices: Mapping[str, Any]) -> None:
    """Render a post that will be live or scheduled, so that the result is cached."""
    if parsed.status == "published" or (parsed.scheduled_at and choices.get("schedule")):
        rendered(text)


def vacant(slug: str) -> str:
    """Return the slug, with a number if it is taken."""
    tries = (slug if number == 1 else f"{slug[: MAX_SLUG_LENGTH - 6].rstrip('-')}-{number}" for number in count(1))
    return next(one for one in tries if one not in RESERVED and db.session.get(PostSlug, one) is None)


def with_links_home(text: str, import_id: str) -> str:
    """Replace links to posts of the same import by links to the imported posts."""
    links = set(re.findall(r"\]\((https?://[^\s()]{1,500})\)", text))
    if not links:
        return text
    urls = {plain_address(url): url for url in links}
    query = select(ImportedPost).where(ImportedPost.import_id == import_id, ImportedPost.address.in_(list(urls)))
    homes = {entry.address: _slug_of(entry) for entry in db.session.scalars(query)}

    def with_new_target(link: re.Match[str]) -> str:
        slug = homes.get(plain_address(link[1]))
        fragment = urlsplit(link[1]).fragment
        return f"]({blog_paths.of_post(slug)}{'#' + fragment if fragment else ''})" if slug else link[0]

    return re.sub(r"\]\((https?://[^\s()]{1,500})\)", with_new_target, text)


def _slug_of(entry: ImportedPost) -> str:
    post = db.session.get(Post, entry.post_id) if entry.post_id else None
    return post.slug if post is not None else entry.slug


def is_post_url(url: str) -> bool:
    """Return True for a full URL whose path names a post. A query alone, as in "/?p=13", does not."""
    return is_web(url) and not urlsplit(url).query


def plain_address(url: str) -> str:
    """Return a URL without scheme, "www.", query and trailing slash."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{(parts.hostname or '').removeprefix('www.')}{parts.path.rstrip('/')}"[:500]


def applied(text: str, luggage: ImportContext) -> str:
    """Return the text with the new URLs of its images."""
    return image_links.rewritten(text, luggage.address_of)
