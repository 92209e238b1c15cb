"""Roll-ups of deliveries by the UTC day on which they were due.

The state of a delivery may change for as long as its post exists. Triggers on `delivery` therefore mark the days of all
rows that are added, changed or deleted as stale, in the same transaction. The roll-up of a day counts only while the
day is not stale. The migration that creates these tables also creates the triggers.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import JSON, BigInteger, Integer, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base


class DeliveryDay(Base):
    """Deliveries to one destination that were due on one UTC day."""

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    day: Mapped[date]
    destination: Mapped[str] = mapped_column(String(64))
    # The number of deliveries by state.
    states: Mapped[dict[str, Any]]
    # The rounded lateness in milliseconds of each one that was delivered. Python counts a list faster than it adds up
    # the counts of many days.
    lateness: Mapped[list[int]] = mapped_column(JSON)
    retried: Mapped[int]

    __table_args__ = (UniqueConstraint("day", "destination"),)


class StaleDeliveryDay(Base):
    """A UTC day whose deliveries have changed since its roll-up, or that has none."""

    day: Mapped[date] = mapped_column(primary_key=True)
