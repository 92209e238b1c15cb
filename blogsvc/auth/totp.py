"""One-time codes (TOTP, RFC 6238): asked for after the password, with recovery codes for the day the phone is gone."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from secrets import compare_digest

import pyotp

from blogsvc.errors import Fault, Invalid, StateConflict
from blogsvc.lib.crypto import Vault, WrongKey
from blogsvc.models import Person, RecoveryCode, Session, Setting, db, transaction

log = logging.getLogger(__name__)

# Half minutes that a phone's clock may go wrong by.
ALLOWED_DRIFT = 1
WRONG_CODE = "Wrong, expired or used code. Enter the next code from your app."


@dataclass(frozen=True)
class Enrollment:
    """What an authenticator is told: the secret as people type it, and the address that a QR code holds."""

    secret: str
    uri: str


def begin(session: Session, vault: Vault, now: datetime) -> None:
    """Make a secret, which asks for nothing until a first code of it is given.

    Raises Invalid without proof of who asks, StateConflict where codes are asked for already.
    """
    session.demand_proof(now)
    with transaction():
        _demand_off(session.person)
        session.person.totp_secret = vault.seal(pyotp.random_base32())


def enrollment(person: Person, vault: Vault) -> Enrollment | None:
    """What to tell an authenticator now; None where nothing was begun, and never again once it is in use."""
    if person.asks_for_code or person.totp_secret is None:
        return None
    secret = vault.unseal(person.totp_secret)
    uri = pyotp.TOTP(secret).provisioning_uri(name=person.email, issuer_name=Setting.read("blog_title"))
    return Enrollment(secret, uri)


def confirm(session: Session, code: str, vault: Vault, now: datetime) -> list[str]:
    """Ask for codes from now on, since the first is right. Answers ten recovery codes, shown this once.

    Raises Invalid for a wrong code, StateConflict where nothing was begun or it is done already.
    """
    with transaction():
        person = session.person
        _demand_off(person)
        if person.totp_secret is None:
            raise StateConflict("Scan the QR code with your authenticator app first.", state="off")
        if not _take(person, code, vault, now):
            raise _refusal(WRONG_CODE)
        person.totp_since = now
        log.info("%s is asked for one-time codes from now on", person.id)
        return RecoveryCode.renew(person)


def disable(session: Session, now: datetime) -> None:
    """Ask for no codes any more, or forget what was begun. Raises Invalid without proof of who asks."""
    session.demand_proof(now)
    with transaction():
        session.person.stop_asking_for_code()
        RecoveryCode.forget(session.person)
        log.info("%s is asked for one-time codes no more", session.person_id)


def renew_recovery_codes(session: Session, now: datetime) -> list[str]:
    """Ten new recovery codes, shown this once; those before are void. Raises Invalid without proof, StateConflict."""
    session.demand_proof(now)
    with transaction():
        if not session.person.asks_for_code:
            raise StateConflict("Two-factor codes are off.", state="off")
        return RecoveryCode.renew(session.person)


def sign_in(half: Session, code: str, vault: Vault, now: datetime) -> tuple[Session, str]:
    """The second step of signing in: a new session in the place of the one that awaited a code, and its token.

    Raises Invalid for a code that is neither of this half minute nor a recovery code, or was used.
    """
    with transaction():
        person = half.person
        if not _take(person, code, vault, now) and not RecoveryCode.use(person, code):
            log.info("refused a code for %s from %s", person.id, half.address)
            raise _refusal(f"{WRONG_CODE} You can also use a recovery code.")
        db.session.delete(half)
        log.info("%s gave their code from %s", person.id, half.address)
        return Session.begin(person, half.user_agent, half.address, now)


def _take(person: Person, code: str, vault: Vault, now: datetime) -> bool:
    """Whether it is a code of about now, none of which is taken twice."""
    if person.totp_secret is None:
        return False
    try:
        totp = pyotp.TOTP(vault.unseal(person.totp_secret))
    except WrongKey as error:
        log.error("the one-time codes of %s cannot be told: %s", person.id, error)
        return False
    digits, present = "".join(code.split()), totp.timecode(now)
    for step in range(present - ALLOWED_DRIFT, present + ALLOWED_DRIFT + 1):
        is_new = person.totp_step is None or step > person.totp_step
        if compare_digest(totp.generate_otp(step).encode(), digits.encode()) and is_new:
            person.totp_step = step
            return True
    return False


def _demand_off(person: Person) -> None:
    if person.asks_for_code:
        raise StateConflict("Two-factor codes are already on. Turn them off to set them up again.", state="on")


def _refusal(detail: str) -> Invalid:
    return Invalid(Fault("#/code", "invalid", detail))
