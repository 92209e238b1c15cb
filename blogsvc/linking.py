"""From a connection's row to a connector that works: the secrets unsealed, the door handed over."""

from __future__ import annotations

import json
from typing import Any

from blogsvc.connectors import connectors
from blogsvc.connectors.base import Article, Connector, Misconfigured, Payload
from blogsvc.folders import real_settings
from blogsvc.lib.crypto import WrongKey
from blogsvc.models import Connection
from blogsvc.toolbox import Toolbox


class Missing(Connector):
    """Stands in for a connector that cannot be had, and says why at every turn."""

    key = "missing"
    label = "Missing"
    why = ""

    def _refuse(self, *_: object) -> Any:
        raise Misconfigured(self.why)

    def compose(self, article: Article, options: Any) -> Payload:
        raise Misconfigured(self.why)

    verify = publish = update = delete = find = _refuse  # type: ignore[assignment]


def connector_of(connection: Connection | None, tools: Toolbox) -> Connector:
    """The connector for one account. Never raises: what is missing says so when it is used."""
    if connection is None:
        return _missing("Nothing is connected there any more; connect it again.")
    kind = connectors().get(connection.connector)
    if kind is None:
        return _missing(f"The connector {connection.connector!r} is not installed any more.")
    try:
        settings = {**connection.settings, **secrets_of(connection, tools)}
        return kind(settings=real_settings(settings, kind, tools.config), door=tools.door)
    except (WrongKey, Misconfigured) as error:
        return _missing(str(error))


def secrets_of(connection: Connection, tools: Toolbox) -> dict[str, str]:
    """The secret settings, opened. Raises WrongKey."""
    secrets: dict[str, str] = json.loads(tools.vault.unseal(connection.sealed)) if connection.sealed else {}
    return secrets


def _missing(why: str) -> Connector:
    connector = Missing()
    connector.why = why
    return connector


def seal(connection: Connection, values: dict[str, str], kind: type[Connector], tools: Toolbox) -> None:
    """Put settings into the row, secrets sealed."""
    secret = {field.name for field in kind.fields if field.secret}
    connection.settings = {name: value for name, value in values.items() if name not in secret}
    secrets = {name: value for name, value in values.items() if name in secret}
    connection.sealed = tools.vault.seal(json.dumps(secrets)) if secrets else b""
