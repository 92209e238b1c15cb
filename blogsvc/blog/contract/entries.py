"""Posts, their authors and their tags."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from blogsvc.blog.contract.site import Image, ProfileUrl


@dataclass(frozen=True, slots=True)
class TagLink:
    """A tag of a post."""

    name: str
    """The tag."""
    path: str
    """Path of the tag's page."""


@dataclass(frozen=True, slots=True)
class AuthorLink:
    """An author in the byline of a post."""

    name: str
    """Name of the author."""
    path: str
    """Path of the author's page. That of the home page for the author of the blog."""
    picture: Image | None
    """Picture of the author."""


@dataclass(frozen=True, slots=True)
class Author(AuthorLink):
    """An author with everything that readers see of one."""

    url: str
    """URL of the author's page."""
    bio: Markup
    """Biography as HTML. May be empty."""
    links: tuple[ProfileUrl, ...]
    """Profiles of the author elsewhere."""
    fediverse: str | None
    """Address in the fediverse without the first `@`, such as `ada@mastodon.example`."""


@dataclass(frozen=True, slots=True)
class EntryTitle:
    """A post in a list of titles."""

    path: str
    """Path of the post."""
    title: str
    """Title, or the beginning of the text of a post that has none."""
    language: str | None
    """Language as a BCP 47 tag. None if it is that of the blog."""
    direction: str | None
    """Writing direction: `ltr` or `rtl`. None if it is that of the blog."""
    published_at: datetime
    """Time of the first publication in UTC."""


@dataclass(frozen=True, slots=True)
class EntryCard(EntryTitle):
    """A post with its cover, such as a related post."""

    cover: Image | None
    """Cover image."""


@dataclass(frozen=True, slots=True)
class EntrySummary(EntryCard):
    """A post in a list with summaries."""

    summary: str
    """Summary by the author, or the beginning of the text."""
    authors: tuple[AuthorLink, ...]
    """Authors in the order of the byline."""
    tags: tuple[TagLink, ...]
    """Tags. Empty for pages and unlisted posts, which no tag page lists."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a post on another platform."""

    url: str
    """URL of the copy."""
    host: str
    """Host name of the platform."""
    platform: str
    """Name of the platform, such as `Mastodon`. The host name if it is not known any more."""
    is_discussion: bool
    """True if the copy is for answers, as on Mastodon, Bluesky and Lemmy."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a post in its series."""

    title: str
    """Title of the series."""
    path: str
    """Path of the page of the series."""
    number: int
    """Number of the part, counted from 1."""
    total: int
    """Number of all parts."""
    previous: EntryTitle | None
    """Part before this one."""
    next: EntryTitle | None
    """Part after this one."""


@dataclass(frozen=True, slots=True)
class Entry(EntrySummary):
    """A whole post, or a page such as "About"."""

    authors: tuple[Author, ...]
    """Authors in the order of the byline."""
    url: str
    """URL of the post. A shared draft has none yet: it is the URL that the draft would have."""
    is_page: bool
    """True for a page, which shows neither date nor byline."""
    is_draft: bool
    """True for a draft that is shared, which has no address yet."""
    lead: str
    """Summary by the author. Empty if there is none."""
    html: Markup
    """Text as HTML."""
    cover_caption: Markup
    """Caption of the cover as HTML in one line. May be empty."""
    updated_at: datetime
    """Time of the last change of the title, text, summary, cover or tags in UTC."""
    was_updated: bool
    """True if that change was on a later day than the first publication."""
    minutes: int
    """Reading time in minutes."""
    has_margin_notes: bool
    """True if the footnotes have room beside the text, each near its mark."""
    copies: tuple[Copy, ...]
    """Copies on other platforms."""
    place: Place | None
    """Place in a series."""
    older: EntryTitle | None
    """Post before this one by date."""
    newer: EntryTitle | None
    """Post after this one by date."""
    related: tuple[EntryCard, ...]
    """Posts that share the most tags."""
