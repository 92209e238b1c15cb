"""What the settings of Ghost say about a blog: its title, images, menus and profiles."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from blogsvc.transfer.formats.ghost.portal import is_portal
from blogsvc.transfer.formats.ghost.url import PLACEHOLDER
from blogsvc.transfer.formats.parsed_blog import ParsedBlog, ParsedImage
from blogsvc.transfer.formats.parsed_post import LinkPlace, ParsedLinks


def blog(settings: Mapping[str, str], name_of: Callable[[str], str]) -> ParsedBlog:
    """Return the title, description, language, icon and logo of the blog.

    Args:
        name_of: returns the name in the archive of an image, "" if the archive does not have it.
    """
    images = {name: settings.get(name, "") for name in ("icon", "logo")}
    return ParsedBlog.of(
        {
            "title": settings.get("title"),
            "description": settings.get("description"),
            "language": settings.get("locale") or settings.get("lang"),
        },
        {name: ParsedImage(url, name_of(url)) for name, url in images.items()},
    )


def menus(settings: Mapping[str, str], tags: Mapping[str, str]) -> Iterator[ParsedLinks]:
    """Yield the menus, which Ghost stores as JSON texts in its settings.

    Args:
        tags: the names of tags by the paths of their pages.
    """
    places: tuple[tuple[str, LinkPlace], ...] = (("navigation", "header"), ("secondary_navigation", "footer"))
    for key, place in places:
        try:
            rows = json.loads(settings.get(key) or "[]")
        except (ValueError, RecursionError):
            continue
        items = (row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()
        links = [(row.get("label"), _target(str(row.get("url")), tags), False) for row in items]
        if links:
            yield ParsedLinks.of(place, links)


def _target(url: str, tags: Mapping[str, str]) -> str:
    path = url.removeprefix(PLACEHOLDER)
    if is_portal(url):
        return f"#{url.partition('#')[2]}"  # which is no target here
    if not path.startswith("/"):
        return url if path else "home"
    tag = tags.get(path.rstrip("/"))
    return f"tag:{tag}" if tag else PLACEHOLDER + path if path.strip("/") else "home"


def social_links(settings: Mapping[str, str]) -> Iterator[ParsedLinks]:
    """Yield the profiles of the blog, without those of Ghost itself, which a new blog has."""
    own = {name: settings.get(name, "").strip() for name in ("twitter", "facebook")}
    own = {name: profile for name, profile in own.items() if profile.lstrip("@") not in ("ghost", "tryghost")}
    if links := profiles(own):
        yield ParsedLinks.of("social", links)


def profiles(row: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """Return the links to the profiles that Ghost has by name."""
    twitter, facebook = row.get("twitter", ""), row.get("facebook", "")
    links = (
        ("X", f"https://x.com/{twitter.removeprefix('@')}", twitter),
        ("Facebook", f"https://www.facebook.com/{facebook}", facebook),
    )
    return [(label, url, True) for label, url, name in links if name]
