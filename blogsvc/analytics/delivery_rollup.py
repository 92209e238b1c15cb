"""Roll up the deliveries of past days, so that reports do not count them one by one.

Each step replaces the roll-ups of one UTC day in one transaction, together with the mark that the day is stale. So a
process that is killed loses nothing.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from sqlalchemy import delete, insert, select

from blogsvc.analytics.delivery_tally import tally
from blogsvc.models import DeliveryDay, StaleDeliveryDay, db, transaction
from blogsvc.models.view_rollup import DAY

MAX_STEPS = 30


def roll_up_deliveries(now: datetime, max_steps: int = MAX_STEPS) -> bool:
    """Roll up the stale days before today. Returns True if days are left."""
    return all(_roll_up_next_day(now.astimezone(UTC).date()) for _ in range(max_steps))


def _roll_up_next_day(today: date) -> bool:
    """Roll up the oldest stale day. Returns False if there is none."""
    oldest = select(StaleDeliveryDay.day).where(StaleDeliveryDay.day < today).order_by(StaleDeliveryDay.day).limit(1)
    db.session.rollback()  # read what is there now
    if db.session.scalar(oldest) is None:
        return False
    with transaction():
        if (day := db.session.scalar(oldest)) is None:
            return False
        _replace_day(day)
        db.session.execute(delete(StaleDeliveryDay).where(StaleDeliveryDay.day == day))
    return True


def _replace_day(day: date) -> None:
    db.session.execute(delete(DeliveryDay).where(DeliveryDay.day == day))
    start = datetime.combine(day, time(), UTC)
    rows = [
        {
            "day": day,
            "destination": destination,
            "states": found.states,
            "lateness": sorted(found.lateness.elements()),
            "retried": found.retried,
        }
        for destination, found in tally([(start, start + DAY)]).items()
    ]
    if rows:
        db.session.execute(insert(DeliveryDay), rows)
