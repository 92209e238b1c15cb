"""The Mastodon API: server limits, statuses, and how servers count characters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import regex

from blogsvc.connectors._kit.dates import iso_date
from blogsvc.connectors._kit.lookups import words_hash
from blogsvc.connectors._kit.paths import path_to
from blogsvc.connectors._kit.shortened import shortened
from blogsvc.connectors._kit.untrusted_json import at, whole
from blogsvc.connectors.base import (
    Article,
    Gone,
    HttpResponse,
    ImageFile,
    Receipt,
    Rejected,
    Unavailable,
    Uploads,
    web_url,
)
from blogsvc.lib.net import multipart
from blogsvc.lib.text.length import length_with_links
from blogsvc.lib.text.plain import links, plain

DEFAULT_MAX_CHARACTERS = 500
# Defaults for servers that do not state their limits.
DEFAULT_FACTS: Mapping[str, str | int] = {
    "server": "mastodon",
    "most": DEFAULT_MAX_CHARACTERS,
    "link_cost": 23,
    "alt_most": 1500,
    "image_most": 8 * 1024 * 1024,
    "image_types": "image/jpeg image/png image/gif image/webp",
}
WORKING_ON = 10.0  # seconds until an image that is being processed is checked again
_MENTION = regex.compile(r"(?<![\w/])(@\w+)@[\w.-]+\w")


def facts(instance: Any) -> dict[str, str | int]:
    """Return the server's software and limits, from either version of the instance endpoint."""
    numbers = {
        "most": number(instance, "configuration.statuses.max_characters", "max_toot_chars"),
        "link_cost": number(instance, "configuration.statuses.characters_reserved_per_url"),
        "alt_most": number(instance, "configuration.media_attachments.description_limit", "description_limit"),
        "image_most": number(instance, "configuration.media_attachments.image_size_limit"),
    }
    types = at(instance, "configuration.media_attachments.supported_mime_types")
    images = [one for one in types if str(one).startswith("image/")] if isinstance(types, list) else []
    known = {name: value for name, value in numbers.items() if value}
    return {"server": _software(instance), **known, **({"image_types": " ".join(images)} if images else {})}


def _software(instance: Any) -> str:
    """Return the server software.

    `2.7.2 (compatible; Pleroma 2.6.0)` is Pleroma. GoToSocial shows only in its source URL.
    """
    compatible = regex.search(r"compatible; (\w+)", str(at(instance, "version")))
    if compatible:
        return str(compatible[1]).lower()
    return "gotosocial" if "gotosocial" in str(at(instance, "source_url")).lower() else "mastodon"


def handle(name: str, url: str) -> str:
    return f"@{name}" if "@" in name else f"@{name}@{urlsplit(url).hostname or ''}".rstrip("@")


def counted(text: str, link_cost: int) -> int:
    """Return the length in graphemes. Each link counts the same, and the server in a mention does not count."""
    return length_with_links(_MENTION.sub(r"\1", text), "graphemes", link_cost)


def words_hash_of(text: str) -> str:
    """Return a hash of the words of a status, equal as sent and as shown: servers shorten mentions to the name."""
    return words_hash(_MENTION.sub(r"\1", text))


def shown_text(status: Any) -> str:
    return plain(str(at(status, "content") or ""))


def links_to(status: Any, link: str) -> bool:
    """Return True if a status links to this URL, in its text or card."""
    if not isinstance(status, dict) or not status.get("id"):
        return False
    leads = [*links(str(status.get("content") or "")), at(status, "card.url")]
    return link.rstrip("/") in [str(one).rstrip("/") for one in leads]


def made_at(status: Any) -> datetime | None:
    return iso_date(at(status, "created_at"))


def attached(status: Any) -> tuple[str, ...]:
    """Return the ids of the images of a status."""
    images = at(status, "media_attachments")
    return tuple(str(at(one, "id")) for one in images) if isinstance(images, list) else ()


def receipt(status: dict[str, Any]) -> Receipt:
    version = status.get("edited_at") or status.get("created_at")
    return Receipt(
        str(status["id"]),
        web_url(status.get("url")) or web_url(status.get("uri")),
        version[:100] if isinstance(version, str) else None,
    )


def image(article: Article, alt_most: int) -> tuple[dict[str, str] | None, tuple[str, ...]]:
    """Return the cover or first image with its alt text, and warnings."""
    url = article.cover_url or next((image.url for image in article.images), None)
    if not url:
        return None, ("The post has no image to attach. The link card is shown instead.",)
    alts = {image.url: image.alt for image in reversed(article.images)}
    written = article.cover_alt if url == article.cover_url else alts[url]
    alt, warnings = shortened(written, alt_most, "graphemes", "The alt text of the image")
    if not written:
        warnings = ("The image has no alt text. Add a description for people who can't see it.",)
    return {"url": url, "alt": alt}, warnings


def number(value: Any, *paths: str) -> int | None:
    found = (whole(at(value, path)) for path in paths)
    return next((one for one in found if one is not None), None)


@dataclass
class MediaUploads:
    """Uploads the image of a status before the status.

    An image can be in one status only. So a retry of the same `operation` uses an upload again, which may still be
    processed, but another operation does not.
    """

    label: str
    call: Callable[..., HttpResponse]
    uploads: Uploads
    operation: str

    def put(self, image: ImageFile, alt: str, attached: tuple[str, ...] = ()) -> str | None:
        """Return the id of the image once it is ready, None if the server cannot use it."""
        operation, _, id = (self.uploads.find(image) or "").partition(" ")
        if id in attached:
            return id
        state = self._media_state(id) if operation == self.operation else "gone"
        if state == "gone":
            id, state = self._upload(image, alt)
        if state == "working":
            raise Unavailable(f"{self.label} is still processing the image.", WORKING_ON)
        return id if state == "ready" else None

    def _media_state(self, id: str) -> str:
        try:
            return "working" if self.call("GET", path_to("api/v1/media", id)).status == 206 else "ready"
        except Gone:  # attached to a status by now, or deleted
            return "gone"
        except Rejected:
            return "unusable"

    def _upload(self, image: ImageFile, alt: str) -> tuple[str, str]:
        about = {"description": alt} if alt else {}
        form, kind = multipart.encode("file", image.name, image.media_type, image.data, about)
        headers = {"Content-Type": kind}
        try:
            answer = self.call("POST", "api/v2/media", content=form, headers=headers, safe=True, need="id")
        except (Rejected, Gone):  # a file that the server cannot use, or a server without uploads
            return "", "unusable"
        id = str(answer.json()["id"])
        self.uploads.add(image, f"{self.operation} {id}")
        return id, "working" if answer.status == 202 else "ready"
