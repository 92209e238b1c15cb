"""Passkeys (WebAuthn): add, rename and remove them, and sign in with them.

The library is imported when it is used: few requests are about passkeys.
"""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blogsvc.auth import second_factor
from blogsvc.config import Config
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.text.plain import is_one_line
from blogsvc.models import Passkey, Session, Setting, User, db, transaction
from blogsvc.models.passkey import MAX_PASSKEY_NAME_LENGTH

if TYPE_CHECKING:
    from fido2.server import Fido2Server

log = logging.getLogger(__name__)

UNKNOWN_PASSKEY = "Unknown passkey. Sign in with your password, then add the passkey in your profile."
MAX_CREDENTIAL_BYTES = 1023  # defined by the WebAuthn specification
MAX_PASSKEYS = 20  # per user


@dataclass(frozen=True)
class RelyingParty:
    """The WebAuthn relying party: the host that passkeys are bound to, and the origin that may request them."""

    host: str
    origin: str

    @classmethod
    def of(cls, config: Config) -> RelyingParty | None:
        """Return the relying party of this blog, or None if browsers do not allow passkeys for its URL.

        Browsers require HTTPS and a host name instead of an IP address. A blog on the local machine uses
        "localhost".
        """
        parts = urlsplit(config.public_url.lower())
        host, port = parts.hostname or "", f":{parts.port}" if parts.port else ""
        if host in ("127.0.0.1", "::1", "localhost"):
            return cls("localhost", f"{parts.scheme}://localhost{port}")
        if parts.scheme != "https" or _is_ip_address(host):
            return None
        return cls(host, f"https://{host}" + ("" if port == ":443" else port))

    @property
    def server(self) -> Fido2Server:
        from fido2.server import Fido2Server
        from fido2.webauthn import PublicKeyCredentialRpEntity

        name = Setting.read("blog_title")
        return Fido2Server(
            PublicKeyCredentialRpEntity(name=name, id=self.host), verify_origin=lambda origin: origin == self.origin
        )


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def registration_options(user: User, site: RelyingParty) -> tuple[dict[str, Any], Any]:
    """Return the options for creating a passkey in the browser, and the state to pass to `add`.

    Raises Invalid if the user has too many passkeys.
    """
    from fido2.webauthn import (
        AttestedCredentialData,
        PublicKeyCredentialUserEntity,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    there = Passkey.all_of(user)
    if len(there) >= MAX_PASSKEYS:
        raise Invalid(Fault("#/name", "too_many", f"You can have at most {MAX_PASSKEYS} passkeys. Remove one first."))
    options, state = site.server.register_begin(
        PublicKeyCredentialUserEntity(id=user.id.encode(), name=user.email, display_name=user.name),
        [AttestedCredentialData(passkey.credential) for passkey in there],
        resident_key_requirement=ResidentKeyRequirement.REQUIRED,
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return dict(options.public_key), state


def add(
    session: Session, name: str, response: Mapping[str, Any], state: Any, site: RelyingParty, now: datetime
) -> Passkey:
    """Store a passkey that the browser created. Raises Invalid if the response is not valid."""
    name = _valid_name(name)
    try:
        made = site.server.register_complete(state, response)
        credential = made.credential_data
        assert credential is not None
    except (ValueError, KeyError, TypeError, AssertionError, RecursionError) as error:
        log.info("refused a new passkey of %s: %s", session.user_id, error)
        raise Invalid(Fault("#/name", "invalid", "The browser's response was not valid. Try again.")) from error
    with transaction():
        if len(credential.credential_id) > MAX_CREDENTIAL_BYTES or Passkey.by_credential(credential.credential_id):
            raise Invalid(Fault("#/name", "taken", "You have already added this passkey."))
        log.info("%s added a passkey", session.user_id)
        session.reauthenticate_by_two_factors(now)
        added = Passkey.add(session.user, credential.credential_id, bytes(credential), made.counter, name, now)
        second_factor.end_older_reauthentications(session, now)
        return added


def authentication_options(site: RelyingParty) -> tuple[dict[str, Any], Any]:
    """Return the options for signing in with any passkey, and the state to pass to `sign_in`."""
    from fido2.webauthn import UserVerificationRequirement

    options, state = site.server.authenticate_begin(user_verification=UserVerificationRequirement.REQUIRED)
    return dict(options.public_key), state


@dataclass(frozen=True)
class ShownPasskey:
    """A valid response of a browser: the credential, and how often its authenticator says that it was used."""

    credential_id: bytes
    count: int


def check(response: Mapping[str, Any], state: Any, site: RelyingParty, address: str) -> ShownPasskey:
    """Return the passkey of a valid response. Raises Invalid with the same message for every reason."""
    from fido2.webauthn import AttestedCredentialData, AuthenticationResponse

    try:
        shown = AuthenticationResponse.from_dict(response)
        passkey = Passkey.by_credential(shown.raw_id)
        if passkey is None or shown.response.user_handle not in (None, passkey.user_id.encode()):
            raise ValueError("unknown")
        site.server.authenticate_complete(state, [AttestedCredentialData(passkey.credential)], shown)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        log.info("refused a passkey from %s: %s", address, error)
        raise _refusal() from error
    return ShownPasskey(shown.raw_id, shown.response.authenticator_data.counter)


def sign_in(shown: ShownPasskey, user_agent: str, address: str, now: datetime) -> tuple[Session, str]:
    """Sign in and return the new session and its token. Asks for no code, because a passkey is already two factors.

    Raises Invalid if the passkey was removed, or may have been copied.
    """
    with transaction():
        passkey = use(shown, now)
        log.info("%s signs in by a passkey from %s", passkey.user_id, address)
        return Session.begin(User.get(passkey.user_id), user_agent, address, now, is_two_factor=True)


def use(shown: ShownPasskey, now: datetime, user: User | None = None) -> Passkey:
    """Record the use of a passkey and return it. Needs a transaction.

    Raises Invalid if the passkey was removed, may have been copied, or is not a passkey of this user.
    """
    passkey = Passkey.by_credential(shown.credential_id)
    if passkey is None or user not in (None, passkey.user):
        raise _refusal()
    _store_use(passkey, shown.count, now)
    return passkey


def _store_use(passkey: Passkey, count: int, now: datetime) -> None:
    """Store the sign count. Raises Invalid if it did not increase: the passkey may have been copied."""
    if (count or passkey.sign_count) and count <= passkey.sign_count:
        log.warning("a passkey of %s may have been copied: it counts %d again", passkey.user_id, count)
        raise _refusal()
    passkey.sign_count, passkey.used_at = count, now


def rename(user: User, passkey_id: str, name: str) -> None:
    """Rename a passkey. Raises NotFound, Invalid."""
    with transaction():
        Passkey.get(user, passkey_id).name = _valid_name(name)


def remove(session: Session, passkey_id: str, now: datetime) -> None:
    """Remove a passkey. Raises NotFound, and StateConflict for the last one if the blog requires a second factor."""
    with transaction():
        user = session.user
        passkey = Passkey.get(user, passkey_id)
        second_factor.require_others(user.asks_for_code or len(Passkey.all_of(user)) > 1)
        db.session.delete(passkey)
        second_factor.end_older_reauthentications(session, now)
        log.info("%s removed a passkey", user.id)


def _valid_name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= MAX_PASSKEY_NAME_LENGTH or not is_one_line(name):
        detail = f"A name must be a single line of 1 to {MAX_PASSKEY_NAME_LENGTH} characters."
        raise Invalid(Fault("#/name", "invalid", detail))
    return name


def _refusal() -> Invalid:
    return Invalid(Fault("#/passkey", "invalid", UNKNOWN_PASSKEY))
