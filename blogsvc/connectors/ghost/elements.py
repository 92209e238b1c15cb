"""The simple elements that Ghost's editor keeps, as elements of BeautifulSoup."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from bs4 import Tag
from bs4.dammit import EntitySubstitution
from bs4.element import NavigableString
from bs4.formatter import HTMLFormatter

# What paragraphs, headings and list items may contain, with the attributes that the editor keeps or that nobody
# misses. `title` is one of these: see `posts.warnings`.
INLINE: Mapping[str, Collection[str]] = {
    "a": ("href", "title"),
    **dict.fromkeys(("b", "br", "code", "em", "i", "s", "strong", "sub", "sup", "u"), ()),
}
# The editor has other names for these.
RENAMED = {"del": "s", "ins": "u"}
LISTS: Mapping[str, Collection[str]] = {"ol": ("start",), "ul": ()}


class _AsWritten(HTMLFormatter):
    """Write HTML as nh3 does: attributes in their order, void elements without a slash."""

    def __init__(self) -> None:
        super().__init__(entity_substitution=EntitySubstitution.substitute_xml, void_element_close_prefix="")

    def attributes(self, tag: Tag) -> Iterable[tuple[str, Any]]:
        return tag.attrs.items()


_AS_WRITTEN = _AsWritten()


def parts_of(element: Tag) -> list[Any]:
    """Return the children of an element without white space between them."""
    return [one for one in element.children if not is_space(one)]


def is_paragraph(element: Any, name: str = "p") -> bool:
    return name_of(element) == name and is_plain(element) and are_inline(element.children)


def paragraphs_of(quotation: Tag) -> list[Any]:
    """Return the paragraphs of a quotation, or [] if it has anything else."""
    paragraphs = parts_of(quotation)
    return paragraphs if is_plain(quotation) and all(map(is_paragraph, paragraphs)) else []


def is_code(element: Tag) -> bool:
    code: Any = element.contents[0] if len(element.contents) == 1 else None
    return is_plain(element) and name_of(code) == "code" and is_plain(code, ("class",)) and not code.find()


def is_list(element: Any) -> bool:
    """Return True if all items have text in one line, or in one paragraph, and perhaps a simple list after it."""
    if name_of(element) not in LISTS:
        return False
    for inner in (element, *element.find_all(list(LISTS))):
        if not is_plain(inner, LISTS[inner.name]) or not all(map(_is_item, parts_of(inner))):
            return False
    return True


def _is_item(item: Any) -> bool:
    if name_of(item) != "li" or item.attrs:
        return False
    parts = parts_of(item)
    if len(parts) > 1 and name_of(parts[-1]) in LISTS:
        parts.pop()
    return bool(parts) and (are_inline(parts) or (len(parts) == 1 and is_paragraph(parts[0])))


def are_inline(parts: Iterable[Any]) -> bool:
    return all(_is_inline(one) for part in parts for one in _with_all_inside(part))


def _with_all_inside(part: Any) -> Iterator[Any]:
    yield part
    if isinstance(part, Tag):
        yield from part.descendants


def _is_inline(part: Any) -> bool:
    if isinstance(part, NavigableString):
        return True
    name = RENAMED.get(part.name, part.name)
    return name in INLINE and is_plain(part, INLINE[name])


def is_plain(element: Tag, attributes: Collection[str] = ()) -> bool:
    return set(element.attrs) <= set(attributes)


def is_space(part: Any) -> bool:
    return isinstance(part, NavigableString) and not part.strip()


def kept_form(element: Tag) -> str:
    """Return the HTML of an element, with the names that the editor has for what it contains."""
    rename(element)
    return written(element)


def kept_content(element: Tag) -> str:
    """Return the HTML of what an element contains, with the names that the editor has for it."""
    rename(element)
    return str(element.decode_contents(formatter=_AS_WRITTEN)).strip()


def rename(element: Tag) -> None:
    for inner in element.find_all(list(RENAMED)):
        inner.name = RENAMED[inner.name]


def written(part: Any) -> str:
    html = part.decode(formatter=_AS_WRITTEN) if isinstance(part, Tag) else part.output_ready(_AS_WRITTEN)
    return str(html).strip()


def name_of(part: Any) -> str:
    return part.name if isinstance(part, Tag) else ""
