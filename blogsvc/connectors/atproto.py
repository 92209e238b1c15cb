"""Long-form on the AT Protocol: the whole article as a site.standard.document, which several readers understand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from blogsvc.connectors._kit import portable
from blogsvc.connectors._kit.atproto_repository import AtprotoRepository
from blogsvc.connectors._kit.atproto_session import FIELDS
from blogsvc.connectors.base import (
    Account,
    Article,
    Field,
    Gone,
    Keys,
    Limit,
    Misconfigured,
    Payload,
    Receipt,
    Rejected,
    dumps,
)
from blogsvc.lib import atproto_tid
from blogsvc.lib.text import excerpt, plain
from blogsvc.lib.text_length import length, shorten
from blogsvc.lib.time import stamp

PUBLICATION = "site.standard.publication"
MOST_TITLE, MOST_DESCRIPTION, MOST_TAG = 500, 3000, 128  # graphemes
MAX_RECORD_BYTES = 140_000  # of a record: the PDS takes requests of 150 KiB
LEAST_TEXT = 500  # bytes that are worth sending
# What a reader of GFM has beyond CommonMark; those seen leave out HTML and footnotes.
SUPPORTED_MARKDOWN: tuple[portable.Part, ...] = ("tables", "tasks", "strikethrough")


@dataclass
class ATProto(AtprotoRepository):
    """Writes one site.standard.document per article, of the blog's one site.standard.publication."""

    key = "atproto"
    label = "AT Protocol"
    about = "Whole articles on the AT Protocol, for the apps that read standard.site."
    shelf = "networks"
    docs = "https://standard.site"
    checked_on = "2026-11-20"
    kind = "article"
    accepts = "markdown"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "canonical_url"})
    shows = (("record.title", "title"), ("record.content.text.markdown", "markdown"))
    caveats = ("How soon a changed or deleted article shows as such is up to each app that reads it.",)
    limits = (Limit("title", MOST_TITLE, "graphemes"), Limit("text", MAX_RECORD_BYTES, "bytes"))
    fields = (
        *FIELDS[:2],
        Field("blog_url", "Address of the blog", help="Where its posts are read, for example https://blog.example.org"),
        Field("blog_name", "Name of the blog", help="As readers there see it"),
        FIELDS[2],
    )
    collection = "site.standard.document"

    def verify(self) -> Account:
        """Writes the publication, too: the blog proves itself with its address."""
        self._home_page()
        account = super().verify()
        self._publish_blog()
        return replace(account, facts={**account.facts, "publication": self._publication})

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        text = portable.markdown(article.markdown, SUPPORTED_MARKDOWN, self.label)
        description = shorten(article.summary.strip(), MOST_DESCRIPTION, "graphemes")
        record = {
            "$type": self.collection,
            "title": _title(article),
            "path": self._path(article.canonical_url),
            "description": description,
            "tags": [tag for tag in article.tags if length(tag, "graphemes") <= MOST_TAG],
            "publishedAt": stamp(article.published_at) if article.published_at else None,
            "updatedAt": stamp(article.updated_at) if article.updated_at else None,
        }
        whole, warnings = _with_text({name: one for name, one in record.items() if one}, article, text.text)
        picture = article.cover_url or next((picture.url for picture in article.pictures), None)
        body = {"record": whole, "home": article.canonical_url, "picture": picture}
        return Payload(body, (*text.warnings, *warnings))

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        self._publish_blog()
        return self.receipt(self.put(keys["rkey"], self._record(payload, keys)))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        return self.change(keys["rkey"], self._record(payload, keys), receipt.version)

    def page(self, uri: str) -> str | None:
        """The record as it is: which apps show it as an article, and where, is theirs to say."""
        return f"https://pdsls.dev/{uri}"

    def _record(self, payload: Payload, keys: Keys) -> dict[str, Any]:
        record = {
            "publishedAt": stamp(atproto_tid.moment(keys["rkey"])),
            **payload.body["record"],
            "site": self._site(payload.body["home"]),
        }
        cover = self.blob(payload.body["picture"])
        return {**record, "coverImage": cover} if cover else record

    def _home_page(self) -> str:
        address = self.settings.get("blog_url", "").strip().rstrip("/")
        if not address.startswith(("https://", "http://")):
            raise Misconfigured("The blog's address must begin with https://: give it in full.", field="blog_url")
        return address

    @property
    def _publication_key(self) -> str:
        """Always the same for this blog, so that connecting again makes no second one."""
        return atproto_tid.of(self._home_page())

    @property
    def _publication(self) -> str:
        return self.uri(self._publication_key, PUBLICATION)

    def _publish_blog(self) -> None:
        """See that the publication is there and says what the settings say. What others added to it stays."""
        ours = {"$type": PUBLICATION, "url": self._home_page(), "name": self.settings.get("blog_name", "").strip()}
        try:
            there = self.get(self._publication_key, PUBLICATION)
        except Gone:
            self.put(self._publication_key, ours, collection=PUBLICATION)
            return
        known = there.value if isinstance(there.value, dict) else {}
        if {**known, **ours} != known:
            self.put(self._publication_key, {**known, **ours}, there.cid, PUBLICATION)

    def _path(self, home: str | None) -> str | None:
        """What, behind the address of the site, leads to the article."""
        if home is None:
            return None
        if self._is_of_blog(home):
            return home[len(self._home_page()) :] or "/"
        return home[len(_origin(home)) :] or "/"

    def _site(self, home: str | None) -> str:
        """The publication; the other site where the article is at home on another."""
        return self._publication if home is None or self._is_of_blog(home) else _origin(home)

    def _is_of_blog(self, home: str) -> bool:
        return f"{home}/".startswith(f"{self._home_page()}/")


def _title(article: Article) -> str:
    title = article.title.strip() or excerpt(plain(article.html), 60) or "Untitled"
    over = length(title, "graphemes") - MOST_TITLE
    if over > 0:
        raise Rejected(f"The title is {over} characters too long: documents take {MOST_TITLE}.")
    return title


def _with_text(record: dict[str, Any], article: Article, markdown: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The record with the article: as Markdown, and plain for search and for apps that know no Markdown.

    `content` is an open union, and each app brings a type of its own. Of the types for Markdown, at.markpub.markdown
    (https://markpub.at, by one of the authors of the standard) is the one that others write and read: `text.markdown`
    is where they look. Leaflet, pckt and Offprint have types of blocks, for their own editors.
    """
    content = {
        "$type": "at.markpub.markdown",
        "flavor": "gfm",
        "text": {"$type": "at.markpub.text", "markdown": markdown},
    }
    whole, text = {**record, "content": content}, plain(article.html)
    warnings: tuple[str, ...] = ()
    if len(dumps(whole)) > MAX_RECORD_BYTES:
        whole, warnings = record, ("It is too long for a document: apps show its beginning, and lead to the blog.",)
    # What JSON escapes is counted, too: line breaks, quotation marks.
    left = MAX_RECORD_BYTES - len(dumps(whole)) - LEAST_TEXT
    escapes = len(dumps(text)) - length(text, "bytes")
    plainly = shorten(text, left - escapes, "bytes") if left - escapes >= LEAST_TEXT else ""
    return ({**whole, "textContent": plainly} if plainly else whole), warnings


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
