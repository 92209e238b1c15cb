"""Make the objects of the contract from the blog and its posts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup

from blogsvc.blog import margin_notes, markup, prose
from blogsvc.blog.authors import PostAuthor
from blogsvc.blog.contract import (
    Author,
    AuthorLink,
    Copy,
    Entry,
    EntryCard,
    EntrySummary,
    EntryTitle,
    Image,
    Look,
    Nav,
    NavItem,
    Place,
    ProfileUrl,
    Series,
    Site,
    Tag,
    TagLink,
)
from blogsvc.blog.frame import MenuLink
from blogsvc.blog.images import ResponsiveImage
from blogsvc.blog.page_heads import PageHead
from blogsvc.blog.posts import Blog, BlogPost, absolute_url
from blogsvc.blog.series import BlogSeries
from blogsvc.connectors import connectors
from blogsvc.lib import blog_paths
from blogsvc.lib.text.facts import reading_minutes
from blogsvc.lib.workers import text_jobs
from blogsvc.models import SITE, Delivery
from blogsvc.models.navigation import FIXED
from blogsvc.models.theme import Theme

ATOM, JSON_FEED = "application/atom+xml", "application/feed+json"
_FEED_TYPES = {FIXED["feed"]: ATOM, "/feed.json": JSON_FEED}

# --- every page ---


def site_of(blog: Blog, scheme: str) -> Site:
    """Return the blog itself. With pages that are always light or dark, it has the logo for these alone."""
    logo, dark = blog.frame.logo, blog.frame.logo_dark
    if scheme == "light" and logo:
        dark = None
    elif scheme == "dark" and dark:
        logo = None
    return Site(
        title=blog.title,
        description=blog.description,
        author=blog.author,
        url=blog.url,
        language=blog.language,
        direction=blog.direction,
        logo=logo or dark,
        logo_dark=dark if logo else None,
        home_path=FIXED["home"],
        archive_path=FIXED["archive"],
        tags_path=FIXED["tags"],
        feed_path=FIXED["feed"],
        subscribe_path=FIXED["subscribe"],
        search_path=FIXED["search"],
    )


def look_of(theme: Theme) -> Look:
    return Look(theme.layout, theme.scheme, theme.has_font_files)


def nav_of(blog: Blog, path: str, *, is_first: bool) -> Nav:
    """Return the menus of the page at a path."""

    def item(link: MenuLink) -> NavItem:
        current = _current(link.address, path, is_first=is_first)
        return NavItem(link.label, link.address, _FEED_TYPES.get(link.address), current)

    frame = blog.frame
    social = tuple(ProfileUrl(*link) for link in frame.social)
    return Nav(tuple(map(item, frame.header)), tuple(map(item, frame.footer)), social)


def _current(address: str, path: str, *, is_first: bool) -> str | None:
    """Return the value of `aria-current` of the menu item with an address on the page at a path."""
    if path == address:
        return "page" if is_first else "true"
    return "true" if address == FIXED["archive"] and path.startswith(f"{address}/") else None


# --- posts ---


@dataclass(frozen=True)
class Surroundings:
    """The posts that the page of a post leads to."""

    older: BlogPost | None = None
    newer: BlogPost | None = None
    related: Sequence[BlogPost] = ()
    place: Place | None = None


def title_of(entry: BlogPost) -> EntryTitle:
    return EntryTitle(**_title_fields(entry))


def summaries_of(entries: Sequence[BlogPost]) -> tuple[EntrySummary, ...]:
    """Return the posts of a list, whose covers are loaded with one query."""
    images = _images_of(entries)
    return tuple(EntrySummary(**_summary_fields(entry, images)) for entry in entries)


def entry_of(entry: BlogPost, around: Surroundings, *, is_draft: bool = False) -> Entry:
    """Return the whole post."""
    html = entry.revision.render()
    images = _images_of((entry, *around.related), html)
    fields = _summary_fields(entry, images) | {
        "authors": tuple(author_of(author) for author in entry.authors),
        "url": entry.url,
        "is_page": entry.is_page,
        "is_draft": is_draft,
        "lead": entry.revision.summary.strip(),
        "html": _safe(
            prose.for_page(images.html(html, has_cover=entry.cover_url is not None), entry.path, escape(entry.url))
        ),
        "cover_caption": _caption(entry),
        "updated_at": entry.updated_at,
        "was_updated": entry.updated_at.date() > entry.published_at.date(),
        "minutes": reading_minutes(entry.word_count),
        "has_margin_notes": margin_notes.fit(html),
        "copies": _copies(entry),
        "place": around.place,
        "older": title_of(around.older) if around.older else None,
        "newer": title_of(around.newer) if around.newer else None,
        "related": tuple(EntryCard(**_card_fields(other, images)) for other in around.related),
    }
    return Entry(**fields)


def _title_fields(entry: BlogPost) -> dict[str, Any]:
    language, direction = entry.blog.other_language(entry.revision.language)
    return {
        "path": entry.path,
        "title": entry.title,
        "language": language,
        "direction": direction,
        "published_at": entry.published_at,
    }


def _card_fields(entry: BlogPost, images: ResponsiveImage) -> dict[str, Any]:
    url = entry.cover_url
    cover = images.cover(url, entry.revision.cover_alt) if url else None
    return _title_fields(entry) | {"cover": cover}


def _summary_fields(entry: BlogPost, images: ResponsiveImage) -> dict[str, Any]:
    return _card_fields(entry, images) | {
        "summary": entry.summary,
        "authors": tuple(AuthorLink(author.name, author.path, author.picture) for author in entry.authors),
        "tags": tags_of(entry),
    }


def _images_of(entries: Sequence[BlogPost], *texts: str) -> ResponsiveImage:
    """Load the covers of posts, and the images in texts."""
    if not entries:
        return ResponsiveImage("", {})
    return ResponsiveImage.of(entries[0].blog.url, *texts, *(entry.revision.cover_image or "" for entry in entries))


def _caption(entry: BlogPost) -> Markup:
    caption = entry.revision.cover_caption
    return (
        _safe(markup.inline(text_jobs.render(caption, entry.revision.language or entry.blog.language)))
        if caption and entry.cover_url
        else Markup()
    )


def _copies(entry: BlogPost) -> tuple[Copy, ...]:
    others = (copy for copy in entry.post.deliveries if copy.destination != SITE and copy.copy_revision_id)
    urls = ((copy, absolute_url(entry.blog.url, copy.url)) for copy in others)
    return tuple(shown for copy, url in urls if url and (shown := _copy(copy, url)) is not None)


def _copy(copy: Delivery, url: str) -> Copy | None:
    """Return a copy of a post, or None if it is in a room that strangers can't enter."""
    host, connection = urlsplit(url).netloc, copy.connection
    kind = connectors().get(connection.connector if connection else copy.destination)
    if kind is None:
        return Copy(url, host, host, is_discussion=False)
    if kind.readers == "members":
        return None
    return Copy(url, host, kind.label, is_discussion=kind.readers == "discussion")


def tags_of(entry: BlogPost) -> tuple[TagLink, ...]:
    """Return the tags whose pages list the post."""
    return tuple(TagLink(tag, blog_paths.of_tag(tag)) for tag in entry.tags) if entry.is_listed else ()


# --- authors, tags, series ---


def author_of(author: PostAuthor) -> Author:
    links = tuple(ProfileUrl(link["label"], link["url"], link["is_me"]) for link in author.links)
    fields = author.name, author.path, author.picture, author.url
    return Author(*fields, _safe(author.bio_html), links, author.fediverse)


def tag_of(tag: str, head: PageHead, count: int) -> Tag:
    return Tag(tag, head.title, count, _safe(head.description_html), _cover_of(head))


def series_of(series: BlogSeries) -> Series:
    description = _safe(series.description_html)
    return Series(series.title, description, _cover_of(series), series.is_complete, tuple(series.parts))


def _cover_of(head: PageHead) -> Image | None:
    url = head.cover_image
    return ResponsiveImage.of(head.blog_url, url).cover(url, "") if url else None


def _safe(html: str) -> Markup:
    return Markup(html)  # noqa: S704  (sanitised when it was rendered)
