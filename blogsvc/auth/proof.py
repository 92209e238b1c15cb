"""A fresh proof of identity, which delicate actions need."""

from __future__ import annotations

import logging
from datetime import datetime

from blogsvc.auth import passkeys, totp
from blogsvc.auth.passkeys import ShownPasskey
from blogsvc.errors import Fault, Invalid
from blogsvc.lib import passwords
from blogsvc.lib.crypto import Vault
from blogsvc.models import Session, User, transaction

log = logging.getLogger(__name__)


def require_password(user: User, password: str) -> None:
    """Raise Invalid if the password is wrong."""
    if not passwords.is_right(password, user.password_hash):
        log.info("refused to confirm the identity of %s", user.id)
        raise Invalid(Fault("#/password", "invalid", "Wrong password."))


def by_password(session: Session, password: str, now: datetime) -> None:
    """Prove the user's identity with the password. Only for users without two-factor codes. Raises Invalid."""
    assert not session.user.asks_for_code
    require_password(session.user, password)
    with transaction():
        session.proved_at = now


def by_code(session: Session, code: str, vault: Vault, now: datetime) -> None:
    """Complete the proof with a two-factor or recovery code, after `require_password`. Raises Invalid."""
    with transaction():
        totp.use_code(session.user, code, vault, now)
        session.prove_by_two_factors(now)


def by_passkey(session: Session, shown: ShownPasskey, now: datetime) -> None:
    """Prove the user's identity with one of their passkeys. Raises Invalid."""
    with transaction():
        passkeys.use(shown, now, session.user)
        session.prove_by_two_factors(now)
