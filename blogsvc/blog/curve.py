"""Draw how many posts each month has as a curve: the path of an SVG image."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

# Of the view box. The curve stays above the bottom also in months without posts.
WIDTH, HEIGHT = 960, 72
_TOP, _BOTTOM = 6.0, 68.0
# Of the points: with fewer there is no curve, and more can't be told apart.
FEWEST, MOST = 4, 240


def path_of(counts: Sequence[tuple[int, int]]) -> str:
    """Return the `d` attribute of the path, or "" if it would have too few points.

    `counts` has the numbers of consecutive months, oldest first, with the number of posts. Months without posts may be
    missing.
    """
    values = _smooth(_points(counts))
    if len(values) < FEWEST or not max(values):
        return ""
    step, highest = WIDTH / (len(values) - 1), max(values)
    points = [(at * step, _BOTTOM - (_BOTTOM - _TOP) * value / highest) for at, value in enumerate(values)]
    slopes = _slopes([y for _, y in points])
    curve = "".join(
        f"C{_n(x + step / 3)} {_n(y + rise)} {_n(to_x - step / 3)} {_n(to_y - to_rise)} {_n(to_x)} {_n(to_y)}"
        for ((x, y), rise), ((to_x, to_y), to_rise) in pairwise(zip(points, slopes, strict=True))
    )
    return f"M0 {HEIGHT}L0 {_n(points[0][1])}{curve}V{HEIGHT}Z"


def _points(counts: Sequence[tuple[int, int]]) -> list[float]:
    """Return the values of all points: each is one month, or in long histories several months."""
    if not counts:
        return []
    first, months = counts[0][0], counts[-1][0] - counts[0][0] + 1
    per_point = -(-months // MOST)
    values = [0.0] * -(-months // per_point)
    for month, count in counts:
        values[(month - first) // per_point] += count
    return values


def _smooth(values: list[float]) -> list[float]:
    """Return the values evened out with their neighbours."""
    for _ in range(2):
        padded = [values[0], *values, values[-1]] if values else []
        values = [(a + 2 * b + c) / 4 for a, b, c in zip(padded, padded[1:], padded[2:], strict=False)]
    return values


def _slopes(heights: list[float]) -> list[float]:
    """Return a third of the slope at each point. It is 0 at highest and lowest points, so no curve goes beyond them."""
    inner = [
        (c - a) / 6 if (b - a) * (c - b) > 0 else 0.0
        for a, b, c in zip(heights, heights[1:], heights[2:], strict=False)
    ]
    return [0.0, *inner, 0.0]


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
