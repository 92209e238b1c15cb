"""CSV files that spreadsheets open safely."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from typing import BinaryIO

# A spreadsheet takes a cell that begins with one of these for a formula. The last four are full-width forms.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

Cell = str | int | float | None


def write_csv(out: BinaryIO, header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Write a file in UTF-8, with the mark by which Excel recognizes it. None is an empty cell.

    A text that a spreadsheet would take for a formula gets an apostrophe before it, as OWASP recommends.
    """
    text = TextIOWrapper(out, encoding="utf-8-sig", newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_safe(cell) for cell in row] for row in rows)
    text.detach()  # flushes, and leaves the file open


def _safe(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
