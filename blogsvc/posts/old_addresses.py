"""Find the page that an address without a page leads to, such as one of a blog that was imported.

The blog looks here before it answers that a page does not exist, so a page of its own always wins. What WordPress,
Ghost and site generators add to addresses in the same way on every blog are rules (see address_forms.py); the
addresses themselves are redirects, which the import and owners store. An address that is stored wins over the longest
one that is stored for all addresses below it (`/old/*`). The result comes from rows and never from the request, except
for what a "*" stands for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from unicodedata import normalize
from urllib.parse import parse_qsl, quote

from sqlalchemy import select

from blogsvc.lib import blog_paths
from blogsvc.models import Post, Redirect, Revision, db
from blogsvc.models.post_conditions import IS_LISTED
from blogsvc.models.redirect import GONE, MAX_ADDRESS_LENGTH, Target, known
from blogsvc.posts.address_forms import ARCHIVE, ATOM, HOME, JSON_FEED, RSS, feed_in_query, page_named, readings
from blogsvc.posts.public_paths import paths_of, paths_of_lists, paths_of_slugs

# The parameters with which WordPress names a page.
QUERY_NAMES = frozenset({"p", "page_id", "attachment_id", "cat", "tag", "author", "feed"})
_MAX_QUERY_LENGTH = 100
_LOOKED_UP_AT_ONCE = 300  # each has a handful of readings, and databases limit the parameters of a query
_MAX_PREFIXES = 20
# What redirects of all addresses below another one leave alone: the authoring pages, the API and our own files.
OF_SERVICE = frozenset({"desk", "api", "static", "-"})
OWN_PAGES = frozenset({ARCHIVE, "/tags", "/search", "/subscribe", ATOM, RSS, JSON_FEED, "/sitemap.xml", "/robots.txt"})

_PERIOD = re.compile(r"(?:/archive)?/(\d{4})(?:/(\d{1,2})(?:/(\d{1,2}))?)?")


@dataclass(frozen=True)
class Answer:
    """Where an address leads: a path of this blog, or a URL of a redirect. None if its page is gone."""

    address: str | None
    status: int = 301
    redirect_id: str | None = None

    @property
    def is_here(self) -> bool:
        return self.address is not None and self.address.startswith("/")


def normalized(address: str) -> str:
    """Return a decoded path, with or without a query, as it is stored; "" for a front page or if it is no path.

    Of a query, only the parameter that names a page is kept.
    """
    path, _, query = address.partition("?")
    plain = _plain(path)
    return "" if plain is None else _with_query(plain, query) or plain


def find_addresses(addresses: Iterable[str]) -> dict[str, str | None]:
    """Return where each of these normalized addresses leads: a path or a URL; None if it leads nowhere.

    They are looked up together, each _LOOKED_UP_AT_ONCE with at most nine queries. Only the old addresses of years,
    months and days cost one or two more each.
    """
    lookups = [(address, _Lookup.of(*_parted(address))) for address in dict.fromkeys(addresses)]
    pages_by_address: dict[str, str | None] = {}
    for start in range(0, len(lookups), _LOOKED_UP_AT_ONCE):
        some = lookups[start : start + _LOOKED_UP_AT_ONCE]
        pages = _Pages.of([one for _, one in some])
        answers = ((address, pages.find(one)) for address, one in some)
        pages_by_address |= {address: answer.address if answer else None for address, answer in answers}
    return pages_by_address


def find(path: str, query: str = "") -> Answer | None:
    """Return where this decoded path leads; None if it leads nowhere.

    It costs two queries if nothing is found, and up to four more for paths that name a tag, author, series or time,
    but not more for a longer path. A path of this blog leads to itself.
    """
    lookup = _Lookup.of(path, query)
    return _Pages.of([lookup]).find(lookup)


def find_stored(address: str) -> Answer | None:
    """Return where a stored address leads; None if it is not stored, or its page not public."""
    return _Pages.at([address]).find_stored(address)


def query_address(query: str) -> str | None:
    """Return the old address that a query on the front page names, if it is stored or that of a feed."""
    address = _with_query("", query)
    return address if address and (feed_in_query(address) or known([address])) else None


@dataclass(frozen=True)
class _Lookup:
    """An address that is looked up: its plain path, the address that its query names, and the readings of the path.

    `prefixes` are the paths of redirects of all addresses below another one, each with what its "*" stands for.
    """

    plain: str | None
    named: str = ""
    readings: tuple[tuple[str, str | None], ...] = ()
    prefixes: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, path: str, query: str) -> _Lookup:
        plain = _plain(path)
        if plain is None:
            return cls(None)
        named = _with_query(plain, query)
        return cls(plain, named, tuple(readings(plain)), tuple(prefixes_of(plain))) if plain else cls(plain, named)


@dataclass(frozen=True)
class _Pages:
    """The posts and lists at some addresses, the redirects of these addresses, and the paths to which those lead."""

    posts: Mapping[str, str]
    lists: Mapping[str, str]
    stored: Mapping[str, Redirect]
    paths: Mapping[Target, str | None]

    @classmethod
    def of(cls, lookups: Iterable[_Lookup]) -> _Pages:
        addresses = [
            address
            for one in lookups
            for address in (one.named, *(reading for reading, _ in one.readings), *(path for path, _ in one.prefixes))
        ]
        return cls.at(list(filter(None, dict.fromkeys(addresses))))

    @classmethod
    def at(cls, addresses: Collection[str]) -> _Pages:
        stored = known(addresses)
        paths = paths_of({row.leads_to for row in stored.values()})
        return cls(paths_of_slugs(addresses), paths_of_lists(addresses), stored, paths)

    def find(self, lookup: _Lookup) -> Answer | None:
        if lookup.plain is None:
            return None
        if lookup.named and ((answer := self.find_stored(lookup.named)) or not lookup.plain):
            return answer
        if not lookup.plain:
            return Answer(HOME)
        for address, feed in lookup.readings:
            if page := self.posts.get(address):
                return Answer(page)
            if answer := self._answer_at(address):
                return replace(answer, address=feed) if feed and answer.is_here else answer
        for path, rest in lookup.prefixes:
            if answer := self._answer_stored(path, rest):
                return answer
        page = page_named(lookup.plain) or _archive_of(lookup.plain)
        return Answer(page) if page else None

    def find_stored(self, address: str) -> Answer | None:
        if feed := feed_in_query(address):
            return Answer(feed)
        return self._answer_stored(address)

    def _answer_stored(self, path: str, rest: str = "") -> Answer | None:
        row = self.stored.get(path)
        if row is None:
            return None
        if row.status == GONE:
            return Answer(None, GONE, row.id)
        address = self.paths[row.leads_to]
        return Answer(with_rest(address, rest), row.status, row.id) if address is not None else None

    def _answer_at(self, address: str) -> Answer | None:
        """Return the page other than a post at an address, or where it leads."""
        if page := address if address in OWN_PAGES else self.lists.get(address):
            return Answer(page)
        return self._answer_stored(address)


def prefixes_of(path: str) -> Iterator[tuple[str, str]]:
    """Yield the paths of redirects of all addresses below another one, the longest first, and the rest of the path."""
    parts = path.split("/")[1:]
    if parts[0] in OF_SERVICE:
        return
    for number in range(min(len(parts), _MAX_PREFIXES), -1, -1):
        yield "/".join(["", *parts[:number], "*"]), "/".join(parts[number:])


def with_rest(address: str, rest: str) -> str:
    """Return the target of a redirect with the rest of a path in place of its "*"."""
    if rest:
        return address.replace("*", quote(rest))
    return address.replace("/*", "") or HOME


def _parted(address: str) -> tuple[str, str]:
    path, _, query = address.partition("?")
    return path, query


def _plain(path: str) -> str | None:
    """Return a path without trailing slashes, "" for the front page; None if no page has had this path."""
    if len(path) > MAX_ADDRESS_LENGTH:  # normalization takes quadratic time
        return None
    plain = normalize("NFC", path).rstrip("/").removeprefix("/index.php")
    is_path = not plain or (plain.startswith("/") and plain.isprintable() and len(plain) <= MAX_ADDRESS_LENGTH)
    return plain if is_path and "//" not in plain and "\\" not in plain else None


def _with_query(path: str, query: str) -> str:
    """Return the address of a page that a query names, such as "/?p=13"; "" if it names none."""
    pairs = parse_qsl(query[:_MAX_QUERY_LENGTH], errors="replace")
    named = next(((name, value) for name, value in pairs if name in QUERY_NAMES), None)
    return f"{path}/?{named[0]}={named[1]}" if named and named[1].isprintable() else ""


def _archive_of(path: str) -> str | None:
    """Return the path of the archive for the address of a year, month or day in which a listed post was published."""
    period = _PERIOD.fullmatch(path)
    if period is None:
        return None
    year, month, day = (int(number) if number else None for number in period.groups())
    try:
        start = datetime(year or 0, month or 1, day or 1, tzinfo=UTC)
        end = start + timedelta(days=1 if day else 31 if month else 366)
    except (ValueError, OverflowError):
        return None
    # First without, then with a day earlier and later, because the old blog had its own time zone.
    for margin in (timedelta(0), timedelta(days=1)):
        within = Post.published_at >= start - margin, Post.published_at < end + margin
        query = select(Post.published_at).join(Revision, Revision.id == Post.site_revision_id)
        query = query.where(*IS_LISTED, *within)
        if found := db.session.scalar(query.order_by(Post.published_at).limit(1)):
            return blog_paths.of_year(found.year) + (f"#{found.month:02}" if month else "")
    return None
