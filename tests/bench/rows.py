"""The rows of a benchmark: what was measured, the figure, and the goal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """A figure with its unit: "%" (a share, of 100), "x" (a multiple), "s", "ms", "MiB", or a plain number ("")."""

    what: str
    figure: float
    unit: str
    goal: float | None = None
    detail: str = ""

    @property
    def is_missed(self) -> bool:
        """Whether the goal is missed: shares are to be at least the goal, everything else at most."""
        if self.goal is None:
            return False
        return self.figure < self.goal if self.unit == "%" else self.figure > self.goal

    @property
    def told(self) -> str:
        return _told(self.figure, self.unit)

    @property
    def told_goal(self) -> str:
        return "" if self.goal is None else _told(self.goal, self.unit)

    def as_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Row:
        return cls(**json.loads(line))


def _told(figure: float, unit: str) -> str:
    digits = 0 if abs(figure) >= 100 or (unit == "%" and figure >= 10) else 2 if unit in ("x", "s") else 1
    return f"{figure:,.{digits}f} {unit}".rstrip()


Rows = Iterator[Row]
