"""Checks of the text of a post, before it is published."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from blogsvc.connectors.base import Article
from blogsvc.media.external_images import external_images
from blogsvc.models import Post, Revision
from blogsvc.models.revision import rendered

# "To come", a printers' mark for missing text. No language has a word TK in capital letters.
TK_MARKER = re.compile(r"\bTK\b")


@dataclass(frozen=True)
class PostCheck:
    """A finding about the text, at these `urls`. If `is_blocking`, the post can't be published as it is."""

    code: Literal["empty", "to_come", "external_images", "no_alt", "no_title", "no_summary", "too_costly"]
    text: str
    is_blocking: bool = False
    urls: tuple[str, ...] = ()


def without_alt(seen: Article) -> int:
    return sum(not image.alt.strip() for image in seen.images)


def post_checks(
    post: Post, seen: Article, text: str, overrides: Mapping[str, Any], public_url: str
) -> Iterator[PostCheck]:
    """Yield the findings. `overrides` are those of the post, with texts that are not saved yet."""
    if not post.content.strip():
        yield PostCheck("empty", "The post has no text. Write some text first.", is_blocking=True)
        return
    if count := sum(len(TK_MARKER.findall(part)) for part in (post.title, post.summary, text)):
        yield PostCheck(
            "to_come", f"“TK”, a marker for missing text, appears {'once' if count == 1 else f'{count} times'}."
        )
    if elsewhere := external_images(_with(post, overrides), rendered, public_url):
        yield _external_images(elsewhere, is_blocking=bool(_not_live(elsewhere, post, public_url)))
    if count := without_alt(seen):
        yield PostCheck("no_alt", f"{'1 image has' if count == 1 else f'{count} images have'} no alt text.")
    if not post.title.strip():
        yield PostCheck("no_title", "The post has no title. Add a title first.", is_blocking=True)
    if not post.summary.strip() and post.kind == "post":
        yield PostCheck("no_summary", "The post has no summary. Lists and announcements show only the title.")


def _with(post: Post, overrides: Mapping[str, Any]) -> Revision:
    return Revision.of(post.id, 0, post.fields() | {"overrides": dict(overrides)}, "preview", post.updated_at)


def new_external_images(post: Post, overrides: Mapping[str, Any], public_url: str) -> list[str]:
    """Return the URLs of the images on other websites that a live post does not show already."""
    return _not_live(external_images(_with(post, overrides), rendered, public_url), post, public_url)


def _not_live(urls: list[str], post: Post, public_url: str) -> list[str]:
    live = post.live_revision() if post.is_live else None
    shown = set(external_images(live, rendered, public_url)) if live is not None else set()
    return [url for url in urls if url not in shown]


def _external_images(urls: list[str], *, is_blocking: bool) -> PostCheck:
    text = "1 image is on another site and may disappear."
    if len(urls) > 1:
        text = f"{len(urls)} images are on other sites and may disappear."
    if any(url.startswith("http://") for url in urls):
        text += " Readers of your blog don't see images at http:// addresses."
    return PostCheck("external_images", text, is_blocking, tuple(urls))
