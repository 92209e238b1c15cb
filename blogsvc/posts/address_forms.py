"""The forms of addresses that are the same on every blog.

What WordPress, Ghost and site generators add to the address of a page (`/amp`, `/page/2`, `/feed`), how they address
tags, sizes of images and posts by date, and what they call their lists and feeds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

HOME, ARCHIVE = "/", "/archive"
ATOM, RSS, JSON_FEED = "/feed.xml", "/rss.xml", "/feed.json"

_FEED = re.compile(r"(?:/comments)?/(feed|rss|atom)(?:/(atom|rss2?|rdf|json))?")
_FEED_QUERY = re.compile(r"/\?feed=(?:comments-)?(atom|rss2?|rdf)")
_FEED_NAMES = {"atom": ATOM, "json": JSON_FEED}
_FEED_AT_END = re.compile(rf"{_FEED.pattern}$")
# Parts after the address of a page: other forms of the same page, and its second and later parts. The numbers in an
# archive are years and months.
_AT_END = re.compile(
    r"(?:/index\.(?:html?|php)|\.html?|\.md|/amp|/embed|/trackback|/page/\d{1,6}|/comment-page-\d{1,6}"
    r"|(?<!^/archive)(?<!^/archive/\d{4})/\d{1,4})$"
)
# Sizes of an image: pic-300x200.jpg of WordPress, size/w600/format/webp/2020/01/pic.jpg of Ghost.
_SIZE = re.compile(r"-\d{1,5}x\d{1,5}(?=\.\w{3,4}$)|/size/w\d{1,5}(?:h\d{1,5})?(?:/format/\w{3,4})?(?=/)")
_UNSCALED = re.compile(r"(?=\.\w{3,4}$)")
_DATED = re.compile(r"/\d{4}/\d{1,2}(?:/\d{1,2})?/([^/]+)")
_TAG = re.compile(r"/(?:tags|categor(?:y|ies))/(.+)")
_NESTED = re.compile(r"(/categor(?:y|ies))/.+(/[^/]+)")
# Whole paths that mean the same on every blog.
_WELL_KNOWN = (
    (re.compile(r"/page/\d{1,6}"), ARCHIVE),
    (re.compile(r"/[\w-]*sitemap[\w-]*\.xml"), "/sitemap.xml"),
    (re.compile(r"/(?:index|feed)\.rss|/index\.xml"), RSS),
    (re.compile(r"/atom\.xml"), ATOM),
    (re.compile(r"/index\.(?:html?|php)|/amp"), HOME),
)


def readings(path: str) -> Iterator[tuple[str, str | None]]:
    """Yield a path and the addresses that it may be another form of, each with the feed if it is a page's feed."""
    for address, feed in _forms(path):
        yield address, feed
        if tag := _TAG.fullmatch(address):
            yield f"/tag/{tag[1]}", feed


def page_named(path: str) -> str | None:
    """Return the page or feed that a whole path means on every blog."""
    if path == "/feed":
        return ATOM
    if feed := _FEED.fullmatch(path):
        return _feed_matched(feed)
    return next((page for pattern, page in _WELL_KNOWN if pattern.fullmatch(path)), None)


def feed_in_query(address: str) -> str | None:
    """Return the feed that the query of an address such as "/?feed=rss2" names."""
    feed = _FEED_QUERY.fullmatch(address)
    return _FEED_NAMES.get(feed[1], RSS) if feed else None


def _forms(path: str) -> Iterator[tuple[str, str | None]]:
    """Yield a path, and it without what is added to addresses, each with the feed if it is that of a page."""
    yield path, None
    if (image := _SIZE.sub("", path, count=1)) != path:
        yield image, None
        yield _UNSCALED.sub("-scaled", image, count=1), None
    feed = None
    for _ in range(3):
        at_feed = _FEED_AT_END.search(path)
        if at_feed and at_feed.start():
            feed, path = _feed_matched(at_feed), path[: at_feed.start()]
        elif at_end := _AT_END.search(path):
            path = path[: at_end.start()]
        else:
            break
        if not path:
            return
        yield path, feed
    if dated := _DATED.fullmatch(path):
        yield f"/{dated[1]}", feed
    if nested := _NESTED.fullmatch(path):
        yield "".join(nested.groups()), feed


def _feed_matched(match: re.Match[str]) -> str:
    return _FEED_NAMES.get(match[2] or match[1], RSS)
