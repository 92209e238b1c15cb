"""A time that something may be scheduled for: still to come, and not too far away."""

from __future__ import annotations

from datetime import datetime, timedelta

from blogsvc.errors import Fault, Invalid

FARTHEST = timedelta(days=5 * 366)
PASSED = "This time has passed; choose one ahead, or publish now."
TOO_FAR = "This is more than five years ahead; choose a time before that."


def demand_ahead(at: datetime, now: datetime, pointer: str = "#/at") -> None:
    """Raises Invalid for a time that nothing can be scheduled for."""
    if at <= now:
        raise Invalid(Fault(pointer, "in_past", PASSED))
    if at > now + FARTHEST:
        raise Invalid(Fault(pointer, "too_far_ahead", TOO_FAR))
