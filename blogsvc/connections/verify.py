"""Vetting: new settings of a connection before they are stored: complete, allowed, and accepted by the platform."""

from __future__ import annotations

from collections.abc import Mapping

from blogsvc.connections.load import build_connector
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Account, Connector, ConnectorError, Disconnected, Unavailable, Uncertain
from blogsvc.context import Tools
from blogsvc.errors import Fault, Invalid, Refused
from blogsvc.models import db


def connectable(key: str) -> type[Connector]:
    """The connector of a key, where accounts can be connected by it. Raises Invalid."""
    kinds = {name: kind for name, kind in connectors().items() if not kind.is_local}
    if key not in kinds:
        known = ", ".join(sorted(kinds))
        raise Invalid(Fault("#/connector", "unknown_connector", f"There is no connector {key!r}. There are: {known}."))
    return kinds[key]


def complete_settings(values: Mapping[str, str | None], kind: type[Connector]) -> tuple[dict[str, str], dict[str, str]]:
    """The settings with what is made for them, and that alone. Raises Invalid."""
    given = {name: value for name, value in values.items() if value}
    made = kind.defaults(given)
    known = {field.name: field for field in kind.fields}
    faults = [
        Fault(f"#/settings/{name}", "unknown_field", f"{kind.label} has no {name!r}. It has: {', '.join(known)}.")
        for name in values.keys() - known.keys()
    ]
    settings = {field.name: {**made, **given}.get(field.name) or field.default for field in kind.fields}
    for field in kind.fields:
        value = settings[field.name]
        if field.required and not value:
            faults.append(Fault(f"#/settings/{field.name}", "required", f"{kind.label} needs {field.label}."))
        elif value and field.choices and value not in field.choices:
            choices = ", ".join(field.choices)
            faults.append(Fault(f"#/settings/{field.name}", "invalid", f"{field.label} is one of: {choices}."))
    if faults:
        raise Invalid(*faults)
    return settings, made


def release_database() -> None:
    """Hold nothing of the database while a platform thinks. Not for the middle of a write, which would be lost."""
    assert not db.session().info.get("writing"), "a platform is asked in the middle of a transaction"
    db.session.rollback()


def verify_settings(kind: type[Connector], settings: dict[str, str], tools: Tools) -> tuple[Connector, Account]:
    """A connector with new settings, and whom they speak for. Raises Refused where they are at fault,
    ConnectorError where the platform is."""
    release_database()
    try:
        connector = build_connector(kind, settings, tools)
        return connector, connector.verify()
    except (Unavailable, Uncertain):
        raise
    except ConnectorError as error:
        raise _refused(error, kind) from error


def _refused(error: ConnectorError, kind: type[Connector]) -> Refused:
    secret = [field.name for field in kind.fields if field.secret]
    likely = secret if isinstance(error, Disconnected) else [f.name for f in kind.fields if f.name == "url"]
    field = error.field or (likely[0] if len(likely) == 1 else None)
    return Refused(
        Fault(
            f"#/settings/{field}" if field else "#/settings",
            error.code,
            str(error),
            platform=kind.key,
            rule="verified",
            remediation="Change this setting and send it again; nothing was stored.",
        )
    )
