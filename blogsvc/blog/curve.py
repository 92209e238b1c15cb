"""Draw how many posts each month has as a curve: the path of an SVG image."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

# Of the view box. The curve stays above the bottom also in months without posts.
WIDTH, HEIGHT = 960, 72
_TOP, _BOTTOM = 6.0, 68.0
# With fewer months or posts a curve would say things that aren't so, and more points can't be told apart.
FEWEST_MONTHS, FEWEST_POSTS, MOST = 12, 24, 240


def path_of(counts: Sequence[tuple[int, int]]) -> str:
    """Return the `d` attribute of the path, or "" if there are too few posts, or too few months since the first one.

    All years have the same width, so the path begins in January and ends below the last month. `counts` has months,
    oldest first, as `year * 12 + month - 1`, with their numbers of posts. Months without posts may be missing.
    """
    if sum(count for _, count in counts) < FEWEST_POSTS or counts[-1][0] - counts[0][0] < FEWEST_MONTHS - 1:
        return ""
    first, last = counts[0][0] // 12 * 12, counts[-1][0]
    months_of_years = (last // 12 + 1) * 12 - first
    per_point = -(-months_of_years // MOST)
    values = _smooth(_points(counts, first, per_point))
    step, highest = WIDTH * per_point / months_of_years, max(values)
    points = [(at * step, _BOTTOM - (_BOTTOM - _TOP) * value / highest) for at, value in enumerate(values)]
    slopes = _slopes([y for _, y in points])
    curve = "".join(
        f"C{_n(x + step / 3)} {_n(y + rise)} {_n(to_x - step / 3)} {_n(to_y - to_rise)} {_n(to_x)} {_n(to_y)}"
        for ((x, y), rise), ((to_x, to_y), to_rise) in pairwise(zip(points, slopes, strict=True))
    )
    return f"M0 {HEIGHT}L0 {_n(points[0][1])}{curve}V{HEIGHT}Z"


def _points(counts: Sequence[tuple[int, int]], first: int, per_point: int) -> list[float]:
    """Return the values of all points: each is one month, or in long histories several months."""
    values = [0.0] * ((counts[-1][0] - first) // per_point + 1)
    for month, count in counts:
        values[(month - first) // per_point] += count
    return values


def _smooth(values: list[float]) -> list[float]:
    """Return the values evened out with their neighbours."""
    for _ in range(2):
        padded = [values[0], *values, values[-1]]
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
