"""Turn styles into elements: bold, italic, struck, raised and, in pasted HTML, monospace text."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import groupby

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, Tag

_RULE = re.compile(r"(?:^|[}\s])([a-z]{1,10}[0-9]?)\.([\w-]{1,40})\s*\{([^{}]{0,1000})\}")
_MAX_CSS = 50_000  # characters
_MAX_JOINED = 5_000  # neighbors; the time grows with the square of their number
MONOSPACE = re.compile(r"courier|consolas|menlo|monaco|monospace|\bmono\b|sfmono|source code|fira code", re.IGNORECASE)
_BOLD = re.compile(r"\b(?:bold|bolder|[6-9]00)\b")
_SAME = {"b": "strong", "i": "em", "s": "del", "strike": "del"}
_MARKS = ("strong", "em", "del", "code")
_STYLED = ("span", "font")


def apply_rules(soup: BeautifulSoup, css: str) -> None:
    """Copy the rules for classes of elements, such as `p.p1`, into the style attributes."""
    rules = {(name, class_): style for name, class_, style in _RULE.findall(css[:_MAX_CSS])}
    if not rules:
        return
    for tag in soup.find_all(class_=True):
        found = [rules[tag.name, one] for one in tag["class"] if (tag.name, one) in rules]
        if found:
            tag["style"] = ";".join([*found, str(tag.get("style") or "")])


@lru_cache(maxsize=1000)
def _declarations(style: str) -> dict[str, str]:
    pairs = (declaration.partition(":") for declaration in style.lower().split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def declared(tag: Tag) -> dict[str, str]:
    """Return the properties that the style of a tag declares."""
    return _declarations(str(tag.get("style") or "")[:4000])


def font_size(tag: Tag) -> float:
    """Return the size of the letters of a tag in its own unit, or 0."""
    style = declared(tag)
    size = re.search(r"\b(\d{1,3}(?:\.\d{1,3})?)(?:px|pt)", style.get("font-size") or style.get("font") or "")
    return float(size[1]) if size else 0


def text_align(tag: Tag) -> str:
    """Return "center" or "right" if the text of a tag is aligned so, or else ""."""
    found = str(declared(tag).get("text-align") or tag.get("align") or "")
    return found if found in ("center", "right") else ""


def mark_words(soup: BeautifulSoup) -> None:
    """Put the elements of their formats into styled words and paragraphs of an imported text, except in code."""
    _unwrap_plain(soup)
    for tag in soup.find_all([*_STYLED, "p"], style=True):
        if tag.find_parent(["pre", "code"]) is None:
            _wrap(soup, tag, [name for name in _formats(tag) if name != "code"])


def _unwrap_plain(soup: BeautifulSoup) -> None:
    """Unwrap marks whose style takes back what they mean, as Google Docs writes them."""
    for tag in soup.find_all(["b", "strong", "i", "em"], style=True):
        style = declared(tag)
        is_bold = tag.name in ("b", "strong")
        if re.search(r"\b(?:normal|[1-4]00)\b", style.get("font-weight" if is_bold else "font-style", "")):
            tag.unwrap()


def mark(soup: BeautifulSoup) -> None:
    """Replace styled elements by the elements of their formats, and join neighbors of the same format."""
    _unwrap_plain(soup)
    has_code = _is_partly_monospace(soup)
    own_codes = {id(code) for code in soup.find_all("code")}
    for tag in soup.find_all([*_STYLED, "p"]):
        if tag.find_parent(["pre", "code"]) is not None:
            tag.attrs = {}
            continue
        _wrap(soup, tag, [name for name in _formats(tag) if has_code or name != "code"])
    for tag in soup.find_all(_STYLED):
        tag.unwrap()
    for tag in soup.find_all(["b", "strong", "i", "em", "s", "strike", "del", "code"]):
        tag.name = _SAME.get(tag.name, tag.name)
    soup.smooth()
    _join_neighbors(soup, own_codes)
    _make_code_blocks(soup)


def _is_partly_monospace(soup: BeautifulSoup) -> bool:
    """Return False if most of the text is monospace: then that is its font, and not code."""
    length = sum(len(tag.get_text()) for tag in soup.find_all(_is_monospace) if not tag.find_parent(_is_monospace))
    return 2 * length < len(soup.get_text())


def _is_monospace(tag: Tag) -> bool:
    style = declared(tag)
    face = style.get("font-family") or style.get("font") or str(tag.get("face") or "")
    return tag.name in (*_STYLED, "p") and MONOSPACE.search(face) is not None


def _formats(tag: Tag) -> list[str]:
    """Return the names of the elements for the formats of a tag, outermost first."""
    style = declared(tag)
    font = style.get("font", "")
    line = style.get("text-decoration", "") + style.get("text-decoration-line", "")
    raised = style.get("vertical-align")
    formats = {
        "strong": _BOLD.search(style.get("font-weight") or font) is not None,
        "em": "italic" in (style.get("font-style") or font),
        "del": "line-through" in line,
        "sup": raised == "super",
        "sub": raised == "sub",
        "code": _is_monospace(tag),
    }
    return [name for name, is_on in formats.items() if is_on]


def _wrap(soup: BeautifulSoup, tag: Tag, names: list[str]) -> None:
    for name in names if tag.get_text(strip=True) and not tag.find(["p", "div", "table", "ul", "ol", "pre"]) else ():
        if tag.find_parent([name, *(one for one, same in _SAME.items() if same == name)]) is None:
            inner = soup.new_tag(name)
            inner.extend(list(tag.contents))
            tag.append(inner)


def _join_neighbors(soup: BeautifulSoup, apart: Collection[int]) -> None:
    """Join elements of the same format that follow each other, except those with the ids in `apart`."""
    joined = 0
    for tag in soup.find_all(_MARKS):
        if tag.decomposed or tag.find_parent("pre") is not None:
            continue
        if not tag.get_text(strip=True) and tag.find(True) is None:
            tag.replace_with(NavigableString(tag.get_text()))
            continue
        while joined < _MAX_JOINED and id(tag) not in apart and (following := _following(tag)) is not None:
            joined += 1
            between, follower = following
            if id(follower) in apart:
                break
            tag.extend([*([between.extract()] if between is not None else []), *list(follower.contents)])
            follower.decompose()
    soup.smooth()


def _following(tag: Tag) -> tuple[PageElement | None, Tag] | None:
    """Return the next element if it has the same name, and the space before it."""
    between, follower = None, tag.next_sibling
    if type(follower) is NavigableString and not follower.strip():
        between, follower = follower, follower.next_sibling
    return (between, follower) if isinstance(follower, Tag) and follower.name == tag.name else None


def _make_code_blocks(soup: BeautifulSoup) -> None:
    """Make one code block of paragraphs that follow each other and consist of code."""
    holders: dict[int, Tag] = {}
    for code in soup.select("p > code"):
        if code.parent is not None and (holder := code.parent.parent) is not None:
            holders[id(holder)] = holder
    for holder in holders.values():
        children = [child for child in holder.contents if isinstance(child, Tag) or str(child).strip()]
        for is_code, group in groupby(children, _is_code):
            lines = list(group)
            if not is_code or len(lines) < 2:
                continue
            block = soup.new_tag("pre", string="\n".join(line.get_text().strip("\n") for line in lines))
            lines[0].insert_before(block)
            for line in lines:
                line.extract()


def _is_code(node: PageElement) -> bool:
    if not isinstance(node, Tag) or node.name != "p":
        return False
    inside = [child for child in node.contents if isinstance(child, Tag) or str(child).strip()]
    return len(inside) == 1 and isinstance(inside[0], Tag) and inside[0].name == "code"
