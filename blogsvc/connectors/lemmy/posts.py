"""Lemmy posts: limits, and parsing of responses from both versions of the API."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from blogsvc.connectors._kit import portable
from blogsvc.connectors._kit.dates import iso_date
from blogsvc.connectors._kit.untrusted_json import at, whole
from blogsvc.connectors.base import Article, Figures, Gone, Rejected, TextTooLong, dumps
from blogsvc.lib.text.length import shorten

LABEL = "Lemmy"
MAX_TITLE_LENGTH = 200
MAX_URL_LENGTH = 2000
COUNTED = ("score", "comments")
SUPPORTED_MARKDOWN: tuple[portable.Part, ...] = ("tables", "footnotes", "strikethrough", "breaks")
_MARKS = re.compile(r"[\\`*_\[\]<>#~^|]")


def line(title: str) -> str:
    """Return the title in one line, within the limit."""
    return shorten(" ".join(title.split()), MAX_TITLE_LENGTH)


def title(name: str) -> str:
    """Return a valid title. Raises Rejected unless it has three characters in a row without a space."""
    if not re.search(r"\S{3}", name):
        raise Rejected(f"{LABEL} titles need a word of at least three letters. Make the title longer.")
    return line(name)


def link(article: Article) -> str:
    address = article.canonical_url or ""
    if len(address) > MAX_URL_LENGTH:
        raise Rejected(f"{LABEL} links can have up to {MAX_URL_LENGTH} characters. Give the post a shorter URL.")
    return address


def text(article: Article, max_length: int) -> portable.TextForm:
    """Return the text written for this destination as Markdown, else the summary with Markdown escaped."""
    summary = _MARKS.sub(r"\\\g<0>", article.summary.strip())
    form = (
        portable.markdown(article.markdown.strip(), SUPPORTED_MARKDOWN, LABEL)
        if article.is_own
        else portable.TextForm(summary)
    )
    if (over := len(form.text) - max_length) > 0:
        words = f"{LABEL} texts can have up to {max_length} characters. Shorten the text by {over}."
        raise TextTooLong(words, over, "characters") if article.is_own else Rejected(words)
    return form


def losses(article: Article) -> list[str]:
    lost = []
    if len(" ".join(article.title.split())) > MAX_TITLE_LENGTH:
        lost.append(f"The title is shortened to the {LABEL} limit of {MAX_TITLE_LENGTH} characters.")
    if not article.canonical_url:
        lost.append(f"The post has no URL of its own, so its text is posted to {LABEL} without a link.")
    return lost


def version(post: Mapping[str, Any]) -> str:
    """Return a hash of what people can edit, equal for the request and the response."""
    parts = [post.get(name) or "" for name in ("name", "url", "body")]
    return hashlib.sha256(dumps(parts)).hexdigest()


def listed(response: Any) -> list[Any] | None:
    """Return the list of the account's posts, in v4 with its comments; None if there is none."""
    lists = (at(response, name) for name in ("posts", "items", "content"))
    return next((one for one in lists if isinstance(one, list)), None)


def entries(listed: list[Any]) -> list[dict[str, Any]]:
    """Return the entries that can be read: posts, and comments with their posts."""
    return [view for view in listed if at(view, "post.id")]


def made_at(entry: dict[str, Any]) -> datetime | None:
    """Return when a post or a comment was made. The field has another name in 1.0."""
    item = entry.get("comment") or entry["post"]
    return iso_date(at(item, "published_at") or at(item, "published"))


def figures(response: Any) -> Figures:
    """Return the figures, which 0.19 has next to the post and 1.0 inside it."""
    score, comments = (
        _first_number(response, f"post_view.post.{name}", f"post_view.counts.{name}") for name in COUNTED
    )
    return Figures(likes=None if score is None else max(0, score), comments=comments)


def _first_number(response: Any, *paths: str) -> int | None:
    return next((found for path in paths if (found := whole(at(response, path))) is not None), None)


def community(name: str) -> str:
    """Return the name of a community, also given as `!name@server` or as a URL."""
    page = re.fullmatch(r"https?://([^/]+)/c/([^/?#]+)/?", name)
    if page is None:
        return name.lstrip("!")
    return page[2] if "@" in page[2] else f"{page[2]}@{page[1]}"


def number(remote_id: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", remote_id):
        raise Gone(f"This isn't a valid {LABEL} post number.")
    return int(remote_id)
