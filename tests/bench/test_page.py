"""Measured figures replace those in the table of docs/performance.md."""

from __future__ import annotations

from datetime import date

from tests.bench.page import PAGE, with_figures
from tests.bench.rows import Row

TABLE = """\
| what | goal | figure | measured | note |
|---|---|---|---|---|
| GET one post | 80 % | **75 % (200 µs)** | 2026-11-23 | 3 statements |
| idle, resident | 90.0 MiB | 80.0 MiB | 2026-11-23 | |

The end.
"""


def test_a_figure_is_replaced_and_its_note_stays() -> None:
    rows = [Row("GET one post", 160, "%", 80, "100 µs"), Row("idle, resident", 95, "MiB", 90)]
    assert with_figures(TABLE, rows, date(2026, 11, 30)).splitlines()[2:4] == [
        "| GET one post | 80 % | 160 % (100 µs) | 2026-11-30 | 3 statements |",
        "| idle, resident | 90.0 MiB | **95.0 MiB** | 2026-11-30 | |",
    ]


def test_what_is_new_comes_last_in_the_table() -> None:
    page = with_figures(TABLE, [Row("GET a search", 50, "%")], date(2026, 11, 30))
    assert page.endswith("2026-11-23 | |\n| GET a search | - | 50 % | 2026-11-30 | |\n\nThe end.\n")


def test_the_page_has_a_table_to_replace_figures_in() -> None:
    row = Row("GET one post", 160, "%", 80)
    page = PAGE.read_text()
    assert len(with_figures(page, [row], date(2026, 11, 30)).splitlines()) == len(page.splitlines())
