"""Attempts of deliveries, which are stored before the request and closed after it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, UniqueConstraint, bindparam, insert, text, update
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.ids import new_id
from blogsvc.lib.text.plain import within
from blogsvc.models.base import Base, partial_index
from blogsvc.models.transactions import execute_write

_WAS_UNSUCCESSFUL = text("outcome != 'succeeded'")


class Attempt(Base):
    """One attempt of a delivery. `finished_at` is None until it is closed."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    delivery_id: Mapped[str] = mapped_column(ForeignKey("delivery.id", ondelete="CASCADE"))
    number: Mapped[int]
    operation: Mapped[str] = mapped_column(String(10))
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    outcome: Mapped[str | None] = mapped_column(String(20))
    error_code: Mapped[str | None] = mapped_column(String(40))
    error_detail: Mapped[str | None] = mapped_column(String(2000))

    __table_args__ = (
        UniqueConstraint("delivery_id", "number"),
        partial_index("ix_attempt_unsuccessful", "delivery_id", where=_WAS_UNSUCCESSFUL),
    )

    @property
    def milliseconds(self) -> int | None:
        if self.finished_at is None:
            return None
        return round((self.finished_at - self.started_at).total_seconds() * 1000)


_INSERT = insert(Attempt)
_CLOSE = update(Attempt).where(
    Attempt.delivery_id == bindparam("of_delivery"), Attempt.number == bindparam("of_number")
)


def open_attempt(delivery_id: str, number: int, operation: str | None, now: datetime) -> None:
    """Store that an attempt begins."""
    row = {"id": new_id("att", now), "number": number, "operation": operation, "started_at": now}
    execute_write(_INSERT, row | {"delivery_id": delivery_id})


def close_attempt(
    delivery_id: str, number: int, outcome: str, now: datetime, code: str | None = None, detail: str | None = None
) -> None:
    """Store the outcome of an attempt."""
    row = {"finished_at": now, "outcome": outcome, "error_code": code, "error_detail": detail and within(detail, 2000)}
    execute_write(_CLOSE, row | {"of_delivery": delivery_id, "of_number": number})
