"""Accounts: add users, sign in and out, change profiles and passwords."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from blogsvc.errors import Busy, Fault, Invalid, NotFound
from blogsvc.lib import passwords
from blogsvc.models import Author, Passkey, RecoveryCode, Session, User, db, nouns, transaction
from blogsvc.models.setting import site_changed
from blogsvc.models.user import PREFERENCES, Role, require_valid_fields

log = logging.getLogger(__name__)

BAD_CREDENTIALS = "Wrong e-mail address or password."


def add_user(email: str, name: str, password: str, role: Role, time_zone: str, now: datetime) -> User:
    """Add a user. Raises Invalid if the e-mail address is in use or a field is invalid."""
    require_valid_fields(email=email, name=name, time_zone=time_zone, password=password)
    password_hash = passwords.hashed(password)  # outside the transaction: hashing is slow on purpose
    with transaction():
        _require_free_address(email)
        return User.of(email.strip(), name.strip(), role, password_hash, time_zone.strip(), now)


def sign_in(email: str, password: str, user_agent: str, address: str, now: datetime) -> tuple[Session, str]:
    """Sign in and return the new session and its token. With two-factor codes, the session first `awaits_code`.

    Raises Invalid with the same message and the same duration for every reason.
    """
    user = User.by_email(email)
    is_right = passwords.is_right(password, user.password_hash if user else None)
    if user is None or not is_right:
        log.info("refused to sign somebody in from %s", address)
        raise Invalid(Fault("#/password", "invalid", BAD_CREDENTIALS))
    outdated = user.password_hash if passwords.is_outdated(user.password_hash) else None
    renewed = passwords.hashed(password) if outdated else None
    with transaction():
        user = User.get(user.id)
        if renewed is not None and user.password_hash == outdated:
            user.password_hash = renewed
        return _begin(user, user_agent, address, now, awaits_code=user.asks_for_code)


def begin_session(user: User, user_agent: str, address: str, now: datetime) -> tuple[Session, str]:
    """Create a session for a user who has been authenticated without a password. Return it and its token."""
    with transaction():
        return _begin(User.get(user.id), user_agent, address, now)


def _begin(user: User, user_agent: str, address: str, now: datetime, awaits_code: bool = False) -> tuple[Session, str]:
    log.info("%s signs in from %s%s", user.id, address, ", a code is awaited" if awaits_code else "")
    return Session.begin(user, user_agent, address, now, awaits_code=awaits_code)


def current_session(token: str, now: datetime) -> Session | None:
    """Return the session of a token, and note that it was used. None if the session has ended."""
    session = Session.of(token, now)
    if session is not None and session.sight_is_news(now):
        try:
            with transaction(nouns.use_of(session.id), waits=False):
                session.seen_at = now
        except Busy:
            log.info("a session's last sight was not noted: the database is busy")
        except NotFound:  # it was ended just now
            return None
    return session


def sign_out(session: Session) -> None:
    with transaction():
        db.session.delete(session)


def sign_out_elsewhere(session: Session) -> int:
    """End all other sessions of this user, and return their number."""
    with transaction():
        return Session.end_all_of(session.user_id, but=session.id)


def sign_out_everywhere(user: User) -> int:
    with transaction():
        return Session.end_all_of(user.id)


def end_session(user: User, session_id: str) -> None:
    """End one of the user's sessions. Raises NotFound."""
    with transaction():
        session = db.session.get(Session, session_id)
        if session is None or session.user_id != user.id:
            raise NotFound("This session has already ended.")
        db.session.delete(session)


def change_profile(user: User, name: str, time_zone: str, preferences: Mapping[str, Any]) -> None:
    """Change the profile. The name that readers see follows, unless it was another one.

    Raises Invalid for an invalid field or an unknown preference.
    """
    require_valid_fields(name=name, time_zone=time_zone)
    with transaction():
        change_preferences(user, preferences)
        author = Author.of_user(user.id)
        if author is not None and author.name == user.name != name.strip():
            author.name = name.strip()
            site_changed()
        user.name, user.time_zone = name.strip(), time_zone.strip()


def change_preferences(user: User, preferences: Mapping[str, Any]) -> None:
    """Change some of the personal preferences. Raises Invalid for an unknown preference or value."""
    for field, value in preferences.items():
        if value not in PREFERENCES.get(field, ()):
            raise Invalid(Fault(f"#/{field}", "not_one_of", f"{value!r} is not a valid value of {field}."))
    with transaction():
        user.preferences = {**user.preferences, **preferences}


def change_email(user: User, email: str) -> None:
    """Change the e-mail address. Raises Invalid if it is malformed or in use."""
    require_valid_fields(email=email)
    with transaction():
        _require_free_address(email, but=user)
        user.email = email.strip().lower()
        log.info("%s changed their e-mail address", user.id)


def change_password(session: Session, new: str, now: datetime) -> int:
    """Change the password, end all other sessions and return their number. Raises Invalid for a weak password."""
    _require_strong_password(new, session.user)
    password_hash = passwords.hashed(new)
    with transaction():
        session.user.password_hash = password_hash
        session.reauthenticated_at = now
        log.info("%s changed their password", session.user_id)
        return Session.end_all_of(session.user_id, but=session.id)


def reset_password(user: User, new: str, *, codes_too: bool = False, passkeys_too: bool = False) -> None:
    """Set a password without confirmation, from the command line, and end all sessions.

    `codes_too` turns off two-factor codes as well, `passkeys_too` removes passkeys. Raises Invalid for a weak password.
    """
    _require_strong_password(new, user)
    password_hash = passwords.hashed(new)
    with transaction():
        user.password_hash = password_hash
        if codes_too:
            user.stop_asking_for_code()
            RecoveryCode.forget(user)
        if passkeys_too:
            Passkey.forget(user)
        Session.end_all_of(user.id)


def _require_strong_password(password: str, user: User) -> None:
    require_valid_fields(password=password, email=user.email, name=user.name)


def _require_free_address(email: str, but: User | None = None) -> None:
    there = User.by_email(email)
    if there is not None and there is not but:
        raise Invalid(Fault("#/email", "taken", "This e-mail address is already in use."))
