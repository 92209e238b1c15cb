"""An invitation to write here: a link that is good once."""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_urlsafe

from sqlalchemy import LargeBinary, String, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound
from blogsvc.lib.crypto import hash_key
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db
from blogsvc.models.person import Role

INVITATION_LASTS = timedelta(days=7)


class Invitation(Base):
    """Who has its token becomes somebody of this role. Only the hash is kept; once used, the row goes."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    role: Mapped[Role] = mapped_column(String(10))
    # For whom, in the words of whoever invites; may be empty.
    note: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]

    @classmethod
    def make(cls, role: Role, note: str, now: datetime) -> tuple[Invitation, str]:
        """An invitation and its token, shown this once."""
        token = token_urlsafe(24)
        made = cls(id=new_id("inv", now), hash=hash_key(token), role=role, note=note)
        made.created_at, made.expires_at = now, now + INVITATION_LASTS
        db.session.add(made)
        return made, token

    @classmethod
    def of(cls, token: str, now: datetime) -> Invitation:
        """Raises NotFound where it was used, taken back or has ended, alike."""
        found = db.session.scalar(select(cls).where(cls.hash == hash_key(token), cls.expires_at > now))
        if found is None:
            raise NotFound("This invitation was used, taken back or has ended. Ask whoever sent it for another.")
        return found

    @classmethod
    def open(cls, now: datetime) -> list[Invitation]:
        return list(db.session.scalars(select(cls).where(cls.expires_at > now).order_by(cls.created_at, cls.id)))

    @classmethod
    def sweep(cls, now: datetime) -> None:
        db.session.execute(delete(cls).where(cls.expires_at <= now))
