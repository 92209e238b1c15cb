"""Two-factor codes (TOTP, RFC 6238), with recovery codes for a lost phone."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from secrets import compare_digest

import pyotp

from blogsvc.auth import second_factor
from blogsvc.errors import Fault, Invalid, StateConflict
from blogsvc.lib.crypto import Vault, WrongKey
from blogsvc.models import Passkey, RecoveryCode, Session, Setting, User, db, transaction

log = logging.getLogger(__name__)

# Steps of 30 seconds by which the phone's time may differ.
ALLOWED_DRIFT = 1
WRONG_CODE = "Wrong, expired or used code. Enter the next code from your app."


@dataclass(frozen=True)
class Enrollment:
    """The data for an authenticator app: the secret as text, and the URI for a QR code."""

    secret: str
    uri: str


def begin(user: User, vault: Vault) -> None:
    """Create a secret. Codes are required only after `confirm`. Raises StateConflict if codes are already on."""
    with transaction():
        _require_disabled(user)
        user.totp_secret = vault.seal(pyotp.random_base32())


def enrollment(user: User, vault: Vault) -> Enrollment | None:
    """Return the data to set up an authenticator app; None before `begin` and after `confirm`."""
    if user.asks_for_code or user.totp_secret is None:
        return None
    secret = vault.unseal(user.totp_secret)
    uri = pyotp.TOTP(secret).provisioning_uri(name=user.email, issuer_name=Setting.read("blog_title"))
    return Enrollment(secret, uri)


def confirm(session: Session, code: str, vault: Vault, now: datetime) -> list[str]:
    """Turn on two-factor codes after checking the first code. Returns ten recovery codes, shown only once.

    Raises Invalid for a wrong code, StateConflict before `begin` or if two-factor codes are already on.
    """
    with transaction():
        user = session.user
        _require_disabled(user)
        if user.totp_secret is None:
            raise StateConflict("Scan the QR code with your authenticator app first.", state="off")
        if not _take(user, code, vault, now):
            raise _refusal(WRONG_CODE)
        user.totp_since = now
        session.reauthenticate_by_two_factors(now)
        second_factor.end_older_reauthentications(session, now)
        log.info("%s is asked for one-time codes from now on", user.id)
        return RecoveryCode.renew(user)


def disable(session: Session, now: datetime) -> None:
    """Turn off two-factor codes, or cancel their setup.

    Raises StateConflict if the blog requires a second factor and the user has no other.
    """
    with transaction():
        user = session.user
        second_factor.require_others(not user.asks_for_code or bool(Passkey.all_of(user)))
        user.stop_asking_for_code()
        RecoveryCode.forget(user)
        second_factor.end_older_reauthentications(session, now)
        log.info("%s is asked for one-time codes no more", user.id)


def renew_recovery_codes(user: User) -> list[str]:
    """Replace the recovery codes. Returns ten new codes, shown only once. Raises StateConflict if codes are off."""
    with transaction():
        if not user.asks_for_code:
            raise StateConflict("Two-factor codes are off.", state="off")
        return RecoveryCode.renew(user)


def sign_in(half: Session, code: str, vault: Vault, now: datetime) -> tuple[Session, str]:
    """Complete the sign-in: replace the session that awaits a code by a new session, and return it and its token.

    Raises Invalid if the code is wrong, expired or used, and is not a recovery code.
    """
    with transaction():
        user = half.user
        use_code(user, code, vault, now)
        db.session.delete(half)
        log.info("%s gave their code from %s", user.id, half.address)
        return Session.begin(user, half.user_agent, half.address, now, is_two_factor=True)


def use_code(user: User, code: str, vault: Vault, now: datetime) -> None:
    """Use up a two-factor or recovery code. Needs a transaction. Raises Invalid if it is wrong, expired or used."""
    if not _take(user, code, vault, now) and not RecoveryCode.use(user, code):
        log.info("refused a code for %s", user.id)
        raise _refusal(f"{WRONG_CODE} You can also use a recovery code.")


def _take(user: User, code: str, vault: Vault, now: datetime) -> bool:
    """Return True if the code is valid now, and mark it as used."""
    if user.totp_secret is None:
        return False
    try:
        totp = pyotp.TOTP(vault.unseal(user.totp_secret))
    except WrongKey as error:
        log.error("the one-time codes of %s can't be decrypted: %s", user.id, error)
        return False
    digits, present = "".join(code.split()), totp.timecode(now)
    for step in range(present - ALLOWED_DRIFT, present + ALLOWED_DRIFT + 1):
        is_new = user.totp_step is None or step > user.totp_step
        if compare_digest(totp.generate_otp(step).encode(), digits.encode()) and is_new:
            user.totp_step = step
            return True
    return False


def _require_disabled(user: User) -> None:
    if user.asks_for_code:
        raise StateConflict("Two-factor codes are already on. Turn them off to set them up again.", state="on")


def _refusal(detail: str) -> Invalid:
    return Invalid(Fault("#/code", "invalid", detail))
