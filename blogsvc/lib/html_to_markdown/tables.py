"""Read the rows and cells of a table in a parsed document."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bs4.element import NavigableString, Tag

_DELIMITERS = {"left": ":--", "center": ":-:", "right": "--:"}
_TOO_RICH = "audio blockquote details dl gallery h2 hr ol pre table ul video".split()


@dataclass
class Table:
    """The cells of each row, and the content outside of the rows (`around`), such as a caption."""

    rows: list[list[Tag]] = field(default_factory=list)
    around: list[Tag | NavigableString] = field(default_factory=list)
    has_header: bool = False


def is_too_rich(table: Tag) -> bool:
    """Return True if Markdown can't express the table, because cells span rows or columns or contain blocks."""
    return bool(table.find(rowspan=True) or table.find(colspan=True) or table.find(_TOO_RICH))


def alignments(rows: list[list[Tag]]) -> list[str]:
    """Return the delimiter of each column in Markdown, such as ":--:", from the first cell that says how it aligns."""
    width = max((len(row) for row in rows), default=0)
    columns = ([row[column] for row in rows if column < len(row)] for column in range(width))
    return [next((sign for cell in column if (sign := _alignment(cell))), "---") for column in columns]


def _alignment(cell: Tag) -> str:
    style = re.search(r"text-align:\s*(left|center|right)", str(cell.get("style") or ""))
    named = re.search(r"\bhas-text-align-(left|center|right)\b", str(cell.get("class")))
    said = style or named
    return _DELIMITERS.get(said[1] if said else str(cell.get("align") or "").lower(), "")


def read_table(table: Tag) -> Table:
    result = Table()
    _read(table, result)
    return result


def _read(holder: Tag, result: Table) -> None:
    loose: list[Tag] = []  # cells without a row
    for child in holder.children:
        if isinstance(child, Tag) and child.name in ("td", "th"):
            loose.append(child)
        elif isinstance(child, Tag) and child.name == "tr":
            cells = [cell for cell in child.children if isinstance(cell, Tag) and cell.name in ("td", "th")]
            if cells and not result.rows:
                result.has_header = holder.name == "thead" or all(cell.name == "th" for cell in cells)
            result.rows += [cells] if cells else []
        elif isinstance(child, Tag) and child.name in ("thead", "tbody", "tfoot", "form"):
            _read(child, result)
        elif isinstance(child, Tag) or (isinstance(child, NavigableString) and child.strip()):
            result.around.append(child)
    result.rows += [loose] if loose else []
