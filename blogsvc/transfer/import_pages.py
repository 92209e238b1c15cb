"""Import what the pages of series and tags begin with. Those that are here already stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from blogsvc.lib.text.slug_letters import MAX_SLUG_LENGTH, is_slug
from blogsvc.models import Series, TagPage
from blogsvc.models.series import MAX_TITLE_LENGTH
from blogsvc.posts import rules, series, tag_pages
from blogsvc.posts.page_heads import MAX_DESCRIPTION_LENGTH
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.parsed_page import ParsedPage
from blogsvc.transfer.formats.parsed_post import ParsedPost, clean, one_line
from blogsvc.transfer.import_images import ImportContext

# The name of the pages in `ImportJob.old_addresses`, until they are added.
PAGES = "pages"


class NewPage(NamedTuple):
    """A series, by its slug, or the page of a tag, with the fields that it will have."""

    kind: str
    key: str
    fields: dict[str, Any]


def missing(pages: Iterable[Mapping[str, Any]]) -> list[ParsedPage]:
    """Return those of the stored pages that are not here yet, and can be."""
    parsed = (ParsedPage(**page) for page in pages)
    return [page for page in parsed if _may_be_added(page.kind, page.key)]


def _may_be_added(kind: str, key: str) -> bool:
    if kind == "tag":
        return not rules.wrong_value("tag", key) and TagPage.find(key) is None
    return is_slug(key) and len(key) <= MAX_SLUG_LENGTH and Series.find(key) is None


def with_cover(page: ParsedPage, context: ImportContext, archive: Callable[[], Archive | None]) -> NewPage:
    """Return a page with fields that are valid here. Its cover image is added to the media library."""
    images = ((page.cover, page.file),) if page.cover else ()
    post = ParsedPost("", "", "", cover=page.cover, images=images)
    title = one_line(page.title)[:MAX_TITLE_LENGTH].strip()
    name = f"series “{title or page.key}”" if page.kind == "series" else f"tag “{page.key}”"
    context.take_in_head(f"Cover image of the {name}", post, archive)
    cover = context.cover_of(post)
    fields = {
        "title": title,
        "description": clean(page.description)[:MAX_DESCRIPTION_LENGTH],
        "cover_image": None if cover and rules.wrong_value("cover_image", cover) else cover,
        "is_complete": page.is_complete,
    }
    return NewPage(page.kind, page.key, fields)


def add_missing(pages: Iterable[NewPage], now: datetime) -> None:
    """Add the pages inside the caller's transaction, unless they were added meanwhile."""
    for kind, key, fields in pages:
        if not _may_be_added(kind, key):
            continue
        if kind == "tag":
            tag_pages.write(key, fields)
        else:
            series.create({**fields, "title": fields["title"] or key, "slug": key}, now)
