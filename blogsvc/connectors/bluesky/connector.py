"""Bluesky: a post of up to 300 characters, with a link card for the article."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from blogsvc.connectors._kit import atproto_tid
from blogsvc.connectors._kit.announcements import Allowance, Announcement, announcement, hashtags
from blogsvc.connectors._kit.atproto_repository import AtprotoRepository
from blogsvc.connectors._kit.atproto_session import FIELDS
from blogsvc.connectors._kit.shortened import shortened
from blogsvc.connectors._kit.untrusted_json import whole
from blogsvc.connectors.base import (
    Article,
    Figures,
    Keys,
    Limit,
    Payload,
    Receipt,
    TextTooLong,
)
from blogsvc.connectors.bluesky.rich_text import facets, is_tag
from blogsvc.lib.text.length import length, shorten
from blogsvc.lib.time import stamp

MAX_GRAPHEMES, MAX_TEXT_BYTES = 300, 3000
MAX_HIDDEN_TAGS = 8  # sent along, but not shown
MAX_CARD_DESCRIPTION = 1000  # of the card, which shows two lines
TEXT_ALLOWANCE = Allowance(MAX_GRAPHEMES, "graphemes", 0, max_hidden_tags=MAX_HIDDEN_TAGS, has_links=True)


@dataclass(frozen=True)
class BlueskyPost(Payload):
    """A post. The hash leaves out the image URL, so that another image alone does not cause an update."""

    @property
    def hash(self) -> str:
        return Payload({"record": self.body["record"]}).hash


@dataclass
class Bluesky(AtprotoRepository):
    """Writes app.bsky.feed.post records to the account's repository."""

    key = "bluesky"
    label = "Bluesky"
    about = "A short post with a link card for the article."
    docs = "https://docs.bsky.app"
    checked_on = "2026-11-20"
    category = "announcement"
    readers = "discussion"
    accepts = "text"
    carries = frozenset({"title", "summary", "tags", "cover", "language", "canonical_url"})
    shows = (
        ("record.text", "text"),
        ("record.embed.external.title", "title"),
        ("record.embed.external.description", "text"),
        ("record.embed.external.uri", "link"),
    )
    limitations = (
        "An update is stored, but the Bluesky app keeps showing the original text. To show the change, delete the post"
        " and publish it again, which loses its likes and reposts.",
    )
    limits = (Limit("text", MAX_GRAPHEMES, "graphemes"), Limit("text", MAX_TEXT_BYTES, "bytes"))
    fields = FIELDS
    collection = "app.bsky.feed.post"

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        announced, (card, warnings) = _announcement(article), _card(article)
        text = announced.without_link  # the link is in the card
        tags = [tag for tag in hashtags(article.tags, MAX_HIDDEN_TAGS) if tag not in announced.hashtags and is_tag(tag)]
        record = {
            "$type": self.collection,
            "text": text,
            "facets": facets(text, announced.links),
            "langs": [article.language] if article.language else [],
            "tags": tags,
            "embed": card,
        }
        kept = {name: value for name, value in record.items() if value or name == "text"}
        image = article.cover_url or next((image.url for image in article.images), None)
        return BlueskyPost(
            {"record": kept, "image": image},
            (*announced.warnings, *warnings),
            length(text, "graphemes"),
            announced.editable,
        )

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        return self.receipt(self.put(keys["rkey"], self._record(payload, keys)))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        return self.change(keys["rkey"], self._record(payload, keys), receipt.version)

    def stats(self, receipt: Receipt) -> Figures:
        """Return the figures from Bluesky's index, which includes new posts after a moment."""
        where = f"{self.appview}/xrpc/app.bsky.feed.getPosts?uris={quote(receipt.remote_id, safe='')}"
        posts = self.call("GET", where, need="posts", anonymous=True).json()["posts"]
        post = posts[0] if isinstance(posts, list) and posts and isinstance(posts[0], dict) else {}
        shares = [count for name in ("repostCount", "quoteCount") if (count := whole(post.get(name))) is not None]
        return Figures(
            likes=whole(post.get("likeCount")),
            comments=whole(post.get("replyCount")),
            shares=sum(shares) if shares else None,
        )

    def page(self, uri: str) -> str | None:
        did, _, rkey = uri.removeprefix("at://").split("/")
        return f"https://bsky.app/profile/{did}/post/{rkey}"

    def _record(self, payload: Payload, keys: Keys) -> dict[str, Any]:
        """Return the complete record. The time comes from its key, so that all attempts write the same record."""
        record = {**payload.body["record"], "createdAt": stamp(atproto_tid.moment(keys["rkey"]))}
        if "embed" in record and (thumb := self.blob(payload.body["image"])):
            record["embed"] = {**record["embed"], "external": {**record["embed"]["external"], "thumb": thumb}}
        return record


def _announcement(article: Article) -> Announcement:
    """Return the announcement within both limits. Many emoji can exceed the bytes before the graphemes."""
    announced = announcement(article, TEXT_ALLOWANCE, Bluesky.label)
    over = length(announced.without_link, "bytes") - MAX_TEXT_BYTES  # the link is in the card
    if over <= 0:
        return announced
    if article.is_own:
        raise TextTooLong(f"Your text for Bluesky exceeds {MAX_TEXT_BYTES} bytes. Use fewer emoji.", over, "bytes")
    words = shorten(announced.words, MAX_TEXT_BYTES, "bytes")
    warning = f"The text is shortened to the Bluesky limit of {MAX_TEXT_BYTES} bytes. Emoji use several bytes each."
    return replace(announced, words=words, hashtags=(), warnings=(*announced.warnings, warning))


def _card(article: Article) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Return the link card, if the post has a URL, and warnings."""
    if not article.canonical_url:
        return None, ()
    summary = article.summary.strip()
    description, warnings = shortened(summary, MAX_CARD_DESCRIPTION, "graphemes", "The summary in the link card")
    external = {
        "uri": article.canonical_url,
        "title": article.title.strip(),
        "description": description,
    }
    return {"$type": "app.bsky.embed.external", "external": external}, warnings
