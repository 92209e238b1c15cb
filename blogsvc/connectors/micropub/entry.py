"""Micropub entries: convert articles to them, and read those of a server. Each property is a list of values."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any
from urllib.parse import urlsplit

from blogsvc.connectors._kit import portable
from blogsvc.connectors._kit.dates import iso_date
from blogsvc.connectors._kit.image_uploads import relinked
from blogsvc.connectors._kit.images import relink
from blogsvc.connectors._kit.lookups import chosen_at, is_made_since, reaches_back, words_hash
from blogsvc.connectors.base import Article, Keys, dumps
from blogsvc.connectors.micropub.discovery import address
from blogsvc.lib.text.plain import plain, written_text

Properties = dict[str, list[Any]]
# The properties that an update replaces or deletes; the URL and the date stay.
CHANGED = ("name", "content", "summary", "category", "featured", "photo", "post-status")
OPTIONAL = ("featured", "post-status")  # not every server stores them
FORMATS = ("html", "markdown")
# What servers understand when a text is not HTML. They don't agree on anything else.
SUPPORTED_MARKDOWN: tuple[portable.Part, ...] = ("html", "tables", "strikethrough")


def properties_of(article: Article, status: str, text: portable.TextForm, is_html: bool) -> Properties:
    """Return the properties of an article with its text, which is HTML or, as a plain string, Markdown.

    The cover is `featured`, because an entry with `photo` counts as a photo, not as an article.
    """
    every: Properties = {
        "name": [article.title],
        "content": [{"html": text.text} if is_html else text.text],
        "summary": [article.summary] if article.summary else [],
        "category": list(article.tags),
        "featured": _cover(article),
        "published": [moment(article)] if article.published_at else [],
        "mp-slug": [article.slug] if article.slug else [],
        "post-status": [status],
    }
    return {name: values for name, values in every.items() if values}


def moment(article: Article) -> str:
    published = article.published_at
    return published.astimezone(UTC).isoformat().replace("+00:00", "Z") if published else ""


def text_of(article: Article, is_html: bool, label: str) -> portable.TextForm:
    """Return the text in one of the formats, with the original's URL, because no property exists for it."""
    if is_html:
        warnings = portable.html_warnings(article.html, label)
        return portable.TextForm(portable.html(article.html).strip() + _original_link(article), warnings)
    form = portable.markdown(article.markdown, SUPPORTED_MARKDOWN, label)
    return portable.TextForm(form.text.strip() + _original_link_in_markdown(article), form.warnings)


def with_links(properties: Mapping[str, Any], links: Mapping[str, str]) -> Properties:
    """Return the properties with the new image URLs."""
    (text,) = properties["content"]
    is_html = isinstance(text, dict)
    moved: Properties = {
        **properties,
        "content": [{"html": relinked(text["html"], links)} if is_html else relink(text, links)],
    }
    if "featured" in properties:
        moved["featured"] = [_with_new_url(cover, links) for cover in properties["featured"]]
    return moved


@dataclass(frozen=True)
class MicropubEntry:
    """An entry from a server."""

    properties: Mapping[str, Any]

    @property
    def version(self) -> str:
        """Return a hash of the properties that we write; servers add others, such as likes."""
        written = {name: self.properties.get(name) for name in CHANGED if name != "featured" or name in self.properties}
        text = self._text()
        if isinstance(text, dict) and "html" in text:  # without the plain text that servers derive from it
            written["content"] = [{"html": text["html"]}]
        return hashlib.sha256(dumps(written)).hexdigest()

    @property
    def is_deleted(self) -> bool:
        return bool(self.properties.get("deleted"))

    @property
    def status(self) -> str | None:
        """Return the status, such as `published`; None on sites that store none."""
        found = next(self._values("post-status"), None)
        return found if isinstance(found, str) else None

    @property
    def url(self) -> str | None:
        return next(filter(None, (address("", value) for value in self._values("url"))), None)

    @property
    def published(self) -> datetime | None:
        """Return the date, in UTC if the server names no time zone."""
        return iso_date(next(self._values("published"), None))

    def has(self, properties: Mapping[str, Any]) -> bool:
        """Return True if the entry has all that we want to write, in the forms in which servers return it."""
        returned = [name for name in CHANGED if name not in OPTIONAL or name in self.properties]
        return self._has_text(properties["content"][0]) and all(
            self.properties.get(name, []) == properties.get(name, []) for name in returned if name != "content"
        )

    def is_made_with(self, keys: Keys) -> bool:
        """Return True if this is the copy with these keys: an entry with our date, title, text, and link or slug.

        Sites that set the date themselves show a new one. An attempt may be much later than the date that it sends.
        """
        is_same = self._links_to(keys["home"]) if keys.get("home") else self._is_named(keys)
        is_dated = self._has_date(keys) or is_made_since(self.published, keys)
        return is_same and self._is_titled(keys) and self._has_words(keys) and is_dated

    def can_be_created_with(self, keys: Keys) -> bool:
        """Return True if this may be the copy with these keys, on a site that changes what it receives."""
        return self._is_titled(keys) or (bool(keys.get("home")) and self._links_to(keys["home"]))

    def _has_text(self, content: Any) -> bool:
        """Return True if the text is ours. Servers return HTML with its plain text, Markdown with its HTML."""
        text = self._text()
        if isinstance(content, dict):
            return isinstance(text, dict) and text.get("html") == content["html"]
        return content in (text.values() if isinstance(text, dict) else (text,))

    def _text(self) -> Any:
        """Return the first value of the content: HTML and other forms in an object, or a plain string."""
        values = self.properties.get("content")
        return values[0] if isinstance(values, list) and values else values

    def _has_words(self, keys: Keys) -> bool:
        """Return True if one form of the text has the words that were sent. Sites change tags and links to images."""
        text = self._text()
        forms = text if isinstance(text, dict) else {"value": text}
        words = (plain(str(value)) if name == "html" else written_text(str(value)) for name, value in forms.items())
        return any(words_hash(one) == keys.get("words") for one in words)

    def _links_to(self, home: str) -> bool:
        content = dumps(self.properties.get("content")).decode()
        return any(re.search(re.escape(form) + r"(?![\w/-])", content) for form in (home, escape(home)))

    def _has_date(self, keys: Keys) -> bool:
        """Return True if the entry has the date that was sent. Sites leave fractions of seconds out."""
        sent, there = iso_date(keys.get("published")), self.published
        return sent is not None and there is not None and int(sent.timestamp()) == int(there.timestamp())

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


def _original_link_in_markdown(article: Article) -> str:
    if not article.canonical_url:
        return ""
    return f"\n\n*Originally published at [{urlsplit(article.canonical_url).netloc}](<{article.canonical_url}>).*"


def _cover(article: Article) -> list[Any]:
    """Return the cover, with its alt text if there is one."""
    if not article.cover_url:
        return []
    alt = article.cover_alt
    return [{"value": article.cover_url, "alt": alt} if alt else article.cover_url]


def _with_new_url(cover: Any, links: Mapping[str, str]) -> Any:
    if isinstance(cover, dict):
        return {**cover, "value": links.get(cover["value"], cover["value"])}
    return links.get(cover, cover)


def has_properties(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("properties"), dict)


def is_complete(entries: Sequence[MicropubEntry], keys: Keys) -> bool:
    """Return True if the list reaches back to the copy, which has our date or, on some sites, that of its creation."""
    dates = filter(None, (iso_date(keys.get("published")), chosen_at(keys)))
    return not entries or reaches_back([entry.published for entry in entries], min(dates, default=None))
