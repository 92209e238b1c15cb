"""Import what the pages of series begin with. Those that are here already stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from blogsvc.lib.text.slug_letters import MAX_SLUG_LENGTH, is_slug
from blogsvc.models import Series
from blogsvc.models.series import MAX_TITLE_LENGTH
from blogsvc.posts import rules, series
from blogsvc.posts.page_heads import MAX_DESCRIPTION_LENGTH
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.parsed_page import ParsedPage
from blogsvc.transfer.formats.parsed_post import ParsedPost, clean, one_line
from blogsvc.transfer.import_post import ImportContext

# The name of the pages in `ImportJob.old_addresses`, until they are added.
PAGES = "pages"


def missing(pages: Iterable[Mapping[str, Any]]) -> list[ParsedPage]:
    """Return those of the stored pages that are not here yet."""
    parsed = (ParsedPage(**page) for page in pages)
    return [page for page in parsed if _may_be_added(page.key)]


def _may_be_added(slug: str) -> bool:
    return is_slug(slug) and len(slug) <= MAX_SLUG_LENGTH and Series.find(slug) is None


def with_cover(page: ParsedPage, context: ImportContext, archive: Callable[[], Archive | None]) -> dict[str, Any]:
    """Return the fields of a page that are valid here. Its cover image is added to the media library."""
    images, alts = ((page.cover, page.file),), ((page.cover, page.alt),)
    post = (
        ParsedPost("", "", "", cover=page.cover, images=images, image_alts=alts)
        if page.cover
        else ParsedPost("", "", "")
    )
    context.take_in(post, archive)
    cover = context.cover_of(post)
    return {
        "title": one_line(page.title)[:MAX_TITLE_LENGTH].strip() or page.key[:MAX_TITLE_LENGTH],
        "description": clean(page.description)[:MAX_DESCRIPTION_LENGTH],
        "cover_image": None if cover and rules.wrong_value("cover_image", cover) else cover,
        "is_complete": page.is_complete,
    }


def add_missing(found: Mapping[str, Mapping[str, Any]], now: datetime) -> None:
    """Add series that are missing here inside the caller's transaction, given the fields of each by its slug."""
    for slug, fields in found.items():
        if _may_be_added(slug):
            series.create({**fields, "slug": slug}, now)
