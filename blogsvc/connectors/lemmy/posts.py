"""A post of Lemmy: what it may be made of, and how to read one in the answers of either generation of its API."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from blogsvc.connectors._kit import portable
from blogsvc.connectors._kit.untrusted_json import at, whole
from blogsvc.connectors.base import Article, Figures, Gone, Rejected, dumps
from blogsvc.lib.text_length import shorten

LABEL = "Lemmy"
MAX_TITLE_LENGTH = 200
MAX_URL_LENGTH = 2000
COUNTED = ("score", "comments")
SUPPORTED_MARKDOWN: tuple[portable.Part, ...] = ("tables", "footnotes", "strikethrough", "breaks")
_MARKS = re.compile(r"[\\`*_\[\]<>#~^|]")


def line(title: str) -> str:
    """A title in one line and within the limit."""
    return shorten(" ".join(title.split()), MAX_TITLE_LENGTH)


def title(given: str) -> str:
    """Lemmy wants three letters of it in a row."""
    if not re.search(r"\S{3}", given):
        raise Rejected(f"{LABEL} takes no title without a word of three letters: make it longer.")
    return line(given)


def link(article: Article) -> str:
    address = article.canonical_url or ""
    if len(address) > MAX_URL_LENGTH:
        raise Rejected(f"{LABEL} takes links of {MAX_URL_LENGTH} characters: give the post a shorter address.")
    return address


def text(article: Article, most: int) -> portable.TextForm:
    """What the author wrote for it, as Markdown; else the summary, in which nothing is meant as Markdown."""
    summary = _MARKS.sub(r"\\\g<0>", article.summary.strip())
    form = (
        portable.markdown(article.markdown.strip(), SUPPORTED_MARKDOWN, LABEL)
        if article.is_own
        else portable.TextForm(summary)
    )
    if (over := len(form.text) - most) > 0:
        raise Rejected(f"{LABEL} takes texts of {most} characters: shorten it by {over}.")
    return form


def losses(article: Article) -> list[str]:
    lost = []
    if len(" ".join(article.title.split())) > MAX_TITLE_LENGTH:
        lost.append(f"{LABEL} takes titles of {MAX_TITLE_LENGTH} characters: it is shortened.")
    if not article.canonical_url:
        lost.append(f"The post has no address of its own: {LABEL} gets its text without a link.")
    return lost


def version(post: Mapping[str, Any]) -> str:
    """Made of what people edit there. It is the same for what is sent and for what is there."""
    parts = [post.get(name) or "" for name in ("name", "url", "body")]
    return hashlib.sha256(dumps(parts)).hexdigest()


def listed(said: Any) -> list[dict[str, Any]] | None:
    """The posts in a list of one's own, comments left out; None where it is none. Its name has changed a few times."""
    lists = (at(said, name) for name in ("posts", "items", "content"))
    views = next((one for one in lists if isinstance(one, list)), None)
    if views is None:
        return None
    return [view["post"] for view in views if at(view, "post.id") and not at(view, "comment")]


def figures(said: Any) -> Figures:
    """0.19 counts beside the post, 1.0 in it."""
    score, comments = (_first(said, f"post_view.post.{name}", f"post_view.counts.{name}") for name in COUNTED)
    return Figures(likes=None if score is None else max(0, score), comments=comments)


def _first(said: Any, *paths: str) -> int | None:
    return next((found for path in paths if (found := whole(at(said, path))) is not None), None)


def community(said: str) -> str:
    """The name of a community, also where it was given as `!name@server` or by its address."""
    page = re.fullmatch(r"https?://([^/]+)/c/([^/?#]+)/?", said)
    if page is None:
        return said.lstrip("!")
    return page[2] if "@" in page[2] else f"{page[2]}@{page[1]}"


def number(remote_id: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", remote_id):
        raise Gone(f"{LABEL} numbers its posts, and this is no number of one.")
    return int(remote_id)
