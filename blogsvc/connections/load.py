"""Create a working connector from a connection's row, with decrypted secrets."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from blogsvc.config import Config
from blogsvc.connections.allowed_paths import require_allowed, resolve_paths
from blogsvc.connections.stored_uploads import StoredUploads
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Article, Connector, ImageSource, Misconfigured, Origins, Payload
from blogsvc.context import Tools
from blogsvc.lib.crypto import WrongKey
from blogsvc.lib.instance_paths import MEDIA
from blogsvc.lib.media_names import key_in, width_in
from blogsvc.models import Connection


class MissingConnector(Connector):
    """A placeholder for an unavailable connector. Every method raises the reason."""

    key = "missing"
    label = "Missing"
    why = ""

    def _refuse(self, *_: object) -> Any:
        raise Misconfigured(self.why)

    def compose(self, article: Article, options: Any) -> Payload:
        raise Misconfigured(self.why)

    verify = publish = update = delete = find = look = stats = _refuse  # type: ignore[assignment]


def connector_of(connection: Connection | None, tools: Tools) -> Connector:
    """Return the connector of a connection. Never raises: an unavailable connector raises when it is used."""
    if connection is None:
        return _missing("The account is no longer connected. Reconnect it.")
    kind = connectors().get(connection.connector)
    if kind is None:
        return _missing(f"The connector {connection.connector!r} is not installed. Install its package.")
    try:
        uploads = StoredUploads(connection.id, kind.uploads_keep, tools.now)
        known = {"facts": dict(connection.facts), "session": _session(connection, tools), "uploads": uploads}
        settings = {**connection.settings, **secrets_of(connection, tools)}
        return build_connector(kind, settings, tools, origins_of(connection, tools), **known)
    except (WrongKey, Misconfigured) as error:
        return _missing(str(error))


def connector_without_account(kind: type[Connector], tools: Tools) -> Connector:
    """Return a connector with its default settings, which can compose a preview and reaches no server."""
    settings = {field.name: "" if field.path else field.default for field in kind.fields}
    return build_connector(kind, settings, tools, Origins())


def build_connector(
    kind: type[Connector], settings: dict[str, str], tools: Tools, origins: Origins | None, **known: Any
) -> Connector:
    """Create a connector that sends its secrets only to `origins`, by default those of the settings.

    Raises Misconfigured for a directory that is not allowed.
    """
    images = ImageSource(tools.http, uploaded_files=lambda url: _media_files(url, tools.config))
    http = tools.http if origins is None else tools.http.only_to(origins)
    connector = kind(settings=resolve_paths(settings, kind, tools.config), http=http, images=images, **known)
    require_allowed(connector, tools.config)
    return connector


def _media_files(url: str, config: Config) -> Iterator[Path]:
    """Yield the files of an image in our media: the full size, then the others, the widest first.

    Yields none for other URLs. Finds the files by name, so that no database access is needed during a delivery. Raises
    Busy.
    """
    ours, _, name = url.rpartition("/")
    key = key_in(name) if ours == f"{config.public_url}/media" else None
    names = [name.rpartition("/")[2] for name in config.storage.names(f"{MEDIA}/{key}")] if key else []
    for name in sorted(names, key=lambda name: (-(width_in(name) or sys.maxsize), name)):
        if key_in(name) == key and (file := config.storage.local(f"{MEDIA}/{name}")) is not None:
            yield file


def _session(connection: Connection, tools: Tools) -> dict[str, str]:
    """Return the connector's saved session; empty if it can no longer be decrypted."""
    try:
        return dict(json.loads(tools.vault.unseal(connection.session))) if connection.session else {}
    except WrongKey:
        return {}


def save_session(connection: Connection | None, connector: Connector, tools: Tools) -> None:
    """Save the connector's session, encrypted, if it has changed."""
    if connection is not None and connector.session != _session(connection, tools):
        connection.session = tools.vault.seal(json.dumps(connector.session)) if connector.session else None


def secrets_of(connection: Connection, tools: Tools) -> dict[str, str]:
    """Return the decrypted secret settings. Raises WrongKey."""
    return dict(_unsealed(connection, tools)["secrets"]) if connection.sealed else {}


def origins_of(connection: Connection, tools: Tools) -> Origins | None:
    """Return the origins that the stored secrets may be sent to; None if there are no secrets. Raises WrongKey."""
    return Origins(frozenset(_unsealed(connection, tools)["origins"])) if connection.sealed else None


def _unsealed(connection: Connection, tools: Tools) -> dict[str, Any]:
    """Return what `seal` has encrypted. Raises WrongKey."""
    sealed: dict[str, Any] = json.loads(tools.vault.unseal(connection.sealed))
    return sealed


def _missing(why: str) -> Connector:
    connector = MissingConnector()
    connector.why = why
    return connector


def seal(connection: Connection, connector: Connector, values: dict[str, str], tools: Tools) -> None:
    """Store settings in the row, with the secrets encrypted together with the origins that they may be sent to."""
    secret = {field.name for field in connector.fields if field.secret}
    connection.settings = {name: value for name, value in values.items() if name not in secret}
    secrets = {name: value for name, value in values.items() if name in secret}
    sealed = {"secrets": secrets, "origins": sorted(connector.http.origins or ())}
    connection.sealed = tools.vault.seal(json.dumps(sealed)) if secrets else b""
