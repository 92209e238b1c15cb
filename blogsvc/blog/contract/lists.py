"""The pages with lists of posts: tags, series, the archive and the search."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from blogsvc.blog.contract.entries import EntryTitle, TagLink
from blogsvc.blog.contract.site import Image


@dataclass(frozen=True, slots=True)
class Pager:
    """The neighbours of a page of a list."""

    previous: str | None
    """Address of the page before this one, which in lists by date has newer posts."""
    next: str | None
    """Address of the page after this one, which in lists by date has older posts."""
    number: int | None
    """Number of the page, counted from 1. None in lists that are too long to be counted."""
    total: int | None
    """Number of all pages. None in lists that are too long to be counted."""


@dataclass(frozen=True, slots=True)
class Tag:
    """The tag of a tag page."""

    name: str
    """The tag."""
    title: str
    """Title of the page. The tag itself if the page has no other title."""
    count: int
    """Number of posts."""
    description: Markup
    """Description as HTML. May be empty."""
    cover: Image | None
    """Cover image."""


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag in the list of all tags."""

    title: str
    """Title of the tag's page."""
    path: str
    """Path of the tag's page."""
    count: int
    """Number of posts."""


@dataclass(frozen=True, slots=True)
class TagGroup:
    """The tags with one initial."""

    initial: str
    """Upper-case letter, or `#` for tags that begin with none."""
    tags: tuple[TagCount, ...]
    """Tags by their titles from A to Z."""


@dataclass(frozen=True, slots=True)
class Series:
    """A series with its posts."""

    title: str
    """Title of the series."""
    description: Markup
    """Description as HTML. May be empty."""
    cover: Image | None
    """Cover image."""
    is_complete: bool
    """True if no more parts will follow."""
    parts: tuple[EntryTitle, ...]
    """Posts in reading order."""


@dataclass(frozen=True, slots=True)
class Year:
    """A year of the archive."""

    year: int
    """The year."""
    path: str
    """Path of the page of the year."""
    count: int
    """Number of posts."""


@dataclass(frozen=True, slots=True)
class Month:
    """A month of a year with its posts."""

    number: str
    """The month as two digits."""
    start: datetime
    """Start of the month in UTC."""
    entries: tuple[EntryTitle, ...]
    """Posts, newest first."""


@dataclass(frozen=True, slots=True)
class FullYear(Year):
    """A year of the archive with its posts."""

    months: tuple[Month, ...]
    """Months of the year with posts, newest first."""


@dataclass(frozen=True, slots=True)
class Archive:
    """The archive with the posts of one year, or of all years if they fit on one page."""

    count: int
    """Number of all posts."""
    since: datetime | None
    """Start of the month of the oldest post in UTC. None if there are no posts."""
    years: tuple[Year, ...]
    """All years with posts, newest first."""
    curve: str
    """Posts per month from the first one to the last one as a curve: the `d` attribute of an SVG path in a view box of
    960 by 72. Empty if there are too few months for a curve."""
    shown: tuple[FullYear, ...]
    """Years whose posts are on this page, newest first."""
    newer: Year | None
    """Next year with posts. None if this page shows all years."""
    older: Year | None
    """Previous year with posts. None if this page shows all years."""


@dataclass(frozen=True, slots=True)
class Match:
    """A post that a search found."""

    entry: EntryTitle
    """The post."""
    is_page: bool
    """True for a page, which shows no date."""
    title: Markup
    """Title as HTML, with the words that were searched for in `mark`."""
    excerpt: Markup
    """Part of the text as HTML, with the words that were searched for in `mark`."""
    tags: tuple[TagLink, ...]
    """Tags. Empty for pages and unlisted posts, which no tag page lists."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search with a page of its results."""

    question: str
    """What was searched for. Empty before the first search."""
    count: int
    """Number of all matches. 1,001 if there are more than 1,000, of which the first 1,000 are shown."""
    is_refused: bool
    """True if there were too many searches at once."""
    matches: tuple[Match, ...]
    """Posts on this page."""
