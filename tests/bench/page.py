"""The table in docs/performance.md: one row for each measured thing."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from blogsvc.config import ROOT
from tests.bench.rows import Row

PAGE = ROOT / "docs" / "performance.md"


def with_figures(page: str, rows: Iterable[Row], day: date) -> str:
    """Return the page with new figures. The notes stay, and what is new comes last in the table."""
    lines = page.splitlines()
    for row in rows:
        cells = f"| {row.what} | {row.told_goal or '-'} | {_figure(row)} | {day} |"
        at = next((at for at, line in enumerate(lines) if line.startswith(f"| {row.what} |")), None)
        if at is None:
            lines.insert(_end_of_table(lines), f"{cells} |")
        else:
            lines[at] = f"{cells}{lines[at].split('|', 5)[5]}"
    return "\n".join(lines) + "\n"


def _figure(row: Row) -> str:
    figure = f"{row.told} ({row.detail})" if row.detail else row.told
    return f"**{figure}**" if row.is_missed else figure


def _end_of_table(lines: list[str]) -> int:
    return max(at for at, line in enumerate(lines) if line.startswith("|")) + 1
