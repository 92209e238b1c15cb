"""AT Protocol: publish the whole article as a site.standard.document, which several apps can show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from blogsvc.connectors._kit import atproto_tid, portable
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
from blogsvc.lib.text.length import length, shorten
from blogsvc.lib.text.plain import excerpt, plain
from blogsvc.lib.time import stamp

PUBLICATION = "site.standard.publication"
MAX_EMBED_TITLE, MOST_DESCRIPTION, MOST_TAG = 500, 3000, 128  # graphemes
MAX_RECORD_BYTES = 140_000  # per record, as the PDS accepts requests of 150 KiB
LEAST_TEXT = 500  # bytes; shorter plain text is not worth sending
# The GFM extensions that apps can show; those known ignore HTML and footnotes.
SUPPORTED_MARKDOWN: tuple[portable.Part, ...] = ("tables", "tasks", "strikethrough")


@dataclass
class ATProto(AtprotoRepository):
    """Writes each article as a site.standard.document, in the blog's site.standard.publication."""

    key = "atproto"
    label = "AT Protocol"
    about = "Full articles on the AT Protocol, for apps that support standard.site."
    docs = "https://standard.site"
    checked_on = "2026-11-20"
    category = "article"
    accepts = "markdown"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "canonical_url"})
    shows = (("record.title", "title"), ("record.content.text.markdown", "markdown"))
    limitations = ("Each app decides how soon it shows that an article was changed or deleted.",)
    limits = (Limit("title", MAX_EMBED_TITLE, "graphemes"), Limit("text", MAX_RECORD_BYTES, "bytes"))
    fields = (
        *FIELDS[:2],
        Field("blog_url", "Blog URL", help="The public URL of your blog, for example https://blog.example.org"),
        Field("blog_name", "Blog name", help="Shown to readers"),
        FIELDS[2],
    )
    collection = "site.standard.document"

    def verify(self) -> Account:
        """Sign in, and create or update the publication, whose URL the blog confirms."""
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
        image = article.cover_url or next((image.url for image in article.images), None)
        body = {"record": whole, "home": article.canonical_url, "image": image}
        return Payload(body, (*text.warnings, *warnings))

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        self._publish_blog()
        return self.receipt(self.put(keys["rkey"], self._record(payload, keys)))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        return self.change(keys["rkey"], self._record(payload, keys), receipt.version)

    def page(self, uri: str) -> str | None:
        """Return a page that shows the raw record, because each app that shows articles has its own URLs."""
        return f"https://pdsls.dev/{uri}"

    def _record(self, payload: Payload, keys: Keys) -> dict[str, Any]:
        record = {
            "publishedAt": stamp(atproto_tid.moment(keys["rkey"])),
            **payload.body["record"],
            "site": self._site(payload.body["home"]),
        }
        cover = self.blob(payload.body["image"])
        return {**record, "coverImage": cover} if cover else record

    def _home_page(self) -> str:
        address = self.settings.get("blog_url", "").strip().rstrip("/")
        if not address.startswith(("https://", "http://")):
            raise Misconfigured("The blog URL must start with https://. Enter the full URL.", field="blog_url")
        return address

    @property
    def _publication_key(self) -> str:
        """Return a key that is always the same for this blog, so that reconnecting creates no second publication."""
        return atproto_tid.of(self._home_page())

    @property
    def _publication(self) -> str:
        return self.uri(self._publication_key, PUBLICATION)

    def _publish_blog(self) -> None:
        """Create the publication, or update our fields in it. Fields that others added stay."""
        fields = {"$type": PUBLICATION, "url": self._home_page(), "name": self.settings.get("blog_name", "").strip()}
        try:
            record = self.get(self._publication_key, PUBLICATION)
        except Gone:
            self.put(self._publication_key, fields, collection=PUBLICATION)
            return
        stored_fields = record.value if isinstance(record.value, dict) else {}
        if {**stored_fields, **fields} != stored_fields:
            self.put(self._publication_key, {**stored_fields, **fields}, record.cid, PUBLICATION)

    def _path(self, home: str | None) -> str | None:
        """Return the path of the article, relative to the URL of its site."""
        if home is None:
            return None
        if self._is_of_blog(home):
            return home[len(self._home_page()) :] or "/"
        return home[len(_origin(home)) :] or "/"

    def _site(self, home: str | None) -> str:
        """Return the publication, or the other site if that has the original article."""
        return self._publication if home is None or self._is_of_blog(home) else _origin(home)

    def _is_of_blog(self, home: str) -> bool:
        return f"{home}/".startswith(f"{self._home_page()}/")


def _title(article: Article) -> str:
    title = article.title.strip() or excerpt(plain(article.html), 60) or "Untitled"
    over = length(title, "graphemes") - MAX_EMBED_TITLE
    if over > 0:
        raise Rejected(f"The title is {over} characters over the limit of {MAX_EMBED_TITLE}. Shorten it.")
    return title


def _with_text(record: dict[str, Any], article: Article, markdown: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Add the article to the record: as Markdown, and as plain text for search and other apps.

    `content` is an open union without a standard type. at.markpub.markdown (https://markpub.at, by an author
    of the standard) is the Markdown type that other apps read and write, in `text.markdown`. Leaflet, pckt
    and Offprint use block types of their own editors.
    """
    content = {
        "$type": "at.markpub.markdown",
        "flavor": "gfm",
        "text": {"$type": "at.markpub.text", "markdown": markdown},
    }
    whole, text = {**record, "content": content}, plain(article.html)
    warnings: tuple[str, ...] = ()
    if len(dumps(whole)) > MAX_RECORD_BYTES:
        whole, warnings = (
            record,
            ("The post is too long for a document. Apps show the beginning and link to the blog.",),
        )
    # JSON escapes of line breaks and quotation marks count, too.
    left = MAX_RECORD_BYTES - len(dumps(whole)) - LEAST_TEXT
    escapes = len(dumps(text)) - length(text, "bytes")
    plainly = shorten(text, left - escapes, "bytes") if left - escapes >= LEAST_TEXT else ""
    return ({**whole, "textContent": plainly} if plainly else whole), warnings


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
