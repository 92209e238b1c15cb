"""API keys: the hash, the scopes and the rate limits. The key itself is not stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Literal, get_args

from sqlalchemy import JSON, LargeBinary, String, bindparam, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound, StateConflict
from blogsvc.lib.crypto import hash_key
from blogsvc.lib.ids import new_id
from blogsvc.models.adoptable import is_key
from blogsvc.models.base import Base, db
from blogsvc.models.transactions import connection, execute_write
from blogsvc.models.user import Role, User

Scope = Literal[
    "posts:read",
    "posts:write",
    "posts:publish",
    "analytics:read",
    "platforms:read",
    "platforms:write",
    "webhooks:read",
    "webhooks:write",
    "media:write",
    "keys:write",
]
KEY_SCOPES: tuple[str, ...] = get_args(Scope)
# What each scope allows, for the pages and the documentation.
SCOPE_MEANINGS: Mapping[str, str] = {
    "posts:read": "Read posts, drafts, deliveries and events",
    "posts:write": "Write and delete drafts, and draft changes to published posts",
    "posts:publish": "Publish and unpublish, and change or delete what is scheduled or was published",
    "analytics:read": "Read statistics",
    "platforms:read": "Read destinations and their status",
    "platforms:write": "Connect, edit and disconnect destinations",
    "webhooks:read": "Read webhooks and their logs",
    "webhooks:write": "Create webhooks, and edit and delete the key's own",
    "media:write": "Upload images, and delete unused ones",
    "keys:write": "Create, edit and revoke API keys with the same or fewer permissions",
}
# Grants every scope, including those that later versions add.
ALL = "all"
GrantedScope = Literal["all", Scope]
# What a key may do at most, by the present role of the user behind it. A key reads the posts of everybody, so there is
# no scope for authors, who read only their own.
ROLE_SCOPES: Mapping[Role, frozenset[str]] = {
    "author": frozenset(),
    "editor": frozenset(
        {"posts:read", "posts:write", "posts:publish", "analytics:read", "platforms:read", "media:write"}
    ),
    "owner": frozenset((ALL, *KEY_SCOPES)),
}
TIERS = ("read", "write", "publish")
MAX_NAME_LENGTH = 100
MAX_RATE_LIMIT = 1_000_000

# `last_used_at` is updated at most this often, because a write for every request would be slow.
USE_IS_NOTED_EVERY = timedelta(minutes=1)


class ApiKey(Base):
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    prefix: Mapped[str] = mapped_column(String(20))
    hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    scopes: Mapped[list[str]] = mapped_column(default=list)
    # Requests per minute by tier, if they differ from the settings: {"read": 1000}.
    limits: Mapped[dict[str, int]] = mapped_column(JSON, default=dict)
    # The user or key that made it: `models.creator`.
    created_by: Mapped[str | None] = mapped_column(String(40))
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    @classmethod
    def add(
        cls,
        text: str,
        name: str,
        scopes: list[str],
        expires_at: datetime | None,
        now: datetime,
        limits: Mapping[str, int] = MappingProxyType({}),
        created_by: str | None = None,
    ) -> ApiKey:
        key = cls(id=new_id("key", now), name=name, prefix=text[:10], hash=hash_key(text), scopes=scopes)
        key.created_by = created_by
        key.limits, key.expires_at, key.created_at = dict(limits), expires_at, now
        db.session.add(key)
        return key

    @classmethod
    def get(cls, key_id: str) -> ApiKey:
        key = db.session.get(cls, key_id)
        if key is None:
            raise NotFound(f"There is no key {key_id!r}.")
        return key

    @classmethod
    def all(cls) -> list[ApiKey]:
        return list(db.session.scalars(select(cls).order_by(cls.created_at)))

    @classmethod
    def of(cls, text: str) -> ApiKey | None:
        """Return the key with this full text, in any state, or None."""
        return db.session.scalar(select(cls).where(cls.hash == hash_key(text)))

    @classmethod
    def read(cls, text: str) -> ApiKey | None:
        """Return the key as `of` does, but apart from the session: it is not read again in a transaction."""
        row = connection().execute(_BY_HASH, {"hash": hash_key(text)}).one_or_none()
        return None if row is None else cls(**row._mapping)

    def state(self, now: datetime) -> Literal["valid", "expired", "revoked"]:
        if self.revoked_at is not None:
            return "revoked"
        return "valid" if self.expires_at is None or now < self.expires_at else "expired"

    def is_valid(self, now: datetime) -> bool:
        return self.state(now) == "valid"

    def require_valid(self, now: datetime) -> None:
        """Raise StateConflict if the key has expired or was revoked."""
        state = self.state(now)
        if state != "valid":
            raise StateConflict(f"This key is {state}. Create a new one.", state=state)

    @property
    def granted(self) -> frozenset[str]:
        """The granted scopes, also those that do not count now. For a key with `all`, also every single scope."""
        return with_single_scopes(self.scopes)

    @property
    def present_scopes(self) -> list[str]:
        """The granted scopes that count now: those that the role of the user behind the key allows."""
        role = role_behind(self.created_by)
        if role == "owner":
            return self.scopes
        allowed = ROLE_SCOPES[role] if role else frozenset[str]()
        return [scope for scope in (KEY_SCOPES if ALL in self.scopes else self.scopes) if scope in allowed]

    def allows(self, scope: str) -> bool:
        """Return True if the key may do now what needs this scope."""
        return scope in with_single_scopes(self.present_scopes)

    def limits_within(self, usual: Mapping[str, int]) -> dict[str, int]:
        """Return the requests per minute by tier: the `usual` ones, replaced by the limits of this key."""
        return {**usual, **self.limits}

    def revoke(self, now: datetime) -> None:
        """Revoke the key at once. Revoking it again keeps the first time."""
        self.revoked_at = self.revoked_at or now

    @property
    def known_until(self) -> datetime | None:
        """Until when neither the state nor the noted use of the key changes by itself; None if it was never used."""
        if self.last_used_at is None:
            return None
        noted_until = self.last_used_at + USE_IS_NOTED_EVERY
        return noted_until if self.expires_at is None else min(noted_until, self.expires_at)

    def note_use(self, now: datetime) -> None:
        execute_write(_NOTE_USE, {"key": self.id, "at": now})
        self.last_used_at = now

    def use_is_news(self, now: datetime) -> bool:
        return self.last_used_at is None or now - self.last_used_at >= USE_IS_NOTED_EVERY


def with_single_scopes(scopes: list[str]) -> frozenset[str]:
    """Return the scopes; for `all`, also every single scope."""
    return frozenset((ALL, *KEY_SCOPES)) if ALL in scopes else frozenset(scopes)


def role_behind(creator_id: str | None) -> Role | None:
    """Return the present role of this user, or of the user who made this key, or the key that made it.

    Returns None if that user was removed. The command line, which is None, acts as an owner.
    """
    if is_key(creator_id):
        first = db.session.execute(_FIRST_CREATOR, {"key": creator_id}).one_or_none()
        if first is None:
            return None
        creator_id = first.creator_id
    if creator_id is None:
        return "owner"
    user = db.session.get(User, creator_id)
    return user.role if user is not None else None


# Built once, because every request uses them.
_NOTE_USE = update(ApiKey).where(ApiKey.id == bindparam("key")).values(last_used_at=bindparam("at"))
_BY_HASH = select(ApiKey.__table__).where(ApiKey.hash == bindparam("hash"))
_creators = (
    select(ApiKey.created_by.label("creator_id")).where(ApiKey.id == bindparam("key")).cte("creators", recursive=True)
)
_creators = _creators.union_all(select(ApiKey.created_by).where(ApiKey.id == _creators.c.creator_id))
_FIRST_CREATOR = select(_creators.c.creator_id).where(
    or_(_creators.c.creator_id.is_(None), ~_creators.c.creator_id.startswith("key_", autoescape=True))
)
