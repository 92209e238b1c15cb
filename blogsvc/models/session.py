"""Where people are signed in."""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_urlsafe

from sqlalchemy import ForeignKey, LargeBinary, String, delete, select
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.crypto import hash_key
from blogsvc.lib.ids import new_id
from blogsvc.lib.user_agents import in_words
from blogsvc.models.base import Base, db
from blogsvc.models.person import Person

# A session ends when it has not been seen for so long, whatever else.
SESSION_LASTS = timedelta(days=30)
# One that waits for a one-time code ends so long after the password.
CODE_IS_AWAITED = timedelta(minutes=10)
# What is delicate is done so long after a password or a passkey; later the password is asked for again.
PROOF_LASTS = timedelta(minutes=10)
# Nobody needs it to the second, and a write a request is dear.
SIGHT_IS_NOTED_EVERY = timedelta(minutes=5)


class Session(Base):
    """A browser in which a person is signed in, or half so: `awaits_code`. Only the hash of its token is kept."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"), index=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    user_agent: Mapped[str] = mapped_column(String(300))
    address: Mapped[str] = mapped_column(String(45))
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime]
    # When whoever sits there last showed that they are the person.
    proved_at: Mapped[datetime]
    awaits_code: Mapped[bool] = mapped_column(default=False)

    person: Mapped[Person] = relationship(lazy="joined")

    @classmethod
    def begin(
        cls, person: Person, user_agent: str, address: str, now: datetime, *, awaits_code: bool = False
    ) -> tuple[Session, str]:
        """A new session and its token, which nobody had before: none can be foisted on anybody."""
        token = token_urlsafe(32)
        session = cls(id=new_id("ses", now), person_id=person.id, hash=hash_key(token), person=person)
        session.user_agent, session.address, session.awaits_code = user_agent[:300], address[:45], awaits_code
        session.created_at = session.seen_at = session.proved_at = now
        db.session.add(session)
        return session, token

    @classmethod
    def of(cls, token: str, now: datetime) -> Session | None:
        """The session of a token, unless it has ended or still awaits its code."""
        session = cls._by(token)
        return session if session is not None and not session.awaits_code and session.lasts(now) else None

    @classmethod
    def half(cls, token: str, now: datetime) -> Session | None:
        """The session of a token that awaits its code, unless it has done so for too long."""
        session = cls._by(token)
        return session if session is not None and session.awaits_code and session.lasts(now) else None

    @classmethod
    def _by(cls, token: str) -> Session | None:
        return db.session.scalar(select(cls).where(cls.hash == hash_key(token)))

    @classmethod
    def all_of(cls, person: Person, now: datetime) -> list[Session]:
        """Where somebody is signed in, the last seen first."""
        query = select(cls).where(cls.person_id == person.id, cls.awaits_code.is_(False))
        found = db.session.scalars(query.order_by(cls.seen_at.desc(), cls.id.desc()))
        return [session for session in found if session.lasts(now)]

    @classmethod
    def end_all_of(cls, person_id: str, but: str | None = None) -> int:
        """End all sessions of a person, `but` the one of this id. Answers how many."""
        gone = select(cls).where(cls.person_id == person_id, cls.id != (but or ""))
        ended = list(db.session.scalars(gone))
        for session in ended:
            db.session.delete(session)
        return len(ended)

    @classmethod
    def sweep(cls, now: datetime) -> None:
        """Forget those that have ended by themselves."""
        db.session.execute(delete(cls).where(cls.seen_at <= now - SESSION_LASTS))
        db.session.execute(delete(cls).where(cls.awaits_code, cls.created_at <= now - CODE_IS_AWAITED))

    def lasts(self, now: datetime) -> bool:
        if self.awaits_code:
            return now - self.created_at < CODE_IS_AWAITED
        return now - self.seen_at < SESSION_LASTS

    def is_proved(self, now: datetime) -> bool:
        """Whether whoever sits there has just shown that they are the person."""
        return now - self.proved_at < PROOF_LASTS

    def demand_proof(self, now: datetime) -> None:
        """Before what is delicate. Raises Invalid where the password should be asked for again."""
        if not self.is_proved(now):
            detail = "Enter your current password: you signed in more than 10 minutes ago. Nothing was changed."
            raise Invalid(Fault("#/current_password", "required", detail))

    def sight_is_news(self, now: datetime) -> bool:
        return now - self.seen_at >= SIGHT_IS_NOTED_EVERY

    @property
    def browser(self) -> str:
        return in_words(self.user_agent)
