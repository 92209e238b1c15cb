"""Add the images of imported posts to the media library, each once."""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from sqlalchemy import func, select

from blogsvc.context import Tools
from blogsvc.errors import Invalid
from blogsvc.lib.images import MAX_IMAGE_BYTES
from blogsvc.lib.markdown import image_links
from blogsvc.lib.media_names import path_of
from blogsvc.lib.net.http import AddressRefused, HttpError, ResponseTooLarge
from blogsvc.media import images
from blogsvc.models import Media, db, transaction
from blogsvc.models.import_job import ImportedImage, ImportJob
from blogsvc.models.media import MAX_ALT_LENGTH, known
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.ghost.url import PLACEHOLDER
from blogsvc.transfer.formats.parsed_media import ParsedMedia
from blogsvc.transfer.formats.parsed_post import ParsedPost, UnreadableFile, counted, is_web
from blogsvc.transfer.lost_images import LostImage

# After this many failures, no more images are fetched from a host.
IMAGE_ATTEMPTS = 3
MAX_NOTES = 10
# Before the posts, so that a server that is about to stop waits no longer.
LIBRARY_SECONDS = 5.0
# The name of the images in `ImportJob.old_addresses` that a file lists apart from the posts, until they are added.
MEDIA = "media"
MAX_IMAGES_OF_POST = 1000  # each is looked for in the text


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
    # Why images were not imported, by their URLs in the text.
    missed: dict[str, str] = field(default_factory=dict)
    lost: list[LostImage] = field(default_factory=list)

    def take_in(self, post: ParsedPost, archive: Callable[[], Archive | None]) -> None:
        """Add the images of a post. `archive` opens the zip that has them."""
        missed: list[str] = []
        image_files = post.images if self.choices.get("images", True) else ()
        if len(image_files) > MAX_IMAGES_OF_POST:
            self.notes.append(f"It has {len(image_files)} images; the first {MAX_IMAGES_OF_POST} were imported.")
        alts = known_alts(post) if image_files else {}
        for address, file in image_files[:MAX_IMAGES_OF_POST]:
            self.go_on()
            try:
                there = self._address_here(address, file, alts.get(address, ""), archive)
                self.links[address] = there + (_after_path(address) if post.is_ours else "")
            except (UnreadableFile, Invalid) as error:
                self.missed[address] = str(error)
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

    def take_in_library(self, library: list[ParsedMedia], archive: Callable[[], Archive | None]) -> list[ParsedMedia]:
        """Add the images of an export of blogsvc, and note those that can't be imported (`lost`).

        Returns those that are left after `LIBRARY_SECONDS`.
        """
        began = monotonic()
        for number, one in enumerate(library if self.choices.get("images", True) else ()):
            self.go_on()
            file = "" if is_web(one.place) else one.place
            try:
                self._media(one.place, file, one, archive)
            except (UnreadableFile, Invalid) as error:
                key = image_key(one.place, file, self.choices)
                self.lost.append(LostImage.of(one.filename, one.place, str(error), key))
            if monotonic() - began > LIBRARY_SECONDS:
                return library[number + 1 :]
        return []

    def take_in_head(self, name: str, post: ParsedPost, archive: Callable[[], Archive | None]) -> None:
        """Add the only image of something that is no post, and note it under this name if it can't be imported."""
        self.take_in(post, archive)
        for address, _ in post.images:
            if reason := self.missed.get(address):
                self.lost.append(LostImage.of(name, address, reason))

    def _address_here(self, address: str, file: str, alt: str, archive: Callable[[], Archive | None]) -> str:
        """Return the path of an image in the media library: the same one if that is a path of the image here.

        Raises UnreadableFile or Invalid if it can't be imported.
        """
        media = self._media(address, file, ParsedMedia("", "", "", alt), archive)
        path = address.removesuffix(_after_path(address))
        return path if path in map(path_of, media.names) else media.path

    def _imported(self, key: str) -> Media | None:
        known = db.session.get(ImportedImage, (self.import_id, key))
        return db.session.get(Media, known.media_id) if known else None

    def _media(self, address: str, file: str, like: ParsedMedia, archive: Callable[[], Archive | None]) -> Media:
        """Return an image, which is added unless it is here. Raises UnreadableFile or Invalid if it can't be imported.

        Args:
            like: what the media library of the old blog had, as far as it is known.
        """
        key = image_key(address, file, self.choices)
        if (media := self._imported(key)) is not None:
            return media
        self._require_room()
        if like.key and (media := known([like.key]).get(like.key)) is not None:  # an image of this blog
            with transaction():
                self._remember(key, media)
            return media
        if file and not is_web(file) and (zipped := archive()) is not None:
            data, name = zipped.read(file, MAX_IMAGE_BYTES), file
        elif address.startswith("data:"):
            data, name = _in_text(address), "image"
        else:
            url = file if is_web(file) else absolute_url(address, self.choices)
            data, name = self._fetch(url), unquote(urlsplit(url).path)
        self.go_on()
        remember = partial(self._remember, key)
        alt = like.alt[:MAX_ALT_LENGTH]
        return images.add(data, like.filename or name, alt, self.tools, along=remember, key=like.key or None)

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


def _after_path(address: str) -> str:
    """Return the query and the fragment of an address."""
    found = re.search(r"[?#]", address)
    return address[found.start() :] if found and not address.startswith("data:") else ""


def _in_text(url: str) -> bytes:
    """Return the image that is written in its URL."""
    head, _, written = url.partition(",")
    data = unquote_to_bytes(written)
    try:
        return b64decode(data) if head.endswith(";base64") else data
    except ValueError as error:
        raise UnreadableFile("it is not written as Base64.") from error


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


def imported_images(parsed: ParsedPost, import_: ImportJob) -> dict[str, str]:
    """Return the ids of the imported images of a post, by their URLs in the text of the file."""
    keys = {address: image_key(address, file, import_.choices) for address, file in parsed.images}
    query = select(ImportedImage).where(ImportedImage.import_id == import_.id, ImportedImage.key.in_(keys.values()))
    media_ids = {row.key: row.media_id for row in db.session.scalars(query)} if keys else {}
    return {address: media_ids[key] for address, key in keys.items() if key in media_ids}


def known_alts(post: ParsedPost) -> dict[str, str]:
    """Return alt texts by the URLs of images: in the Markdown text, or of the cover."""
    cover = {post.cover: post.cover_alt} if post.cover else {}
    return cover | image_links.alts(post.markdown)


def applied(text: str, luggage: ImportContext) -> str:
    """Return the text with the new URLs of its images, also in links to them."""
    return image_links.rewritten(text, lambda address: luggage.links.get(address, address))
