"""Validation of scheduled times: in the future, and at most five years ahead."""

from __future__ import annotations

from datetime import datetime, timedelta

from blogsvc.errors import Fault, Invalid

MAX_SCHEDULE_AHEAD = timedelta(days=5 * 366)
TIME_IS_PAST = "This time is in the past. Choose a later time, or publish now."
TIME_IS_TOO_FAR = "This time is more than five years ahead. Choose an earlier time."


def check_time(at: datetime, now: datetime, pointer: str = "#/at") -> None:
    """Raise Invalid if nothing can be scheduled for this time."""
    if at <= now:
        raise Invalid(Fault(pointer, "in_past", TIME_IS_PAST))
    if at > now + MAX_SCHEDULE_AHEAD:
        raise Invalid(Fault(pointer, "too_far_ahead", TIME_IS_TOO_FAR))
