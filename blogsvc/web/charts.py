"""Compute the geometry of charts, which templates draw as SVG beside a table of the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

# In units of the SVG: the height of a chart, the width of a column with its gap, and the gap.
HEIGHT, STEP, GAP = 100.0, 10.0, 2.0


@dataclass(frozen=True)
class Column:
    x: float
    y: float
    height: float
    label: str
    value: int
    before: int | None


@dataclass(frozen=True)
class Chart:
    """Columns for this period and a line for the previous one. `top` is the value at the upper edge."""

    columns: list[Column]
    line: str
    top: int
    width: float

    @property
    def labels(self) -> list[str]:
        """Return the labels of the axis: the first, middle and last column."""
        names = [column.label for column in self.columns]
        return names if len(names) < 4 else [names[0], names[len(names) // 2], names[-1]]


def chart(points: Sequence[tuple[str, int]], before: Sequence[int] = ()) -> Chart:
    """Return a chart of (label, count) in order of time. `before` has the counts of the previous period."""
    top = round_up(max([count for _, count in points] + [*before, 1]))
    earlier = [*before, *([None] * (len(points) - len(before)))][: len(points)]
    columns = [
        Column(
            x=round(number * STEP + GAP / 2, 2),
            y=round(HEIGHT - HEIGHT * count / top, 2),
            height=round(HEIGHT * count / top, 2),
            label=label,
            value=count,
            before=was,
        )
        for number, ((label, count), was) in enumerate(zip(points, earlier, strict=True))
    ]
    spots = [
        f"{number * STEP + STEP / 2:g},{round(HEIGHT - HEIGHT * was / top, 2):g}"
        for number, was in enumerate(earlier)
        if was is not None
    ]
    return Chart(columns, " ".join(spots), top, len(points) * STEP)


def round_up(count: int) -> int:
    """Return the next round number for an axis: 1, 2, 5, 10, 20, 50 ..."""
    power = 10 ** floor(log10(count))
    return next(int(power * step) for step in (1, 2, 5, 10) if power * step >= count)


def change(now: int | None, before: int | None) -> str | None:
    """Return the change from the previous count in words, None if there is nothing to compare."""
    if now is None or before is None or now == before == 0:
        return None
    if before == 0:
        return "none in the previous period"
    percent = round(100 * (now - before) / before)
    return "no change" if percent == 0 else f"{percent:+d} %".replace("-", "−")
