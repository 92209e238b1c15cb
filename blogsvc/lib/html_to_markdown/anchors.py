"""Targets of links inside a text: ids that Markdown has no notion of stay as empty links with an id."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import unquote

from bs4 import BeautifulSoup
from bs4.element import Tag

from blogsvc.lib.html_to_markdown.tidying import elements
from blogsvc.lib.markdown.fragments import IS_NAME, place_name
from blogsvc.lib.text.plain import slugify

_HEADING = re.compile("h[1-6]")
_PLAIN_HEADING = re.compile(r"[A-Za-z0-9]+(?: [A-Za-z0-9]+){0,9}")
# Elements that can't begin with an anchor: it goes into the first cell or item, or before the element.
_HOLDERS = frozenset("dl ol table tbody thead tr ul".split())
_WITHOUT_TEXT = frozenset("audio br figure hr iframe img pre video".split())


def keep_targets(soup: BeautifulSoup, linked: Collection[str] = ()) -> None:
    """Put an anchor where a link inside the text leads. Headings need none if their own id is the same.

    Args:
        linked: names to which other texts link.
    """
    links = [link for link in elements(soup, {"a"}) if str(link.get("href") or "").startswith("#")]
    for link in links:
        name = str(link["href"])[1:]
        link["href"] = "#" + (name if IS_NAME.fullmatch(unquote(name)) else place_name(name))
    wanted = ({place_name(str(link["href"])[1:]) for link in links} | set(linked)) - {""}
    if not wanted:
        return
    slugs: set[str] = set()
    for element in soup.find_all(True):
        slug = _slug(element)
        name = place_name(str(element.get("id") or (element.name == "a" and element.get("name")) or ""))
        has_own_id = slug == name and slug not in slugs
        slugs.add(slug)
        if name in wanted and not has_own_id:
            wanted.discard(name)
            _add(soup, element, name)


def _slug(element: Tag) -> str:
    """Return the id that a heading has on our pages, if any rule for ids makes the same of its words, or ""."""
    if not _HEADING.fullmatch(element.name):
        return ""
    words = " ".join(element.get_text().split())
    return slugify(words) if _PLAIN_HEADING.fullmatch(words) else ""


def _add(soup: BeautifulSoup, element: Tag, name: str) -> None:
    anchor = soup.new_tag("anchor", attrs={"id": name})
    place: Tag | None = element
    while place is not None and place.name in _HOLDERS:
        place = next((child for child in place.children if isinstance(child, Tag)), None)
    if place is None or place.name in _WITHOUT_TEXT or place.name == "a":
        element.insert_before(anchor)
    else:
        place.insert(0, anchor)
