"""The two times that a local time can mean when the clocks change, for forms that ask which one is meant."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from blogsvc.lib.time import SkippedTime, UnclearTime, utc_offset, wall


class TimeReading(NamedTuple):
    """One of the two times. `fold` selects it, as in datetime."""

    fold: int
    at: datetime
    label: str


def readings(unclear: UnclearTime) -> list[TimeReading]:
    """Return both times, the earlier one first."""
    instants = (unclear.earlier, unclear.later)
    times = [f"{wall(at, unclear.zone_name):%H:%M} ({utc_offset(at, unclear.zone_name)})" for at in instants]
    if isinstance(unclear, SkippedTime):
        labels = [f"{times[0]}, before the clocks change", f"{times[1]}, after the clocks change"]
    else:
        labels = [f"First {times[0]}", f"Second {times[1]}"]
    return [TimeReading(*reading) for reading in zip(unclear.folds, instants, labels, strict=True)]
