"""The paths of pages on the blog, and of the API beside them."""

from __future__ import annotations

from urllib.parse import quote, unquote

# Segments that browsers, proxies and routers remove from a path, or not.
_REMOVABLE = frozenset({"", ".", ".."})


def of_post(slug: str) -> str:
    return f"/{quote(slug, safe='')}"


def of_year(year: int) -> str:
    """Return the path of the posts of a year in the archive."""
    return f"/archive/{year:04}"


def of_author(slug: str) -> str:
    """Return the path of an author's page."""
    return f"/author/{quote(slug, safe='')}"


def of_author_feed(slug: str) -> str:
    """Return the path of the Atom feed of an author."""
    return f"/feed/author/{quote(slug, safe='')}"


def of_series(slug: str) -> str:
    """Return the path of the page of a series."""
    return f"/series/{quote(slug, safe='')}"


def of_series_feed(slug: str) -> str:
    """Return the path of the Atom feed of a series."""
    return f"/feed{of_series(slug)}"


def of_tag_feed(tag: str) -> str:
    """Return the path of the Atom feed of a tag."""
    return f"/feed{of_tag(tag)}"


def of_tag(tag: str) -> str:
    """Return the path of a tag's page. A tag that is no canonical path, such as `a//b`, is encoded twice."""
    encoded = quote(tag, safe="")
    if _is_odd(tag):
        encoded = quote(encoded.replace(".", "%2E"), safe="")
    return f"/tag/{encoded}"


def tag_in(path: str) -> str:
    """Return the tag of a path after `/tag/`, which the server has decoded once."""
    tag = unquote(path)
    return tag if _is_odd(tag) else path


def _is_odd(tag: str) -> bool:
    """Return True if the tag is no canonical path, or would not be one if it were decoded once more."""
    return not (is_canonical(f"/{tag}") and is_canonical(f"/{unquote(tag)}"))


def is_canonical(path: str) -> bool:
    """Return True if the decoded path has no empty or dotted segments, except for a slash at its end."""
    return _REMOVABLE.isdisjoint(path.removesuffix("/").split("/")[1:])


def is_api(path: str) -> bool:
    """Return True for /api and every path under it, where every answer is JSON or empty, never a page."""
    return f"{path}/".startswith("/api/")
