"""Compute the geometry of charts, which templates draw as SVG beside a table of the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Literal

# In units of the SVG: the height of a chart, the width of a column with its gap, and the gap.
HEIGHT, STEP, GAP = 100.0, 10.0, 2.0
MAX_LABELS = 4  # of dates, so that they fit on a phone
# A label this close to an edge, in percent of the width, starts or ends there.
EDGE = 6.0


@dataclass(frozen=True)
class Point:
    """A count of one interval. `label` is its short name for the axis, `name` its full one."""

    label: str
    name: str
    count: int


@dataclass(frozen=True)
class Column:
    x: float
    y: float
    height: float
    name: str
    value: int
    before: int | None


@dataclass(frozen=True)
class Label:
    """A label of the horizontal axis: its position in percent of the width, and what of the text is there."""

    text: str
    position: float
    anchor: Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Chart:
    """Columns for this period and a line for the previous one. `top` is the value at the upper edge."""

    columns: list[Column]
    line: str
    top: int
    width: float
    labels: list[Label]

    @property
    def is_empty(self) -> bool:
        """True if neither period has anything."""
        return not any(column.value or column.before for column in self.columns)

    @property
    def ticks(self) -> list[int]:
        """Return the values of the vertical axis, from the top: only whole numbers."""
        return [self.top, self.top // 2, 0] if self.top % 2 == 0 else [self.top, 0]


def chart(points: Sequence[Point], before: Sequence[int] = ()) -> Chart:
    """Return a chart of points in order of time. `before` has the counts of the previous period."""
    top = round_up(max([point.count for point in points] + [*before, 1]))
    earlier = [*before, *([None] * (len(points) - len(before)))][: len(points)]
    columns = [
        Column(
            x=round(number * STEP + GAP / 2, 2),
            y=round(HEIGHT - HEIGHT * point.count / top, 2),
            height=round(HEIGHT * point.count / top, 2),
            name=point.name,
            value=point.count,
            before=was,
        )
        for number, (point, was) in enumerate(zip(points, earlier, strict=True))
    ]
    spots = [
        f"{number * STEP + STEP / 2:g},{round(HEIGHT - HEIGHT * was / top, 2):g}"
        for number, was in enumerate(earlier)
        if was is not None
    ]
    return Chart(columns, " ".join(spots), top, len(points) * STEP, _labels([point.label for point in points]))


def _labels(names: Sequence[str]) -> list[Label]:
    """Return the labels of the last column and of others at the same distance, each below its column."""
    numbers = range(len(names) - 1, -1, -ceil(len(names) / MAX_LABELS)) if names else range(0)
    return [_label(names[number], round(100 * (number + 0.5) / len(names), 2)) for number in reversed(numbers)]


def _label(text: str, position: float) -> Label:
    if position < EDGE:
        return Label(text, 0, "start")
    return Label(text, 100, "end") if position > 100 - EDGE else Label(text, position, "middle")


def round_up(count: int) -> int:
    """Return the next round number for an axis: 1, 2, 5, 10, 20, 50 ..."""
    power = 10 ** floor(log10(count))
    return next(int(power * step) for step in (1, 2, 5, 10) if power * step >= count)
