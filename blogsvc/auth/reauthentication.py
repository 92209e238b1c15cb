"""Re-authentication: the password or a passkey asked again. The effect of an action decides if it needs that.

What counts is what an action does, not where it is: every route of the pages that changes something or hands something
out declares one effect. In the API, the scopes of the key decide, and on the command line the access to the data
directory.
"""

from __future__ import annotations

import logging
from datetime import datetime
from enum import Enum

from blogsvc.auth import passkeys, totp
from blogsvc.auth.passkeys import ShownPasskey
from blogsvc.errors import Fault, Invalid
from blogsvc.lib import passwords
from blogsvc.lib.crypto import Vault
from blogsvc.models import Session, User, transaction

log = logging.getLogger(__name__)


class Effect(Enum):
    """What an action does, in the worst case. Choose the first that fits."""

    LET_IN = "let a person or a program in, or give them more rights"
    KEEP_OUT = "keep a person out"
    CHANGE_SIGN_IN = "change the ways to sign in"
    REVEAL = "show a secret"
    SEND_ELSEWHERE = "send data or secrets of the blog to another address"
    ERASE = "erase for good"  # posts with their history; single images and comments are deleted as a part of writing
    # These need no re-authentication.
    PROVE_IDENTITY = "prove the identity"
    END_ACCESS = "end the access of a program, an account or a link, which must not be delayed"
    WRITE = "write, share and publish posts"
    ARRANGE = "change settings that give nobody access and send nothing to another address"
    READ = "read what the role allows"

    @property
    def needs_reauthentication(self) -> bool:
        """True for what helps a thief of a session to more than the session, or erases posts for good.

        Deleting one image or one comment on a draft can't be undone, either, but is everyday work: comments are
        removed often, and the library first names the posts that use an image. A password each time would only train
        people to enter it without thought. The text of a post is never lost by it.
        """
        return self in _NEED_REAUTHENTICATION


_NEED_REAUTHENTICATION = frozenset(
    {
        Effect.LET_IN,
        Effect.KEEP_OUT,
        Effect.CHANGE_SIGN_IN,
        Effect.REVEAL,
        Effect.SEND_ELSEWHERE,
        Effect.ERASE,
    }
)


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
        session.reauthenticated_at = now


def by_code(session: Session, code: str, vault: Vault, now: datetime) -> None:
    """Complete the re-authentication with a two-factor or recovery code, after `require_password`. Raises Invalid."""
    with transaction():
        totp.use_code(session.user, code, vault, now)
        session.reauthenticate_by_two_factors(now)


def by_passkey(session: Session, shown: ShownPasskey, now: datetime) -> None:
    """Prove the user's identity with one of their passkeys. Raises Invalid."""
    with transaction():
        passkeys.use(shown, now, session.user)
        session.reauthenticate_by_two_factors(now)
