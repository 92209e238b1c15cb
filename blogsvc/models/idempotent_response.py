"""An answer to a request that named an idempotency key, kept for who sends the same request again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ForeignKey, LargeBinary, String, delete
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db

ARE_KEPT_FOR = timedelta(hours=24)
# A request that leaves the database on its way is claimed, and given up for dead after this.
LONGEST_CLAIM = timedelta(minutes=5)


class IdempotentResponse(Base):
    __tablename__ = "answer"

    key_id: Mapped[str] = mapped_column(ForeignKey("api_key.id", ondelete="CASCADE"), primary_key=True)
    idempotency_key: Mapped[str] = mapped_column(String(255), primary_key=True)
    # A hash of what was asked.
    fingerprint: Mapped[bytes] = mapped_column(LargeBinary(32))
    # None while the request is being worked on.
    status: Mapped[int | None]
    headers: Mapped[dict[str, Any]] = mapped_column(default=dict)
    # Sealed, because it may hold a secret that is shown this once.
    sealed: Mapped[bytes] = mapped_column(LargeBinary, default=b"")
    created_at: Mapped[datetime] = mapped_column(index=True)

    def is_over(self, now: datetime) -> bool:
        return now - self.created_at > (LONGEST_CLAIM if self.status is None else ARE_KEPT_FOR)


def delete_expired_responses(now: datetime) -> None:
    db.session.execute(delete(IdempotentResponse).where(IdempotentResponse.created_at < now - ARE_KEPT_FOR))
