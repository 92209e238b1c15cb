"""AT Protocol accounts: find the server (PDS), keep a session, and interpret errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote

from blogsvc.connectors._kit.origins import ANY_SUBDOMAIN
from blogsvc.connectors._kit.untrusted_json import as_object
from blogsvc.connectors.base import (
    Account,
    Call,
    Conflict,
    Connector,
    ConnectorError,
    Disconnected,
    Field,
    Gone,
    HttpResponse,
    Misconfigured,
    Origins,
    Rejected,
    Unavailable,
)

# The servers of accounts that Bluesky hosts: who enters no server may have such an account.
BLUESKY = ("https://bsky.social", f"{ANY_SUBDOMAIN}bsky.network")
DID = re.compile(r"did:[a-z]+:[\w.:%-]{1,500}", re.ASCII)
FIELDS = (
    Field("handle", "Handle", help="Without the @, for example alice.bsky.social", address=True),
    Field(
        "password",
        "App password",
        help="Not your account password. In Bluesky: Settings, Privacy and security, App passwords, Add app password."
        " It looks like xxxx-xxxx-xxxx-xxxx.",
        secret=True,
    ),
    Field(
        "url",
        "PDS URL",
        help="The server that hosts the account, for example https://pds.example.org. Leave empty to look it up.",
        required=False,
        address=True,
    ),
)


class SessionExpired(Disconnected):
    """The access token has expired, which happens every few hours."""


class BlobLost(Unavailable):
    """The server no longer has an uploaded image."""


XRPC_ERRORS: Mapping[str, Callable[[str], ConnectorError]] = {
    "ExpiredToken": lambda label: SessionExpired(f"The {label} session has expired. Reconnect the account."),
    "InvalidToken": lambda label: SessionExpired(f"The {label} session is invalid. Reconnect the account."),
    "AuthenticationRequired": lambda label: Disconnected(
        f"{label} rejected the handle or app password. Create a new app password on {label} and reconnect.",
        field="password",
    ),
    "AuthFactorTokenRequired": lambda label: Disconnected(
        f"This is the account password, which needs a two-factor code. Create an app password on {label} and use that.",
        field="password",
    ),
    "AccountTakedown": lambda label: Disconnected(f"{label} has suspended this account. Contact its support."),
    "AccountDeactivated": lambda label: Disconnected(f"This account is deactivated. Reactivate it on {label}."),
    "InvalidSwap": lambda label: Conflict(
        f"The copy was changed on {label}. Review it there, or retry to overwrite the changes."
    ),
    "RecordNotFound": lambda label: Gone(f"The copy no longer exists on {label}."),
    "BlobNotFound": lambda label: BlobLost(f"{label} lost an uploaded image."),
}


@dataclass
class AtprotoAccount(Connector):
    """Sends requests as an account to its server, the PDS."""

    appview: ClassVar[str] = "https://public.api.bsky.app"
    directory: ClassVar[str] = "https://plc.directory"
    # The schemes allowed for a PDS that is looked up, because the app password is sent there.
    schemes: ClassVar[tuple[str, ...]] = ("https://",)

    def base_url(self) -> str:
        return (self.settings.get("url") or str(self.facts.get("pds") or "")).rstrip("/")

    def origins(self) -> Origins:
        return super().origins() | (() if self.settings.get("url") else BLUESKY)

    def verify(self) -> Account:
        self.facts = {**self.facts, "pds": self._find_pds()}
        self._sign_in()
        handle, did = self.session["handle"], self.session["did"]
        facts = {"pds": self.base_url(), "did": did, "handle": handle}
        return Account(handle, f"https://bsky.app/profile/{handle}", facts)

    def did(self) -> str:
        """Return the account's permanent id (DID), which stays when the handle changes."""
        if not self.has_session and self.facts.get("did"):
            return str(self.facts["did"])
        return self._signed_in()["did"]

    def ask(self, name: str, **what: Any) -> dict[str, Any]:
        """Call a procedure as the account, and renew an expired token once. All procedures used are repeatable."""
        had_session = self.has_session
        try:
            return self._post(name, self._signed_in()["access"], **what)
        except SessionExpired:
            if not had_session:
                raise
            self._renew()
        return self._post(name, self.session["access"], **what)

    def secrets(self) -> tuple[str, ...]:
        tokens = (self.session.get("access"), self.session.get("refresh"))
        return (*super().secrets(), *filter(None, tokens))

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        known = XRPC_ERRORS.get(str(as_object(answer).get("error")))
        if known is not None:
            return known(self.label)
        if answer.status == 500 and answer.url.endswith("uploadBlob"):  # the response to a broken image
            return Rejected(f"{self.label} can't read an image. Replace or remove it.")
        return super().fault(answer, call)

    def _post(self, name: str, token: str, **what: Any) -> dict[str, Any]:
        headers = {**what.pop("headers", {}), **({"Authorization": f"Bearer {token}"} if token else {})}
        return as_object(self.call("POST", f"xrpc/{name}", headers=headers, safe=True, **what))

    @property
    def _session_owner(self) -> str:
        """Return the account and server that a session belongs to, so that it is not used for others."""
        return f"{self._handle} {self.base_url()}"

    @property
    def _handle(self) -> str:
        return self.settings.get("handle", "").strip().removeprefix("@")

    @property
    def has_session(self) -> bool:
        return self.session.get("who") == self._session_owner and bool(self.session.get("access"))

    def _signed_in(self) -> dict[str, str]:
        if not self.has_session:
            self._sign_in()
        return self.session

    def _sign_in(self) -> None:
        """Create a session with the password. Only a few a day are allowed."""
        if not self.base_url():
            self.facts = {**self.facts, "pds": self._find_pds()}
        credentials = {"identifier": self._handle, "password": self.settings.get("password", "").strip()}
        try:
            self._store_session(self._post("com.atproto.server.createSession", "", json=credentials, need="accessJwt"))
        except Gone:
            raise self._no_pds_error() from None

    def _renew(self) -> None:
        """Renew the session with the refresh token. The request must have no body."""
        token = self.session.get("refresh", "")
        try:
            self._store_session(self._post("com.atproto.server.refreshSession", token, need="accessJwt"))
        except (Rejected, Disconnected):
            self._sign_in()

    def _store_session(self, created: Mapping[str, Any]) -> None:
        did = str(created.get("did"))
        if not DID.fullmatch(did):
            raise self._no_pds_error()
        access, refresh = str(created["accessJwt"]), str(created.get("refreshJwt") or "")
        handle = str(created.get("handle") or did)
        self.session.update(access=access, refresh=refresh, did=did, handle=handle, who=self._session_owner)

    def _no_pds_error(self) -> Misconfigured:
        return Misconfigured("No PDS found at this URL. Correct it, or leave it empty to look it up.", field="url")

    def _find_pds(self) -> str:
        """Return the account's PDS: from the settings, else from its identity, or the known one if that is unavailable.

        Raises ConnectorError, because no other server may get the password.
        """
        if self.settings.get("url"):
            return self.settings["url"]
        try:
            return self._pds_of(self._resolve_did())
        except Unavailable:
            if self.facts.get("pds"):
                return str(self.facts["pds"])
            raise
        except (Gone, Rejected):
            raise Misconfigured(
                "No server found for this handle. Check the handle, or enter the PDS URL.", field="handle"
            ) from None

    def _resolve_did(self) -> str:
        did = self._handle
        if not did.startswith("did:"):
            where = f"{self.appview}/xrpc/com.atproto.identity.resolveHandle?handle={quote(did)}"
            did = str(self.call("GET", where, need="did", anonymous=True).json()["did"])
        if not DID.fullmatch(did):
            raise Misconfigured("This handle has no valid DID. Check the handle, or enter the PDS URL.", field="handle")
        return did

    def _pds_of(self, did: str) -> str:
        method, _, name = did.removeprefix("did:").partition(":")
        where = f"https://{name}/.well-known/did.json" if method == "web" else f"{self.directory}/{did}"
        services = as_object(self.call("GET", where, anonymous=True)).get("service")
        for service in services if isinstance(services, list) else []:
            address = service.get("serviceEndpoint") if isinstance(service, dict) else None
            is_pds = address is not None and str(service.get("id")).endswith("#atproto_pds")
            if is_pds and str(address).startswith(self.schemes):
                return str(address).rstrip("/")
        raise Misconfigured("The account names no PDS with https://. Enter the PDS URL.", field="url")
