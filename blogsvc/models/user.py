"""Users of this blog: who may sign in, their roles and permissions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, LargeBinary, String, func, select, true
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import Fault, Forbidden, Invalid, NotFound
from blogsvc.lib import passwords
from blogsvc.lib.ids import new_id
from blogsvc.lib.text.plain import is_one_line
from blogsvc.lib.time import UnknownZone, zone
from blogsvc.models.author import Author
from blogsvc.models.base import Base, db
from blogsvc.models.post import Post
from blogsvc.models.post_conditions import has_author
from blogsvc.models.setting import Setting

# In increasing order: each role has all permissions of the roles before it.
Role = Literal["author", "editor", "owner"]
ROLES: tuple[Role, ...] = get_args(Role)

MAX_NAME_LENGTH, LONGEST_EMAIL = 100, 254
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
# The personal preferences and their allowed values. The first value is the default.
PREFERENCES: dict[str, tuple[Any, ...]] = {
    "shortcuts": (True, False),
    "scheme": ("", "light", "dark"),
    "notices": (True, False),  # by e-mail
    "next_steps": (True, False),  # suggestions on the dashboard
}


class User(Base):
    """A user, whom readers see as an `Author`.

    The role "author" manages its own posts; editors all posts and the calendar; owners also the settings.
    """

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    # The sign-in name, in lower case.
    email: Mapped[str] = mapped_column(String(254), unique=True)
    name: Mapped[str] = mapped_column(String(100))
    role: Mapped[Role] = mapped_column(String(10))
    password_hash: Mapped[str] = mapped_column(String(200))
    # The IANA name of the zone for the times that this user sees and enters.
    time_zone: Mapped[str] = mapped_column(String(64))
    preferences: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]
    # Two-factor codes: the encrypted secret; when they were turned on (None during setup); and the number of the
    # 30-second step of the last accepted code, so that no code works twice.
    totp_secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    totp_since: Mapped[datetime | None]
    totp_step: Mapped[int | None]

    @classmethod
    def of(cls, email: str, name: str, role: Role, password_hash: str, time_zone: str, now: datetime) -> User:
        user = cls(id=new_id("usr", now), email=email.lower(), name=name, role=role, password_hash=password_hash)
        user.time_zone, user.preferences, user.created_at = time_zone, {}, now
        db.session.add(user)
        db.session.flush()  # before the author that refers to it
        Author.of(name, now, user_id=user.id)
        return user

    @classmethod
    def get(cls, user_id: str) -> User:
        """Return the user. Raises NotFound."""
        user = db.session.get(cls, user_id)
        if user is None:
            raise NotFound(f"There is no user {user_id!r}.")
        return user

    @classmethod
    def by_email(cls, email: str) -> User | None:
        return db.session.scalar(select(cls).where(cls.email == email.strip().lower()))

    @classmethod
    def all(cls) -> list[User]:
        return list(db.session.scalars(select(cls).order_by(cls.created_at, cls.id)))

    @classmethod
    def count(cls, role: Role | None = None) -> int:
        query = select(func.count()).select_from(cls)
        return db.session.scalar(query if role is None else query.where(cls.role == role)) or 0

    @property
    def asks_for_code(self) -> bool:
        """True if signing in with the password also requires a two-factor code."""
        return self.totp_since is not None

    def stop_asking_for_code(self) -> None:
        self.totp_secret = self.totp_since = self.totp_step = None

    def prefers(self, name: str) -> Any:
        return self.preferences.get(name, PREFERENCES[name][0])

    def is_at_least(self, role: Role) -> bool:
        return ROLES.index(self.role) >= ROLES.index(role)

    def require_role(self, role: Role) -> None:
        """Raise Forbidden unless the user has this role or a higher one."""
        if not self.is_at_least(role):
            raise Forbidden(f"This requires the role {role}; yours is {self.role}. Ask an owner of the blog.")

    def can_see(self, post: Post) -> bool:
        return self.is_at_least("editor") or post.author_id == self.id

    def visible_posts(self) -> ColumnElement[bool]:
        """Return `can_see` as a condition in SQL."""
        return true() if self.is_at_least("editor") else has_author(self.id)

    def require_visible(self, post: Post) -> None:
        """Raise NotFound if the user may not see the post, as if the post did not exist."""
        if not self.can_see(post):
            raise NotFound(f"There is no post {post.id!r}.")


def require_valid_fields(**fields: str) -> None:
    """Raise Invalid with all faults of these fields. Fields: `email`, `name`, `time_zone`, `password`.

    A password must not repeat the other fields, or the title of the blog: `title`, if it is about to change.
    """
    if faults := user_errors(**fields):
        raise Invalid(*faults)


def user_errors(**fields: str) -> list[Fault]:
    return [fault for field, text in fields.items() if (fault := _fault(field, text, fields)) is not None]


def _fault(field: str, text: str, fields: Mapping[str, str]) -> Fault | None:
    line = text.strip()
    match field:
        case "email":
            if len(line) > LONGEST_EMAIL or not line.isprintable() or not _EMAIL.fullmatch(line):
                return Fault("#/email", "invalid", "Enter an e-mail address such as ada@example.org.")
        case "name":
            if not 1 <= len(line) <= MAX_NAME_LENGTH or not is_one_line(line):
                return Fault("#/name", "invalid", f"A name must be a single line of 1 to {MAX_NAME_LENGTH} characters.")
        case "time_zone":
            try:
                zone(line)
            except UnknownZone as error:
                return Fault("#/time_zone", "unknown_zone", str(error))
        case "password":
            known = (fields.get("email", ""), fields.get("name", ""), fields.get("title") or Setting.read("blog_title"))
            if weakness := passwords.weakness(text, *known):
                return Fault("#/password", "invalid", weakness)
    return None
