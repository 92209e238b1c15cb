"""Checks of the text of a post, before it is published."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from blogsvc.connectors.base import Article
from blogsvc.models import Post

# "To come", a printers' mark for missing text. No language has a word TK in capital letters.
TK_MARKER = re.compile(r"\bTK\b")


@dataclass(frozen=True)
class PostCheck:
    """A finding about the text. If `is_blocking`, the post cannot be published."""

    code: Literal["empty", "to_come", "no_alt", "no_title", "no_summary", "too_costly"]
    text: str
    is_blocking: bool = False


def without_alt(seen: Article) -> int:
    return sum(not image.alt.strip() for image in seen.images)


def post_checks(post: Post, seen: Article, text: str) -> Iterator[PostCheck]:
    if not post.content.strip():
        yield PostCheck("empty", "The post has no text. Write some text first.", is_blocking=True)
        return
    if count := sum(len(TK_MARKER.findall(part)) for part in (post.title, post.summary, text)):
        yield PostCheck(
            "to_come", f"“TK”, a marker for missing text, appears {'once' if count == 1 else f'{count} times'}."
        )
    if count := without_alt(seen):
        yield PostCheck("no_alt", f"{'1 image has' if count == 1 else f'{count} images have'} no alt text.")
    if not post.title.strip():
        yield PostCheck("no_title", "The post has no title. Add a title first.", is_blocking=True)
    if not post.summary.strip():
        yield PostCheck("no_summary", "The post has no summary. Lists and announcements show only the title.")
