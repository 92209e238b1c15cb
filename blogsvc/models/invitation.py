"""Invitations: links that create an account and work once."""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_urlsafe

from sqlalchemy import LargeBinary, String, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound
from blogsvc.lib.crypto import hash_key
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db
from blogsvc.models.key import role_behind
from blogsvc.models.user import Role

INVITATION_LASTS = timedelta(days=7)


class Invitation(Base):
    """An invitation for one user with this role. Only the hash of its token is stored. Deleted when used."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    role: Mapped[Role] = mapped_column(String(10))
    # For whom the invitation is, as noted by the user who invites. May be empty.
    note: Mapped[str] = mapped_column(String(100))
    # The user who invites: `models.creator`.
    created_by: Mapped[str | None] = mapped_column(String(40))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]

    @classmethod
    def make(cls, role: Role, note: str, now: datetime, created_by: str | None = None) -> tuple[Invitation, str]:
        """Create an invitation and return it with its token, which cannot be shown again."""
        token = token_urlsafe(24)
        made = cls(id=new_id("inv", now), hash=hash_key(token), role=role, note=note, created_by=created_by)
        made.created_at, made.expires_at = now, now + INVITATION_LASTS
        db.session.add(made)
        return made, token

    @classmethod
    def of(cls, token: str, now: datetime) -> Invitation:
        """Return the invitation of a token.

        Raises NotFound if it was used, was revoked or has expired, or if the user who invites is no owner any more.
        """
        found = db.session.scalar(select(cls).where(cls.hash == hash_key(token), cls.expires_at > now))
        if found is None or role_behind(found.created_by) != "owner":
            raise NotFound("This invitation was already used, was revoked or has expired. Ask for a new one.")
        return found

    @classmethod
    def open(cls, now: datetime) -> list[Invitation]:
        return list(db.session.scalars(select(cls).where(cls.expires_at > now).order_by(cls.created_at, cls.id)))

    @classmethod
    def sweep(cls, now: datetime) -> None:
        db.session.execute(delete(cls).where(cls.expires_at <= now))
