"""Posts in the format of Ghost's Admin API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from blogsvc.connectors._kit import portable
from blogsvc.connectors._kit.paths import path_to
from blogsvc.connectors._kit.untrusted_json import text
from blogsvc.connectors.base import Article, Receipt, Rejected
from blogsvc.lib.text.length import shorten

# In code points, from the schema of Ghost 5 and 6.
LINK_TITLE = re.compile(r'<a (?:[^>"]|"[^"]*")*\btitle="')
TITLE_MOST, EXCERPT_MOST, META_MOST, ALT_MOST, TAG_MOST = 255, 300, 500, 191, 191


SAME = ("title", "custom_excerpt", "meta_description", "canonical_url", "feature_image_alt")


@dataclass(frozen=True)
class GhostPost:
    """A post on Ghost. A draft is not a copy: it is not sent yet, or it was unpublished."""

    id: str
    status: str
    url: str | None
    updated_at: str
    html: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict, repr=False)

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
        return cls(post_id, status, url, updated_at, html if isinstance(html, str) else "", value)

    def has(self, post: Mapping[str, Any]) -> bool:
        """Return True if readers see this text: our own update, whose response was lost, or the same edit."""
        from blogsvc.connectors._kit.html_words import words_and_links  # as in `post_of`

        is_same = all((self.fields.get(name) or "") == (post[name] or "") for name in SAME)
        return is_same and words_and_links(self.html) == words_and_links(post["html"])


def path_of(post_id: str) -> str:
    """Return the path of a post in the API."""
    return f"{path_to('posts', post_id)}/"


def post_of(article: Article) -> dict[str, Any]:
    """Return the request for an article. Empty fields are included, so that an update clears them."""
    from blogsvc.connectors.ghost import cards  # BeautifulSoup takes memory that most servers need for nothing else

    if len(article.title) > TITLE_MOST:
        raise Rejected(f"Ghost titles can have up to {TITLE_MOST} characters. Shorten the title.")
    tags = filter(None, map(_tag, article.tags))
    sizes = {image.url: image.size for image in article.images if image.size}
    return {
        "title": article.title,
        "slug": article.slug,
        "html": cards.editor_html(portable.html(article.html, classes=cards.CLASSES), sizes),
        "custom_excerpt": shorten(article.summary, EXCERPT_MOST) or None,
        "meta_description": shorten(article.summary, META_MOST) or None,
        "canonical_url": article.canonical_url,
        "tags": list(dict.fromkeys(tags)),
        "feature_image": article.cover_url,
        "feature_image_alt": shorten(article.cover_alt, ALT_MOST) or None,
        "codeinjection_foot": f"<!-- {marker(article.id)} -->",
    }


def warnings(article: Article, newsletter: str, members: int | None = None) -> list[str]:
    """Return what an author should know before the post is sent. `members` get the newsletter, None if unknown."""
    texts = []
    if LINK_TITLE.search(article.html):
        texts.append("Ghost removes the titles of links, which appear when the pointer is over a link.")
    if newsletter:
        people = "" if members is None else f", which has {members:,} {'member' if members == 1 else 'members'}"
        texts.append(
            f"When the post is first published on Ghost, it is e-mailed to this newsletter{people}."
            " This can't be undone."
        )
    if len(article.summary) > EXCERPT_MOST:
        texts.append(f"The summary is shortened to the Ghost limit of {EXCERPT_MOST} characters.")
    if len(article.cover_alt) > ALT_MOST:
        texts.append(f"The alt text of the cover is shortened to the Ghost limit of {ALT_MOST} characters.")
    if any(_tag(tag) != tag for tag in article.tags):
        texts.append(f"Ghost tags can't contain commas or exceed {TAG_MOST} characters. Some tags are changed.")
    return texts


def marker(article_id: str) -> str:
    """Return the comment in the post's code injection, by which a copy is found.

    Neither the editor nor the page shows it. It has no underscores, which mean any character in a search.
    """
    return f"blogsvc-{article_id.lower().replace('_', '-')}"


def changed(moment: str | None) -> str:
    """Return the error message for a post that was changed on Ghost."""
    found = re.match(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)", moment or "")
    when = f" on {found[1]} at {found[2]} UTC" if found else ""
    return f"The copy was changed on Ghost{when}. Review it there, or retry to overwrite the changes."


def _tag(name: str) -> str:
    """Return a valid tag name. A comma would split it. A leading "#" stays: only staff see such a tag on Ghost."""
    words = " ".join(name.replace(",", " ").split())[:TAG_MOST]
    return words if words.strip("# ") else ""
