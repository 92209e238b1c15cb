"""Responses to requests with an idempotency key, returned again when the request is repeated."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base

ARE_KEPT_FOR = timedelta(hours=24)
# A request that works outside a transaction first stores a row without a status. After this time, that row counts
# as abandoned and the request may be sent again.
MAX_CLAIM_AGE = timedelta(minutes=5)


class IdempotentResponse(Base):
    key_id: Mapped[str] = mapped_column(ForeignKey("api_key.id", ondelete="CASCADE"), primary_key=True)
    idempotency_key: Mapped[str] = mapped_column(String(255), primary_key=True)
    # A hash of the request.
    fingerprint: Mapped[bytes] = mapped_column(LargeBinary(32))
    # None while the request is being processed.
    status: Mapped[int | None]
    # The scopes that the request needed.
    scopes: Mapped[list[str]] = mapped_column(default=list)
    headers: Mapped[dict[str, Any]] = mapped_column(default=dict)
    # The encrypted response body. It may contain a secret that is shown only once.
    sealed: Mapped[bytes] = mapped_column(LargeBinary, default=b"")
    created_at: Mapped[datetime] = mapped_column(index=True)

    def is_over(self, now: datetime) -> bool:
        return now - self.created_at > (MAX_CLAIM_AGE if self.status is None else ARE_KEPT_FOR)
