"""Write the end tags that HTML may leave out: of items and of cells, as browsers add them."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(?P<end>/?)(?P<name>li|ol|ul|menu|dir|td|th|tr|tbody|thead|tfoot|table)(?=[\s/>])", re.IGNORECASE)
_LISTS = ("ol", "ul", "menu", "dir")
_CELLS = frozenset(("td", "th"))
_ROWS = frozenset(("tbody", "thead", "tfoot"))
# What the beginning of an element ends, and what its end ends.
_ENDED = {
    "li": frozenset({"li"}),
    "tr": _CELLS | {"tr"},
    **dict.fromkeys(_CELLS, _CELLS),
    **dict.fromkeys(_ROWS, _CELLS | _ROWS | {"tr"}),
}
_INSIDE = {
    **dict.fromkeys(_LISTS, frozenset({"li"})),
    "tr": _CELLS,
    **dict.fromkeys(_ROWS, _CELLS | {"tr"}),
    "table": _CELLS | _ROWS | {"tr"},
}


def with_end_tags(html: str) -> str:
    """Return HTML in which items, cells and rows end before the next ones, in linear time.

    Source: https://html.spec.whatwg.org/multipage/syntax.html#optional-tags
    """
    lowered = html.lower()
    if all(lowered.count(f"<{name}") <= lowered.count(f"</{name}") for name in ("li", "td", "th", "tr")):
        return html
    parts: list[str] = []
    is_open: list[str] = []
    place = 0
    for tag in _TAG.finditer(html):
        name = tag["name"].lower()
        ended = _ended_by(name, is_open) if not tag["end"] else _ended_at_end(name, is_open)
        parts += [html[place : tag.start()], *(f"</{one}>" for one in ended)]
        place = tag.start()
        if not tag["end"]:
            is_open.append(name)
        elif is_open and is_open[-1] == name:
            is_open.pop()
    return "".join([*parts, html[place:]])


def _ended_by(name: str, is_open: list[str]) -> list[str]:
    """Close what the beginning of an element ends, and return it."""
    ended: list[str] = []
    while is_open and is_open[-1] in _ENDED.get(name, ()):
        ended.append(is_open.pop())
    return ended


def _ended_at_end(name: str, is_open: list[str]) -> list[str]:
    """Close what is still open inside an element that ends, and return it. A stray end tag ends nothing."""
    inside = _INSIDE.get(name, frozenset())
    depth = len(is_open)
    while depth and is_open[depth - 1] in inside:
        depth -= 1
    if not depth or is_open[depth - 1] != name:
        return []
    ended = is_open[depth:][::-1]
    del is_open[depth:]
    return ended
