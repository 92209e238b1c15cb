"""A time that something may be scheduled for: still to come, and not too far away."""

from __future__ import annotations

from datetime import datetime, timedelta

from blogsvc.errors import Fault, Invalid

MAX_SCHEDULE_AHEAD = timedelta(days=5 * 366)
TIME_IS_PAST = "This time has passed; choose one ahead, or publish now."
TIME_IS_TOO_FAR = "This is more than five years ahead; choose a time before that."


def check_time(at: datetime, now: datetime, pointer: str = "#/at") -> None:
    """Raises Invalid for a time that nothing can be scheduled for."""
    if at <= now:
        raise Invalid(Fault(pointer, "in_past", TIME_IS_PAST))
    if at > now + MAX_SCHEDULE_AHEAD:
        raise Invalid(Fault(pointer, "too_far_ahead", TIME_IS_TOO_FAR))
