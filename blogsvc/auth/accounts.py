"""Accounts: add people, sign in and out, change profiles and passwords."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from blogsvc.errors import Busy, Fault, Invalid, NotFound
from blogsvc.lib import passwords
from blogsvc.models import Passkey, Person, RecoveryCode, Session, db, transaction
from blogsvc.models.person import PREFERENCES, Role, require_valid_fields

log = logging.getLogger(__name__)

BAD_CREDENTIALS = "Wrong e-mail address or password."


def add_person(email: str, name: str, password: str, role: Role, time_zone: str, now: datetime) -> Person:
    """Add a person. Raises Invalid if the e-mail address is in use or a field is invalid."""
    require_valid_fields(email=email, name=name, time_zone=time_zone, password=password)
    password_hash = passwords.hashed(password)  # outside the transaction: hashing is slow on purpose
    with transaction():
        _require_free_address(email)
        return Person.of(email.strip(), name.strip(), role, password_hash, time_zone.strip(), now)


def sign_in(email: str, password: str, user_agent: str, address: str, now: datetime) -> tuple[Session, str]:
    """Sign in and return the new session and its token. With two-factor codes, the session first `awaits_code`.

    Raises Invalid with the same message and the same duration for every reason.
    """
    person = Person.by_email(email)
    is_right = passwords.is_right(password, person.password_hash if person else None)
    if person is None or not is_right:
        log.info("refused to sign somebody in from %s", address)
        raise Invalid(Fault("#/password", "invalid", BAD_CREDENTIALS))
    outdated = person.password_hash if passwords.is_outdated(person.password_hash) else None
    renewed = passwords.hashed(password) if outdated else None
    with transaction():
        person = Person.get(person.id)
        if renewed is not None and person.password_hash == outdated:
            person.password_hash = renewed
        return _begin(person, user_agent, address, now, awaits_code=person.asks_for_code)


def begin_session(person: Person, user_agent: str, address: str, now: datetime) -> tuple[Session, str]:
    """Create a session for a person who has been authenticated without a password. Return it and its token."""
    with transaction():
        return _begin(Person.get(person.id), user_agent, address, now)


def _begin(
    person: Person, user_agent: str, address: str, now: datetime, awaits_code: bool = False
) -> tuple[Session, str]:
    log.info("%s signs in from %s%s", person.id, address, ", a code is awaited" if awaits_code else "")
    return Session.begin(person, user_agent, address, now, awaits_code=awaits_code)


def current_session(token: str, now: datetime) -> Session | None:
    """Return the session of a token, and note that it was used. None if the session has ended."""
    session = Session.of(token, now)
    if session is not None and session.sight_is_news(now):
        try:
            with transaction(waits=False):
                session.seen_at = now
        except Busy:
            log.info("a session's last sight was not noted: the database is busy")
    return session


def sign_out(session: Session) -> None:
    with transaction():
        db.session.delete(session)


def sign_out_elsewhere(session: Session) -> int:
    """End all other sessions of this person, and return their number."""
    with transaction():
        return Session.end_all_of(session.person_id, but=session.id)


def sign_out_everywhere(person: Person) -> int:
    with transaction():
        return Session.end_all_of(person.id)


def end_session(person: Person, session_id: str) -> None:
    """End one of the person's sessions. Raises NotFound."""
    with transaction():
        session = db.session.get(Session, session_id)
        if session is None or session.person_id != person.id:
            raise NotFound("This session has already ended.")
        db.session.delete(session)


def change_profile(person: Person, name: str, time_zone: str, preferences: Mapping[str, Any]) -> None:
    """Change the profile. Raises Invalid for an invalid field or an unknown preference."""
    require_valid_fields(name=name, time_zone=time_zone)
    for field, value in preferences.items():
        if value not in PREFERENCES.get(field, ()):
            raise Invalid(Fault(f"#/{field}", "not_one_of", f"{value!r} is not a valid value of {field}."))
    with transaction():
        person.name, person.time_zone = name.strip(), time_zone.strip()
        person.preferences = {**person.preferences, **preferences}


def change_email(person: Person, email: str) -> None:
    """Change the e-mail address. Raises Invalid if it is malformed or in use."""
    require_valid_fields(email=email)
    with transaction():
        _require_free_address(email, but=person)
        person.email = email.strip().lower()
        log.info("%s changed their e-mail address", person.id)


def change_password(session: Session, new: str, now: datetime) -> int:
    """Change the password, end all other sessions and return their number. Raises Invalid for a weak password."""
    _require_strong_password(new, session.person)
    password_hash = passwords.hashed(new)
    with transaction():
        session.person.password_hash = password_hash
        session.proved_at = now
        log.info("%s changed their password", session.person_id)
        return Session.end_all_of(session.person_id, but=session.id)


def reset_password(person: Person, new: str, *, codes_too: bool = False, passkeys_too: bool = False) -> None:
    """Set a password without confirmation, from the command line, and end all sessions.

    `codes_too` turns off two-factor codes as well, `passkeys_too` removes passkeys. Raises Invalid for a weak password.
    """
    _require_strong_password(new, person)
    password_hash = passwords.hashed(new)
    with transaction():
        person.password_hash = password_hash
        if codes_too:
            person.stop_asking_for_code()
            RecoveryCode.forget(person)
        if passkeys_too:
            Passkey.forget(person)
        Session.end_all_of(person.id)


def _require_strong_password(password: str, person: Person) -> None:
    require_valid_fields(password=password, email=person.email, name=person.name)


def _require_free_address(email: str, but: Person | None = None) -> None:
    there = Person.by_email(email)
    if there is not None and there is not but:
        raise Invalid(Fault("#/email", "taken", "This e-mail address is already in use."))
