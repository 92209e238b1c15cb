"""Sessions: the browsers in which users are signed in."""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_urlsafe

from sqlalchemy import ColumnElement, ForeignKey, LargeBinary, String, and_, bindparam, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.lib.crypto import hash_key
from blogsvc.lib.ids import new_id
from blogsvc.lib.user_agents import in_words
from blogsvc.models.base import Base, db
from blogsvc.models.user import User

# A session expires after this time without a request, and after the longer time in any case.
SESSION_LASTS = timedelta(days=30)
SESSION_ENDS_AFTER = timedelta(days=90)
# The time to enter the two-factor code after the password.
CODE_IS_AWAITED = timedelta(minutes=10)
# Delicate actions ask for the password or a passkey again if that was asked longer ago than this.
REAUTHENTICATION_LASTS = timedelta(minutes=10)
# `seen_at` is updated at most this often, because a write for every request would be slow.
SIGHT_IS_NOTED_EVERY = timedelta(minutes=5)


class Session(Base):
    """A browser session of a user. Only the hash of its token is stored.

    While `awaits_code` is set, the two-factor code is still missing and the user is not signed in.
    """

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), index=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    user_agent: Mapped[str] = mapped_column(String(300))
    address: Mapped[str] = mapped_column(String(45))
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime]
    # When the user last proved their identity, with all that a sign-in needs.
    reauthenticated_at: Mapped[datetime]
    # True after a passkey or a two-factor code, also if that was used to confirm the user's identity later.
    is_two_factor: Mapped[bool] = mapped_column(default=False)
    awaits_code: Mapped[bool] = mapped_column(default=False)

    user: Mapped[User] = relationship(lazy="joined")

    @classmethod
    def begin(
        cls,
        user: User,
        user_agent: str,
        address: str,
        now: datetime,
        *,
        awaits_code: bool = False,
        is_two_factor: bool = False,
    ) -> tuple[Session, str]:
        """Create a session and return it with its token. The token is always new, to prevent session fixation."""
        token = token_urlsafe(32)
        session = cls(id=new_id("ses", now), user_id=user.id, hash=hash_key(token), user=user)
        session.user_agent, session.address, session.awaits_code = user_agent[:300], address[:45], awaits_code
        session.created_at = session.seen_at = session.reauthenticated_at = now
        session.is_two_factor = is_two_factor
        db.session.add(session)
        return session, token

    @classmethod
    def of(cls, token: str, now: datetime) -> Session | None:
        """Return the session of a token, or None if it has expired or still awaits its code."""
        session = cls._by(token)
        return session if session is not None and not session.awaits_code and session.lasts(now) else None

    @classmethod
    def half(cls, token: str, now: datetime) -> Session | None:
        """Return the session of a token that awaits its code, or None if the time for that has passed."""
        session = cls._by(token)
        return session if session is not None and session.awaits_code and session.lasts(now) else None

    @classmethod
    def _by(cls, token: str) -> Session | None:
        return db.session.scalar(_BY_HASH, {"hash": hash_key(token)})

    @classmethod
    def all_of(cls, user: User, now: datetime) -> list[Session]:
        """Return the active sessions of a user, the most recently used first."""
        query = select(cls).where(cls.user_id == user.id, cls.awaits_code.is_(False))
        found = db.session.scalars(query.order_by(cls.seen_at.desc(), cls.id.desc()))
        return [session for session in found if session.lasts(now)]

    @classmethod
    def end_all_of(cls, user_id: str, but: str | None = None) -> int:
        """End all sessions of a user except the one with the id `but`. Return how many were ended."""
        gone = select(cls).where(cls.user_id == user_id, cls.id != (but or ""))
        ended = list(db.session.scalars(gone))
        for session in ended:
            db.session.delete(session)
        return len(ended)

    @classmethod
    def forget_reauthentications(cls, user_id: str, but: str, now: datetime) -> None:
        """End the re-authentication in all sessions of a user except the one with the id `but`."""
        older = update(cls).where(cls.user_id == user_id, cls.id != but)
        db.session.execute(older.values(reauthenticated_at=now - REAUTHENTICATION_LASTS, is_two_factor=False))

    @classmethod
    def has_expired(cls, now: datetime) -> ColumnElement[bool]:
        """Select the sessions that have ended by themselves."""
        is_late = and_(cls.awaits_code, cls.created_at <= now - CODE_IS_AWAITED)
        return or_(cls.seen_at <= now - SESSION_LASTS, cls.created_at <= now - SESSION_ENDS_AFTER, is_late)

    def lasts(self, now: datetime) -> bool:
        if self.awaits_code:
            return now - self.created_at < CODE_IS_AWAITED
        return now - self.seen_at < SESSION_LASTS and now - self.created_at < SESSION_ENDS_AFTER

    def is_reauthenticated(self, now: datetime) -> bool:
        """Return True if the user has proved their identity in the last 10 minutes."""
        return now - self.reauthenticated_at < REAUTHENTICATION_LASTS

    def reauthenticate_by_two_factors(self, now: datetime) -> None:
        self.reauthenticated_at, self.is_two_factor = now, True

    def sight_is_news(self, now: datetime) -> bool:
        return now - self.seen_at >= SIGHT_IS_NOTED_EVERY

    @property
    def browser(self) -> str:
        return in_words(self.user_agent)


# Made once, because every request of a signed-in user needs it.
_BY_HASH = select(Session).where(Session.hash == bindparam("hash"))
