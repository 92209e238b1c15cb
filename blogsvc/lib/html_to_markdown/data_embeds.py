"""Embedded content whose address is in the attributes of an empty element, where a script would fill it in.

Substack writes `data-attrs` with JSON, Facebook `data-href`, TikTok and Instagram name the page of a quotation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag

from blogsvc.lib.html_to_markdown.tidying import elements

MAX_LENGTH = 20_000  # characters of attributes
_ADDRESSES = ("url", "canonical_url", "href", "src")
_WORDS = ("full_text", "title", "label", "text", "persistentExpression", "name")
_PAGES = ("data-href", "cite", "data-instgrm-permalink")
_CLASSES = frozenset("fb-post fb-video tiktok-embed instagram-media".split())


def prepare(soup: BeautifulSoup) -> list[str]:
    """Write what such elements show as links and words. Returns a warning for each that says nothing."""
    warnings = []
    for label in elements(soup, {"label"}):
        if "hide-text" in (label.get("class") or ()):  # only for screen readers, as Substack writes it
            label.decompose()
    for element in [one for one in elements(soup, {"a", "blockquote", "div"}) if _is_embed(one)]:
        values = _values(element)
        url = next((str(values[name]) for name in _ADDRESSES if _is_web(values.get(name))), "") or _page_of(element)
        words = next((str(values[name]) for name in _WORDS if isinstance(values.get(name), str)), "")
        if element.get_text(strip=True) or element.find(["img", "iframe"]) is not None:
            if url and element.find("a", href=url) is None:
                element.insert_after(_paragraph(soup, url, url))
        elif url or words.strip():
            element.replace_with(_paragraph(soup, url, words.strip() or url))
        else:
            kind = " ".join(element.get("class") or ())[:100]
            warnings.append(f"Embedded content without a URL was removed: {kind}.")
            element.decompose()
    return warnings


def _is_embed(element: Tag) -> bool:
    has_class = not _CLASSES.isdisjoint(element.get("class") or ())
    return has_class or (element.name == "div" and element.has_attr("data-attrs"))


def _values(element: Tag) -> Mapping[str, Any]:
    written = str(element.get("data-attrs") or "")
    try:
        values = json.loads(written) if 0 < len(written) <= MAX_LENGTH else None
    except (ValueError, RecursionError):
        values = None
    return values if isinstance(values, dict) else {}


def _page_of(element: Tag) -> str:
    return next((str(element[name]) for name in _PAGES if _is_web(element.get(name))), "")


def _is_web(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("https://", "http://")) and not any(map(str.isspace, value))


def _paragraph(soup: BeautifulSoup, url: str, words: str) -> Tag:
    paragraph = soup.new_tag("p")
    inner: Tag = paragraph
    if url:
        inner = soup.new_tag("a", attrs={"href": url})
        paragraph.append(inner)
    inner.append(NavigableString(words))
    return paragraph
