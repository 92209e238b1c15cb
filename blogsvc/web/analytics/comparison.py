"""The change against the previous period, in words."""

from __future__ import annotations

# A percentage of less than this is misleading, so the change is a number.
MIN_FOR_PERCENT = 10


def change(now: int | None, before: int | None) -> str | None:
    """Return the change from the previous count in words, None if there is nothing to compare."""
    if now is None or before is None or now == before == 0:
        return None
    if before == 0:
        return "none in the previous period"
    if now == before:
        return "no change"
    if before < MIN_FOR_PERCENT:
        return f"{now - before:,} more" if now > before else f"{before - now:,} fewer"
    percent = round(100 * (now - before) / before)
    return f"{percent:+,d} %".replace("-", "−") if percent else "almost no change"
