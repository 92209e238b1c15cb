"""An account of the AT Protocol: where it is kept, its session, and what its server's errors mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote

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
    Rejected,
    Unavailable,
)

ENTRYWAY = "https://bsky.social"  # answers for every account that Bluesky itself hosts
DID = re.compile(r"did:[a-z]+:[\w.:%-]{1,500}", re.ASCII)
FIELDS = (
    Field("handle", "Handle", help="Without the @, for example alice.bsky.social"),
    Field(
        "password",
        "App password",
        help="Not the one you sign in with: Bluesky, Settings, Privacy and security, App passwords, Add app password."
        " It looks like xxxx-xxxx-xxxx-xxxx.",
        secret=True,
    ),
    Field(
        "url",
        "Address of the PDS",
        help="Where the account is kept, for example https://pds.example.org. Left empty, it is looked up.",
        required=False,
    ),
)


class SessionExpired(Disconnected):
    """The access token has run out, as it does every few hours."""


XRPC_ERRORS: Mapping[str, Callable[[str], ConnectorError]] = {
    "ExpiredToken": lambda label: SessionExpired(f"{label} has ended the session: reconnect the account."),
    "InvalidToken": lambda label: SessionExpired(f"{label} does not know the session: reconnect the account."),
    "AuthenticationRequired": lambda label: Disconnected(
        f"{label} knows no account with this handle and app password: make a new app password there, and reconnect.",
        field="password",
    ),
    "AuthFactorTokenRequired": lambda label: Disconnected(
        f"{label} asks for a second factor, as this is the account's own password: make an app password there.",
        field="password",
    ),
    "AccountTakedown": lambda label: Disconnected(f"{label} has suspended this account: ask there why."),
    "AccountDeactivated": lambda label: Disconnected(f"This account is deactivated: activate it on {label}."),
    "InvalidSwap": lambda label: Conflict(
        f"It was changed on {label} in the meantime: look at it there. Retry to write over it."
    ),
    "RecordNotFound": lambda label: Gone(f"{label} does not have it any more."),
    # The picture was uploaded a moment ago, and is uploaded anew each time.
    "BlobNotFound": lambda label: Unavailable(f"{label} has lost the picture on the way."),
}


@dataclass
class AtprotoAccount(Connector):
    """Speaks for an account to the server that keeps it, its PDS."""

    appview: ClassVar[str] = "https://public.api.bsky.app"
    directory: ClassVar[str] = "https://plc.directory"
    # Of an address that is looked up: the app password goes there.
    schemes: ClassVar[tuple[str, ...]] = ("https://",)

    def base_url(self) -> str:
        return (self.settings.get("url") or str(self.facts.get("pds") or "") or ENTRYWAY).rstrip("/")

    def verify(self) -> Account:
        self.facts = {**self.facts, "pds": self._home()}
        self._sign_in()
        handle, did = self.session["handle"], self.session["did"]
        facts = {"pds": self.base_url(), "did": did, "handle": handle}
        return Account(handle, f"https://bsky.app/profile/{handle}", facts)

    def did(self) -> str:
        """The account's name for ever, whatever its handle is."""
        if not self.has_session and self.facts.get("did"):
            return str(self.facts["did"])
        return self._signed_in()["did"]

    def ask(self, name: str, **what: Any) -> dict[str, Any]:
        """A procedure, as the account. A token that has run out is renewed, once. All we ask for may be repeated."""
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
        if answer.status == 500 and answer.url.endswith("uploadBlob"):  # how it says that a picture is broken
            return Rejected(f"{self.label} cannot read a picture.")
        return super().fault(answer, call)

    def _post(self, name: str, token: str, **what: Any) -> dict[str, Any]:
        headers = {**what.pop("headers", {}), **({"Authorization": f"Bearer {token}"} if token else {})}
        return as_object(self.call("POST", f"xrpc/{name}", headers=headers, safe=True, **what))

    @property
    def _who(self) -> str:
        """Whom a session is for: it is no good for another account, nor to be shown to another server."""
        return f"{self._handle} {self.base_url()}"

    @property
    def _handle(self) -> str:
        return self.settings.get("handle", "").strip().removeprefix("@")

    @property
    def has_session(self) -> bool:
        return self.session.get("who") == self._who and bool(self.session.get("access"))

    def _signed_in(self) -> dict[str, str]:
        if not self.has_session:
            self._sign_in()
        return self.session

    def _sign_in(self) -> None:
        """With the password, which few times a day are allowed."""
        wish = {"identifier": self._handle, "password": self.settings.get("password", "").strip()}
        try:
            self._keep(self._post("com.atproto.server.createSession", "", json=wish, need="accessJwt"))
        except Gone:
            raise self._is_no_pds() from None

    def _renew(self) -> None:
        """With the refresh token; it goes without a body, as one is refused."""
        token = self.session.get("refresh", "")
        try:
            self._keep(self._post("com.atproto.server.refreshSession", token, need="accessJwt"))
        except (Rejected, Disconnected):
            self._sign_in()

    def _keep(self, said: Mapping[str, Any]) -> None:
        did = str(said.get("did"))
        if not DID.fullmatch(did):
            raise self._is_no_pds()
        access, refresh = str(said["accessJwt"]), str(said.get("refreshJwt") or "")
        handle = str(said.get("handle") or did)
        self.session.update(access=access, refresh=refresh, did=did, handle=handle, who=self._who)

    def _is_no_pds(self) -> Misconfigured:
        return Misconfigured("There is no PDS at this address: correct it, or leave it empty.", field="url")

    def _home(self) -> str:
        """The account's PDS: what the settings say, else what its identity says, else the one that most have."""
        if self.settings.get("url"):
            return self.settings["url"]
        try:
            return self._pds_of(self._resolved())
        except ConnectorError:
            return ENTRYWAY

    def _resolved(self) -> str:
        if self._handle.startswith("did:"):
            return self._handle
        where = f"{self.appview}/xrpc/com.atproto.identity.resolveHandle"
        return str(self.call("GET", f"{where}?handle={quote(self._handle)}", need="did").json()["did"])

    def _pds_of(self, did: str) -> str:
        method, _, name = did.removeprefix("did:").partition(":")
        where = f"https://{name}/.well-known/did.json" if method == "web" else f"{self.directory}/{did}"
        services = as_object(self.call("GET", where)).get("service")
        for service in services if isinstance(services, list) else []:
            address = service.get("serviceEndpoint") if isinstance(service, dict) else None
            is_pds = address is not None and str(service.get("id")).endswith("#atproto_pds")
            if is_pds and str(address).startswith(self.schemes):
                return str(address).rstrip("/")
        return ENTRYWAY
