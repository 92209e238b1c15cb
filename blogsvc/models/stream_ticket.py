"""Tickets, which open the event stream in a browser without its API key."""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_urlsafe

from sqlalchemy import ForeignKey, LargeBinary, String, delete, select
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.lib.crypto import hash_key
from blogsvc.models.base import Base, db
from blogsvc.models.key import ApiKey

# How long a ticket can be opened for the first time, and how long its client can reconnect.
OPENS_FOR = timedelta(minutes=1)
LASTS_FOR = timedelta(hours=1)


class StreamTicket(Base):
    """A ticket for the event stream of a key. Only the hash of its text is stored."""

    hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    key_id: Mapped[str] = mapped_column(ForeignKey("api_key.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(index=True)
    # The network of the client that opened it first, and that alone can use it from then on.
    opened_from: Mapped[str | None] = mapped_column(String(50))

    key: Mapped[ApiKey] = relationship()

    @classmethod
    def make(cls, key: ApiKey, now: datetime) -> tuple[StreamTicket, str]:
        """Create a ticket and return it with its text. Deletes the tickets that have expired."""
        db.session.execute(delete(cls).where(cls.created_at <= now - LASTS_FOR))
        text = f"tkt_{token_urlsafe(32)}"
        ticket = cls(hash=hash_key(text), key_id=key.id, created_at=now, opened_from=None)
        db.session.add(ticket)
        return ticket, text

    @classmethod
    def of_text(cls, text: str) -> StreamTicket | None:
        return db.session.scalar(select(cls).where(cls.hash == hash_key(text)))

    @property
    def opens_until(self) -> datetime:
        return self.created_at + OPENS_FOR

    @property
    def expires_at(self) -> datetime:
        return self.created_at + LASTS_FOR

    def can_open(self, network: str, now: datetime) -> bool:
        """Return True if a client in this network may open the stream: for the first time, or again."""
        if self.opened_from is None:
            return now < self.opens_until
        return now < self.expires_at and self.opened_from == network
