"""Build nested lists from those of Word and Apple: paragraphs with a marker, or lists of one item each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag

_MSO_LIST = re.compile(r"mso-list:\s*(l\d+)\s+level([1-9])(?:\s+(lfo\d+))?", re.IGNORECASE)
_MARKER = re.compile(r"mso-list:\s*ignore", re.IGNORECASE)
_NUMBER = re.compile(r"\(?(?:(\d{1,6})|[a-z]{1,8})[.)]", re.IGNORECASE)
# The marker of an item of Pages, Notes and TextEdit, between tabs.
_TABBED = re.compile(r"[ \n]*(\t*)(?:[•◦▪▫‣⁃∙○●■□*–—-]|((\d{1,6})|[a-z]|[ivxlc]{1,8})[.)]) *\t", re.IGNORECASE)
_MAX_MARKER = 60  # characters, with the tabs around it


@dataclass
class _Item:
    """An item of a list: its element, list, level from 1, and the number of an ordered item."""

    element: Tag
    list_id: str
    level: int
    is_ordered: bool
    number: str = "1"


def build(soup: BeautifulSoup) -> None:
    """Build the lists of Word on the desktop and on the web, and those of Apple's programs."""
    headings = ["p", "h1", "h2", "h3", "h4", "h5", "h6"]
    found = [_of_desktop(paragraph) for paragraph in soup.find_all(headings, style=_MSO_LIST)]
    _nest(soup, [item for item in found if item is not None])
    items = [_of_web(element) for element in soup.select("li[data-listid]")]
    for holder in soup.select("div.ListContainerWrapper, ul:has(> li[data-listid]), ol:has(> li[data-listid])"):
        holder.unwrap()
    _nest(soup, items)
    tabs = soup.find_all("span", class_="Apple-tab-span")
    paragraphs = {id(paragraph): paragraph for tab in tabs if (paragraph := tab.find_parent("p")) is not None}
    found = [_of_apple(paragraph) for paragraph in paragraphs.values()]
    _nest(soup, [item for item in found if item is not None])


def _of_desktop(paragraph: Tag) -> _Item | None:
    """Return the item of a paragraph. A numbered heading loses its number and is none."""
    style = _MSO_LIST.search(str(paragraph["style"]))
    marker = paragraph.find(style=_MARKER)
    if style is None or marker is None:
        return None
    number = _NUMBER.fullmatch(marker.get_text(strip=True))
    marker.decompose()
    if paragraph.name != "p":
        return None
    start = number[1] if number is not None and number[1] else "1"
    return _Item(paragraph, style[1] + (style[3] or ""), int(style[2]), number is not None, start)


def _of_web(element: Tag) -> _Item:
    level = str(element.get("aria-level") or "1")
    is_ordered = element.parent is not None and element.parent.name == "ol"
    position = str(element.get("data-aria-posinset") or "1")
    return _Item(element, str(element["data-listid"]), int(level) if level in "123456789" else 1, is_ordered, position)


def _of_apple(paragraph: Tag) -> _Item | None:
    """Return the item of a paragraph that begins with a marker between tabs. The tabs before it are its level."""
    begin = list(islice((node for node in paragraph.descendants if isinstance(node, NavigableString)), _MAX_MARKER))
    marker = _TABBED.match("".join(begin)[:_MAX_MARKER])
    if marker is None:
        return None
    rest = marker.end()
    for text in begin:
        text.replace_with(NavigableString(text[rest:]))
        rest = max(0, rest - len(text))
    return _Item(paragraph, "", len(marker[1]), marker[2] is not None, marker[3] or "1")


def _nest(soup: BeautifulSoup, items: list[_Item]) -> None:
    """Put each item into the list of its level. Items that follow each other belong together."""
    open_lists: list[tuple[_Item, Tag]] = []  # the lists around the previous item, each with its first item
    for item in items:
        if open_lists:
            remove_space_after(open_lists[0][1])
            if open_lists[0][1].next_sibling is not item.element:
                open_lists = []
        while open_lists and open_lists[-1][0].level > item.level and len(open_lists) > 1:
            open_lists.pop()
        if open_lists and open_lists[-1][0].level >= item.level and not _continues(item, open_lists[-1][0]):
            open_lists.pop()
        if not open_lists or open_lists[-1][0].level < item.level:
            new = soup.new_tag("ol" if item.is_ordered else "ul", attrs={"start": item.number})
            if open_lists:
                last_item = open_lists[-1][1].contents[-1]
                assert isinstance(last_item, Tag)
                last_item.append(new)
            else:
                item.element.insert_before(new)
            open_lists.append((item, new))
        item.element.name, item.element.attrs = "li", {}
        open_lists[-1][1].append(item.element.extract())


def _continues(item: _Item, first: _Item) -> bool:
    return item.is_ordered == first.is_ordered and (item.level > 1 or item.list_id == first.list_id)


def remove_space_after(node: Tag) -> None:
    """Remove blank text after an element, so that `next_sibling` is the next element, or text that is not blank."""
    while isinstance(node.next_sibling, NavigableString) and not node.next_sibling.strip():
        node.next_sibling.extract()
