"""Micropub entries: convert articles to them, and read those of a server. Each property is a list of values."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any
from urllib.parse import urlsplit

from blogsvc.connectors._kit import portable
from blogsvc.connectors._kit.dates import iso_date
from blogsvc.connectors._kit.image_uploads import relinked
from blogsvc.connectors.base import Article, Keys, dumps
from blogsvc.connectors.micropub.discovery import address

Properties = dict[str, list[Any]]
# The properties that an update replaces or deletes; the URL and the date stay.
CHANGED = ("name", "content", "summary", "category", "photo", "post-status")


def properties_of(article: Article, status: str) -> Properties:
    """Return the properties of an article. The text contains the original's URL, because no property exists for it."""
    every: Properties = {
        "name": [article.title],
        "content": [{"html": portable.html(article.html).strip() + _original_link(article)}],
        "summary": [article.summary] if article.summary else [],
        "category": list(article.tags),
        "photo": _photo(article),
        "published": [moment(article)] if article.published_at else [],
        "mp-slug": [article.slug] if article.slug else [],
        "post-status": [status],
    }
    return {name: values for name, values in every.items() if values}


def moment(article: Article) -> str:
    published = article.published_at
    return published.astimezone(UTC).isoformat().replace("+00:00", "Z") if published else ""


def with_links(properties: Mapping[str, Any], links: Mapping[str, str]) -> Properties:
    """Return the properties with the new image URLs."""
    html = relinked(properties["content"][0]["html"], links)
    moved: Properties = {**properties, "content": [{"html": html}]}
    if "photo" in properties:
        moved["photo"] = [_with_new_url(photo, links) for photo in properties["photo"]]
    return moved


@dataclass(frozen=True)
class MicropubEntry:
    """An entry from a server."""

    properties: Mapping[str, Any]

    @property
    def version(self) -> str:
        """Return a hash of the properties that we write; servers add others, such as likes."""
        return hashlib.sha256(dumps({name: self.properties.get(name) for name in CHANGED})).hexdigest()

    @property
    def is_deleted(self) -> bool:
        return bool(self.properties.get("deleted"))

    @property
    def url(self) -> str | None:
        return next(filter(None, (address("", value) for value in self._values("url"))), None)

    @property
    def published(self) -> datetime | None:
        """Return the date, in UTC if the server names no time zone."""
        return iso_date(next(self._values("published"), None))

    def has(self, wanted: Mapping[str, Any]) -> bool:
        returned = [name for name in CHANGED if name != "post-status" or name in self.properties]  # which is optional
        return all(self.properties.get(name, []) == wanted.get(name, []) for name in returned)

    def is_made_with(self, keys: Keys) -> bool:
        """Return True if this is the copy with these keys: it links to the original and has our title or slug."""
        if keys.get("home"):
            return self._links_to(keys["home"]) and (self._is_titled(keys) or self._is_named(keys))
        return self._is_titled(keys) and self._is_named(keys)

    def may_be_made_with(self, keys: Keys) -> bool:
        """Return True if this may be the copy with these keys, on a site that changes what it receives."""
        return self._is_titled(keys) or (bool(keys.get("home")) and self._links_to(keys["home"]))

    def _links_to(self, home: str) -> bool:
        content = dumps(self.properties.get("content")).decode()
        return any(re.search(re.escape(form) + r"(?![\w/-])", content) for form in (home, escape(home)))

    def _is_titled(self, keys: Keys) -> bool:
        return keys.get("title") in {*self._values("name")}

    def _is_named(self, keys: Keys) -> bool:
        return keys.get("slug") in {*self._values("mp-slug"), *self._values("slug")}

    def _values(self, name: str) -> Iterator[str]:
        values = self.properties.get(name)
        return (value for value in (values if isinstance(values, list) else [values]) if isinstance(value, str))


def _original_link(article: Article) -> str:
    if not article.canonical_url:
        return ""
    host = urlsplit(article.canonical_url).netloc
    return f'\n<p><em>Originally published at <a href="{escape(article.canonical_url)}">{escape(host)}</a>.</em></p>'


def _photo(article: Article) -> list[Any]:
    """Return the cover, with its alt text if there is one."""
    if not article.cover_url:
        return []
    alt = next((image.alt for image in article.images if image.url == article.cover_url), "")
    return [{"value": article.cover_url, "alt": alt} if alt else article.cover_url]


def _with_new_url(photo: Any, links: Mapping[str, str]) -> Any:
    if isinstance(photo, dict):
        return {**photo, "value": links.get(photo["value"], photo["value"])}
    return links.get(photo, photo)
