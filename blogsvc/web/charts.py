"""Charts as geometry: what a template draws as SVG, with every number a table beside it can say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

# Of a chart: its height, and the width of one column with the gap beside it, in units of its own.
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
    """Columns of this period, and a line over them of the period before; `top` is the number at the upper edge."""

    columns: list[Column]
    line: str
    top: int
    width: float

    @property
    def labels(self) -> list[str]:
        """What stands below it: the first, the middle and the last."""
        names = [column.label for column in self.columns]
        return names if len(names) < 4 else [names[0], names[len(names) // 2], names[-1]]


def chart(points: Sequence[tuple[str, int]], before: Sequence[int] = ()) -> Chart:
    """Of (label, count) in the order of time; `before` are the counts of the period before, as many or fewer."""
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
    """The next number that is good to read on an axis: 1, 2, 5, 10, 20, 50 ..."""
    power = 10 ** floor(log10(count))
    return next(int(power * step) for step in (1, 2, 5, 10) if power * step >= count)


def change(now: int | None, before: int | None) -> str | None:
    """How a count stands to the one before, in words; None where there is nothing to compare."""
    if now is None or before is None or now == before == 0:
        return None
    if before == 0:
        return "none in the previous period"
    percent = round(100 * (now - before) / before)
    return "no change" if percent == 0 else f"{percent:+d} %".replace("-", "−")
