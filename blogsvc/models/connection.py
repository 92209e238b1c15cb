"""A connection: one connected account, with its encrypted secrets and its health."""

from __future__ import annotations

from collections.abc import Set
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import LargeBinary, String, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound
from blogsvc.lib.back_off import BackOff
from blogsvc.lib.ids import new_id
from blogsvc.lib.text.plain import within
from blogsvc.models.adoptable import Adoptable
from blogsvc.models.base import Base, db, sorted_text
from blogsvc.models.circuit_breaker import CircuitBreaker
from blogsvc.models.setting import site_changed

# The destination name of the built-in blog, which has no row in this table.
SITE = "site"

# When a connection with a wrong address is verified again by itself, the last one repeated.
VERIFY_BACK_OFF = BackOff(tuple(timedelta(minutes=m) for m in (1, 5, 30, 2 * 60, 6 * 60, 24 * 60)))


class Connection(Adoptable, CircuitBreaker, Base):
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    name: Mapped[str] = mapped_column(sorted_text(64), unique=True)
    connector: Mapped[str] = mapped_column(String(64))
    settings: Mapped[dict[str, str]] = mapped_column(default=dict)
    # The secret fields, encrypted together. The key is stored outside the database.
    sealed: Mapped[bytes] = mapped_column(LargeBinary, default=b"")
    # Other names that requests may use for it, such as the one that posts named before it was connected.
    aliases: Mapped[list[str]] = mapped_column(default=list)
    account: Mapped[str] = mapped_column(String(300), default="")
    account_url: Mapped[str | None] = mapped_column(String(2000))
    # facts: what `verify` found out about the server. session: a cached token, which can be requested again.
    facts: Mapped[dict[str, Any]] = mapped_column(default=dict)
    session: Mapped[bytes | None] = mapped_column(LargeBinary)
    # The kinds of elements, such as tables, that the latest copy with them had lost.
    lost_kinds: Mapped[list[str]] = mapped_column(default=list)

    # connected or disconnected. While disconnected, nothing is sent.
    state: Mapped[str] = mapped_column(String(20), default="connected")
    last_error: Mapped[str | None] = mapped_column(String(2000))
    verified_at: Mapped[datetime | None]
    # While disconnected: the next verification without a person, None if only a person can help. The count is that
    # of failures since the last delivery that worked.
    verify_at: Mapped[datetime | None]
    verify_count: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]

    def note_account(self, name: str, url: str | None) -> None:
        """Store which account it is. The footer of the blog links to some accounts."""
        if self.account_url != url:
            site_changed()
        self.account, self.account_url = name, url

    @classmethod
    def add(cls, name: str, connector: str, now: datetime, created_by: str | None = None) -> Connection:
        connection = cls(
            created_by=created_by, id=new_id("con", now), name=name, connector=connector, created_at=now, account=""
        )
        connection.state, connection.failure_count, connection.settings, connection.sealed = "connected", 0, {}, b""
        connection.facts, connection.verify_count, connection.lost_kinds, connection.aliases = {}, 0, [], []
        db.session.add(connection)
        return connection

    @classmethod
    def named(cls, name: str) -> Connection:
        connection = db.session.scalar(select(cls).where(cls.name == name))
        if connection is None:
            raise NotFound(f"There is no connection named {name!r}.")
        return connection

    @classmethod
    def known_as(cls, name: str) -> Connection:
        """Return the connection with this name or alias. Raises NotFound."""
        return next((row for row in cls.all() if name in row.aliases), None) or cls.named(name)

    @classmethod
    def all(cls) -> list[Connection]:
        return list(db.session.scalars(select(cls).order_by(cls.name)))

    @classmethod
    def by_name(cls) -> dict[str, Connection]:
        """Return all connections by name."""
        return {row.name: row for row in cls.all()}

    @property
    def names(self) -> tuple[str, ...]:
        """The name and the aliases: posts may use each of them."""
        return self.name, *self.aliases

    @property
    def health(self) -> Literal["ok", "failing", "disconnected"]:
        if self.state == "disconnected":
            return "disconnected"
        return "failing" if self.failure_count else "ok"

    def record_success(self) -> bool:
        """Record a success: reset the failure count, any pause and the back-off of verifications.

        Returns True if deliveries were paused.
        """
        self.state, self.last_error = "connected", None
        self.verify_at, self.verify_count = None, 0
        return self.forget_failures()

    def record_failure(self, detail: str, now: datetime, retry_after: timedelta | None) -> None:
        """Record a failure that the post did not cause, with the wait that the platform asked for."""
        self.last_error = within(detail, 2000)
        self.count_failure(now, retry_after)

    def record_lost_kinds(self, lost: Set[str], kept: Set[str]) -> None:
        """Remember the kinds of elements that a copy lost, and forget those that it kept."""
        found = sorted((set(self.lost_kinds) | lost) - kept)
        if found != self.lost_kinds:
            self.lost_kinds = found

    def disconnect(self, detail: str) -> bool:
        """Mark as disconnected, because its credentials or address are invalid. Return False if it already was."""
        is_news = self.state != "disconnected"
        self.state, self.last_error = "disconnected", within(detail, 2000)
        return is_news

    def schedule_verification(self, now: datetime) -> None:
        """Schedule the next verification without a person."""
        self.verify_at = now + VERIFY_BACK_OFF.after(self.verify_count)
        self.verify_count += 1
