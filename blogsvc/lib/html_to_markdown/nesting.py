"""Elements in each other that Markdown can't nest like this: marks and links around blocks, marks in code."""

from __future__ import annotations

from collections.abc import Iterator

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, Tag

from blogsvc.lib.html_to_markdown.tidying import BLOCKS, elements

_MARKS = frozenset("a abbr b cite del dfn em i ins mark s small strike strong sub sup u var".split())
RICH_CODE = "richcode"  # the name of code that stays HTML
_CODE = ("code", "samp", "tt")
# Elements whose text can't be marked, and elements that only group others.
_CLOSED = frozenset("audio iframe math object pre script style video".split())
_TRANSPARENT = frozenset("big font span wbr".split())
_GROUPS = _TRANSPARENT | set("article center div footer header main nav section".split())
_SHOWN = ("audio", "embed", "hr", "iframe", "img", "input", "object", "video")  # without text
_MAX_COPIES = 20_000  # of marks around many blocks


def tidy(soup: BeautifulSoup) -> None:
    """Move marks and links into the blocks that they surround, and separate lists that follow each other."""
    around = _around_blocks(soup)
    copies = 0
    for element in [tag for tag in elements(soup, _MARKS) if id(tag) in around]:
        made = 0
        for run in list(_runs(element, around)) if copies < _MAX_COPIES else ():
            _wrap(run, element)
            made += 1
        copies += made
        if not made and element.get("href"):
            link = soup.new_tag("a", attrs={"href": str(element["href"])})
            link.append(NavigableString(str(element["href"])))
            element.insert_after(link)
            link.wrap(soup.new_tag("p"))
        element.unwrap()
    for items in elements(soup, {"ol", "ul"}):
        before = _list_before(items)
        if before is not None and before.name == items.name and not before.get("marker"):
            items["marker"] = "other"


def _around_blocks(soup: BeautifulSoup) -> set[int]:
    """Return the ids of the inline elements around blocks."""
    seen: set[int] = set()
    for block in elements(soup, BLOCKS):
        parent = block.parent
        while parent is not None and id(parent) not in seen:
            seen.add(id(parent))
            parent = parent.parent
    return seen


def _runs(element: Tag, around: set[int]) -> Iterator[list[PageElement]]:
    """Yield the inline content of each block in an element."""
    run: list[PageElement] = []
    for child in list(element.contents):
        if isinstance(child, Tag) and (child.name in BLOCKS or id(child) in around):
            yield from _with_text(run)
            run = []
            # An image with its caption stays a figure, of which only the image can be linked.
            is_figure = child.name == "figure" and child.find("img") is not None and element.name != "a"
            is_caption = child.name == "figcaption" and element.find("img") is not None
            if child.name not in _CLOSED and not is_caption and not is_figure:
                yield from _runs(child, around)
        else:
            run.append(child)
    yield from _with_text(run)


def _with_text(run: list[PageElement]) -> Iterator[list[PageElement]]:
    if any(isinstance(node, Tag) or str(node).strip() for node in run):
        yield run


def _wrap(run: list[PageElement], element: Tag) -> None:
    new = Tag(name=element.name, attrs=dict(element.attrs))
    run[0].insert_before(new)
    new.extend(run)


def _list_before(items: Tag) -> Tag | None:
    """Return the list that comes directly before, perhaps in another group of blocks."""
    node: PageElement | None = items
    while node is not None and (before := _neighbor(node)) is None:
        node = node.parent if node.parent is not None and node.parent.name in _GROUPS else None
    while node is not None and isinstance(before, Tag):
        if before.name in ("ul", "ol"):
            return before
        if before.name not in _GROUPS:
            return None
        last = before.contents[-1] if before.contents else None
        before = _neighbor(last) if last is not None and _is_blank(last) else last
    return None


def _neighbor(node: PageElement) -> PageElement | None:
    before = node.previous_sibling
    while before is not None and _is_blank(before):
        before = before.previous_sibling
    return before


def _is_blank(node: PageElement) -> bool:
    """Return True if nothing of a node is shown."""
    if not isinstance(node, Tag):
        return not str(node).strip()
    return node.name not in _SHOWN and not node.get_text(strip=True) and node.find(_SHOWN) is None


def tidy_code(soup: BeautifulSoup, *, has_html: bool) -> None:
    """Move marks and links around all of a code out of it. Rename code that Markdown can't express."""
    last: Tag | None = None
    for code in [tag for tag in elements(soup, _CODE) if tag.find_parent(["pre", *_CODE]) is None]:
        for inner in elements(code, _CODE):
            inner.unwrap()
        _turn_inside_out(code)
        is_rich = any(tag.name not in _TRANSPARENT for tag in code.find_all(True))
        if last is not None and last.name != RICH_CODE and _follows(code, last):
            if has_html:
                is_rich = True
            elif last.next_sibling is code:
                code.insert(0, last.get_text())
                last.extract()
        if is_rich and has_html:
            code.name = RICH_CODE
        last = code


def _turn_inside_out(code: Tag) -> None:
    while len(code.contents) == 1 and isinstance(mark := code.contents[0], Tag) and mark.name in _MARKS:
        mark.unwrap()
        code.wrap(Tag(name=mark.name, attrs=dict(mark.attrs)))


def _follows(code: Tag, last: Tag) -> bool:
    """Return True if there is no text between two codes in the same block."""
    node = code.previous_element
    while isinstance(node, Tag) and node.name not in (*BLOCKS, "br", "img"):
        node = node.previous_element
    is_in_last = isinstance(node, NavigableString) and last in node.parents
    return is_in_last and last.find_parent(BLOCKS) is code.find_parent(BLOCKS)
