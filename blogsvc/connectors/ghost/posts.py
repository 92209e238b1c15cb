"""Posts as Ghost's Admin API tells them, and as it wants to be told them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from blogsvc.connectors._kit import portable
from blogsvc.connectors._kit.untrusted_json import text
from blogsvc.connectors.base import Article, Receipt, Rejected
from blogsvc.connectors.ghost import cards
from blogsvc.lib.text_length import shorten

# Counted in code points [schema of Ghost 5 and 6].
TITLE_MOST, EXCERPT_MOST, META_MOST, ALT_MOST, TAG_MOST = 255, 300, 500, 191, 191


@dataclass(frozen=True)
class GhostPost:
    """A post that is there. A draft is no copy: its e-mail is still to come, or somebody unpublished it."""

    id: str
    status: str
    url: str | None
    updated_at: str
    html: str = ""

    @property
    def is_out(self) -> bool:
        return self.status != "draft"

    def receipt(self, uploaded: Mapping[str, str] | None = None) -> Receipt:
        return Receipt(self.id, self.url, self.updated_at, uploaded or {})

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> GhostPost | None:
        post_id, updated_at = text(value, "id"), text(value, "updated_at")
        if post_id is None or updated_at is None:
            return None
        html = value.get("html")
        status, url = text(value, "status") or "", text(value, "url")
        return cls(post_id, status, url, updated_at, html if isinstance(html, str) else "")


def post_of(article: Article) -> dict[str, Any]:
    """What is sent of an article. What it has not is sent as nothing, so that an update clears it."""
    if len(article.title) > TITLE_MOST:
        raise Rejected(f"Ghost takes titles of up to {TITLE_MOST} characters: shorten it.")
    tags = filter(None, map(_tag, article.tags))
    return {
        "title": article.title,
        "slug": article.slug,
        "html": cards.kept(portable.html(article.html)),
        "custom_excerpt": shorten(article.summary, EXCERPT_MOST) or None,
        "meta_description": shorten(article.summary, META_MOST) or None,
        "canonical_url": article.canonical_url,
        "tags": [*dict.fromkeys(tags), marker(article.id)],
        "feature_image": article.cover_url,
        "feature_image_alt": _alt_of_cover(article),
    }


def warnings(article: Article, newsletter: str) -> list[str]:
    found = []
    if newsletter:
        found.append("When it is first published there, it is mailed to this newsletter, and cannot be called back.")
    if len(article.summary) > EXCERPT_MOST:
        found.append(f"Ghost takes summaries of up to {EXCERPT_MOST} characters: it is shortened.")
    if any(_tag(tag) != tag for tag in article.tags):
        found.append(f"Ghost takes tags without commas, of up to {TAG_MOST} characters: some are changed.")
    return found


def marker(article_id: str) -> str:
    """A tag that Ghost shows to its staff alone, as it begins with a hash. Its slug is the same, whatever Ghost
    makes of underscores there."""
    return f"#blogsvc-{article_id.lower().replace('_', '-')}"


def changed(moment: str | None) -> str:
    """That a post was changed there, for the author."""
    found = re.match(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)", moment or "")
    when = f" on {found[1]} at {found[2]} UTC" if found else ""
    return f"It was changed on Ghost{when}: look at it there. Retry to write over it."


def _tag(name: str) -> str:
    """A comma would part it, a leading hash would hide it."""
    return " ".join(name.replace(",", " ").split()).lstrip("# ")[:TAG_MOST]


def _alt_of_cover(article: Article) -> str | None:
    alts = {picture.url: picture.alt for picture in article.pictures}
    return shorten(alts.get(article.cover_url or "", ""), ALT_MOST) or None
