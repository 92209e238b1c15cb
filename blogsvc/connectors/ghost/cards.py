"""Prepare HTML for Ghost's editor, which keeps only simple elements. All others become HTML cards.

What it keeps was tried with Ghost 6.65; `tests/real/test_ghost.py` compares what readers see with what was written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.dammit import EntitySubstitution
from bs4.element import NavigableString
from bs4.formatter import HTMLFormatter

BEGIN, END = "<!--kg-card-begin: html-->", "<!--kg-card-end: html-->"
# What paragraphs, headings and list items may contain, with the attributes that the editor keeps or that nobody
# misses. `title` is one of these: see `posts.warnings`.
INLINE: Mapping[str, Collection[str]] = {
    "a": ("href", "title"),
    **dict.fromkeys(("b", "br", "code", "em", "i", "s", "strong", "sub", "sup", "u"), ()),
}
# The editor has other names for these.
RENAMED = {"del": "s", "ins": "u"}
LISTS: Mapping[str, Collection[str]] = {"ol": ("start",), "ul": ()}
HEADINGS = ("h2", "h3", "h4", "h5", "h6")


class _AsWritten(HTMLFormatter):
    """Write HTML as nh3 does: attributes in their order, void elements without a slash."""

    def __init__(self) -> None:
        super().__init__(entity_substitution=EntitySubstitution.substitute_xml, void_element_close_prefix="")

    def attributes(self, tag: Tag) -> Iterable[tuple[str, Any]]:
        return tag.attrs.items()


AS_WRITTEN = _AsWritten()


def kept(html: str) -> str:
    """Return sanitised HTML of which the editor loses nothing: simple elements, and HTML cards for all others."""
    soup = BeautifulSoup(html, "html.parser")
    targets = {str(link["href"])[1:] for link in soup.find_all("a", href=True) if str(link["href"]).startswith("#")}
    return "\n".join(_blocks(soup, targets))


def words_and_links(html: str) -> list[str]:
    """Return what Ghost's editor never changes: the words as one text, and where links lead."""
    soup = BeautifulSoup(html, "html.parser")
    return ["".join(soup.get_text().split()), *(str(link["href"]) for link in soup.find_all("a", href=True))]


def _blocks(soup: BeautifulSoup, targets: Collection[str]) -> Iterator[str]:
    """Yield simple elements as they are, and neighbours that are not simple in one HTML card."""
    card: list[str] = []
    before = ""
    for child in soup.children:
        if _is_space(child):
            continue
        is_joined = before in LISTS and before == _name(child)  # the editor would join two lists
        simple = None if is_joined else _simple(child, targets)
        before = _name(child) if simple else ""
        if simple is None:
            card.append(_written(child))
        else:
            yield from _card(card)
            card = []
            yield simple
    yield from _card(card)


def _card(elements: list[str]) -> Iterator[str]:
    if elements:
        yield f"{BEGIN}\n" + "\n".join(elements) + f"\n{END}"


def _simple(child: Any, targets: Collection[str]) -> str | None:
    """Return an element in the form that the editor keeps, or None if there is none."""
    if isinstance(child, NavigableString):
        return _written(child)
    if child.name in ("p", "figure") and (picture := _picture(child)):
        return picture
    if not _is_kept(child, targets):
        return None
    for element in child.find_all(list(RENAMED)):
        element.name = RENAMED[element.name]
    return _written(child)


def _is_kept(element: Tag, targets: Collection[str]) -> bool:
    name = element.name
    if name == "hr":
        return _is_plain(element)
    if name == "pre":
        return _is_code(element)
    if name == "blockquote":
        paragraphs = [one for one in element.children if not _is_space(one)]
        return _is_plain(element) and bool(paragraphs) and all(map(_is_paragraph, paragraphs))
    if name in HEADINGS and element.get("id") not in targets:
        return _is_plain(element, ("id",)) and _are_inline(element.children)
    return _is_paragraph(element, name) if name in ("p", *HEADINGS) else name in LISTS and _is_list(element)


def _picture(element: Tag) -> str | None:
    """Return an image card for an image alone, perhaps linked and with a caption."""
    parts: list[Any] = [one for one in element.children if not _is_space(one)]
    caption = parts.pop() if len(parts) == 2 and _name(parts[1]) == "figcaption" else None
    if element.attrs or len(parts) != 1 or (caption and not _is_paragraph(caption, "figcaption")):
        return None
    image = parts[0]
    if _name(image) == "a" and set(image.attrs) <= {"href"} and len(image.contents) == 1:
        image = image.contents[0]
    if _name(image) != "img" or not set(image.attrs) <= {"src", "alt", "title", "width", "height"}:
        return None
    return _written(element) if element.name == "figure" else f"<figure>{_written(parts[0])}</figure>"


def _is_paragraph(element: Any, name: str = "p") -> bool:
    return _name(element) == name and _is_plain(element) and _are_inline(element.children)


def _is_code(element: Tag) -> bool:
    code: Any = element.contents[0] if len(element.contents) == 1 else None
    return _is_plain(element) and _name(code) == "code" and _is_plain(code, ("class",)) and not code.find()


def _is_list(element: Tag) -> bool:
    """Return True if all items have text in one line, or in one paragraph, and perhaps a simple list after it."""
    for inner in (element, *element.find_all(list(LISTS))):
        items: list[Any] = [one for one in inner.children if not _is_space(one)]
        if not _is_plain(inner, LISTS[inner.name]) or not all(_is_item(one) for one in items):
            return False
    return True


def _is_item(item: Any) -> bool:
    if _name(item) != "li" or item.attrs:
        return False
    parts: list[Any] = [one for one in item.children if not _is_space(one)]
    if len(parts) > 1 and _name(parts[-1]) in LISTS:
        parts.pop()
    return bool(parts) and (_are_inline(parts) or (len(parts) == 1 and _is_paragraph(parts[0])))


def _are_inline(parts: Iterable[Any]) -> bool:
    return all(_is_inline(one) for part in parts for one in _with_all_inside(part))


def _with_all_inside(part: Any) -> Iterator[Any]:
    yield part
    if isinstance(part, Tag):
        yield from part.descendants


def _is_inline(part: Any) -> bool:
    if isinstance(part, NavigableString):
        return True
    name = RENAMED.get(part.name, part.name)
    return name in INLINE and _is_plain(part, INLINE[name])


def _is_plain(element: Tag, attributes: Collection[str] = ()) -> bool:
    return set(element.attrs) <= set(attributes)


def _is_space(part: Any) -> bool:
    return isinstance(part, NavigableString) and not part.strip()


def _written(part: Any) -> str:
    written = part.decode(formatter=AS_WRITTEN) if isinstance(part, Tag) else part.output_ready(AS_WRITTEN)
    return str(written).strip()


def _name(part: Any) -> str:
    return part.name if isinstance(part, Tag) else ""
