"""The second factor that owners can require: two-factor codes, or a passkey, which asks for a PIN or fingerprint."""

from __future__ import annotations

from datetime import datetime

from blogsvc.errors import StateConflict
from blogsvc.models import Passkey, Session, Setting, User, db, transaction

LAST_ONE = "This blog requires a second factor. Set up another one before you remove this one."


def is_required() -> bool:
    return bool(Setting.read("requires_second_factor"))


def require(is_on: bool) -> None:
    """Require a second factor of everyone, or stop requiring it. Users without one are led to set it up."""
    with transaction():
        Setting.write("requires_second_factor", is_on)


def is_set_up(user: User) -> bool:
    return user.asks_for_code or bool(Passkey.all_of(user))


def end_older_reauthentications(session: Session, now: datetime) -> None:
    """End the re-authentication of the user's other sessions, because a factor was added or removed: in a transaction.

    Without any factor left, this session has no second one either.
    """
    db.session.flush()
    Session.forget_reauthentications(session.user_id, session.id, now)
    session.is_two_factor = session.is_two_factor and is_set_up(session.user)


def require_others(others: bool) -> None:
    """Raise StateConflict if the blog requires a second factor and the user has no others than the one to remove."""
    if not others and is_required():
        raise StateConflict(LAST_ONE, state="last second factor")
