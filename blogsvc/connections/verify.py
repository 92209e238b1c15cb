"""Check new settings of a connection, and verify them with the platform before they are saved."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlsplit

from blogsvc.connections.allowed_paths import require_allowed
from blogsvc.connections.load import build_connector
from blogsvc.connectors import connectors
from blogsvc.connectors.base import (
    Account,
    Connector,
    ConnectorError,
    CredentialsRejected,
    Disconnected,
    Field,
    Misconfigured,
    OriginChanged,
    Origins,
    Unavailable,
    Uncertain,
    Unreachable,
)
from blogsvc.context import Tools
from blogsvc.errors import Fault, Invalid, OtherOrigin, Refused
from blogsvc.lib.net.http import origin_of
from blogsvc.lib.text.fuzzy import suggestion
from blogsvc.models import Connection, db, record
from blogsvc.models.transactions import is_writing


def connectable_keys() -> list[str]:
    """Return the keys of the connectors that accounts can be connected with."""
    return sorted(name for name, kind in connectors().items() if not kind.is_local)


def connectable(key: str) -> type[Connector]:
    """Return the connector with this key. Raises Invalid."""
    keys = connectable_keys()
    if key not in keys:
        detail = f"There is no connector {key!r}.{suggestion(key, keys)} Available: {', '.join(keys)}."
        raise Invalid(Fault("#/connector", "unknown_connector", detail))
    return connectors()[key]


def complete_settings(values: Mapping[str, str | None], kind: type[Connector]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the settings with defaults, and the generated values alone. URLs without a scheme get https://.

    Raises Invalid.
    """
    fields = {field.name: field for field in kind.fields}
    servers = {
        name: _server_of(value) for name, value in values.items() if value and name in fields and fields[name].server
    }
    filled = {name: _with_scheme(name, value) for name, value in {**values, **servers}.items() if value}
    generated = kind.defaults(filled)
    faults = [
        Fault(
            f"#/settings/{name}",
            "unknown_field",
            f"{kind.label} has no setting {name!r}. Available: {', '.join(fields)}.",
        )
        for name in values.keys() - fields.keys()
    ]
    settings = {field.name: {**generated, **filled}.get(field.name) or field.default for field in kind.fields}
    for field in kind.fields:
        value = settings[field.name]
        if field.required and not value:
            faults.append(Fault(f"#/settings/{field.name}", "required", f"Enter the {field.noun}."))
        elif value and field.choices and value not in field.choices:
            choices = ", ".join(field.choices)
            faults.append(Fault(f"#/settings/{field.name}", "invalid", f"{field.label} must be one of: {choices}."))
    if faults:
        raise Invalid(*faults)
    return settings, generated


def _server_of(value: str) -> str:
    """Return the server of a handle (@ada@server) or of a profile (https://server/@ada), or the value if it is neither.

    Mastodon has profiles at /@ada and /users/ada, Lemmy at /u/ada.
    """
    text = value.strip()
    user, _, server = text.removeprefix("@").rpartition("@")
    if user and server and not set("/:@ ").intersection(user) and "/" not in server:
        return server
    scheme, slashes, rest = text.rpartition("://") if text.startswith(("https://", "http://")) else ("", "", text)
    server, _, path = rest.partition("/")
    is_profile = path.startswith(("@", "u/", "users/")) and "@" not in server
    return f"{scheme}{slashes}{server}" if is_profile else value


def _with_scheme(name: str, value: str) -> str:
    is_host = name.endswith("url") and "://" not in value and "." in value and "@" not in value and value[0] not in "/."
    return f"https://{value.strip()}" if is_host else value


def release_database() -> None:
    """End the read transaction before a request to a platform. Must not be called during a write."""
    assert not is_writing(), "request to a platform inside a write transaction"
    db.session.rollback()


def require_secrets_again(
    kind: type[Connector], before: Mapping[str, str], settings: Mapping[str, str], kept_secrets: Collection[Field]
) -> None:
    """Raise Invalid for stored secrets if the address changes to another origin: they were not given for that.

    A field that the connector did not have before counts with its default.
    """
    moved = [
        (field.label, origin)
        for field in kind.fields
        if field.address
        and (origin := origin_of(before.get(field.name) or field.default)) != origin_of(settings.get(field.name, ""))
    ]
    if kept_secrets and moved:
        label, origin = moved[0]
        why = f"the {label} changed, and the stored value is only for {origin or 'the former server'}."
        raise Invalid(
            *(Fault(f"#/settings/{one.name}", "required", f"Enter {one.label} again: {why}") for one in kept_secrets)
        )


def verified(connector: Connector) -> Account:
    """Return the account of a connector. Raises ConnectorError, such as for an address that now leads elsewhere."""
    account, allowed = connector.verify(), connector.http.origins
    found = Origins.of(replace(connector, facts=dict(account.facts)).addresses())
    if allowed is not None and (others := [origin for origin in found if origin not in allowed]):
        raise OriginChanged(connector.label, others[0], allowed)
    return account


def verify_settings(
    kind: type[Connector],
    settings: dict[str, str],
    tools: Tools,
    *,
    stored: Mapping[str, str] | None = None,
    origins: Origins | None = None,
    confirmed: Collection[str] = (),
) -> tuple[Connector, Account]:
    """Return a connector with new settings and the account they belong to.

    Stored secrets are sent only to their `origins`, new ones to those of the settings and those that are `confirmed`.
    Raises Refused if the platform rejects the settings or no server answers at an address that is not the `stored` one,
    OtherOrigin if the settings lead to another server, ConnectorError if the platform is unavailable.
    """
    release_database()
    try:
        entered = kind(settings=settings).origins()
        connector = build_connector(kind, settings, tools, entered.confirmed(confirmed) if origins is None else origins)
        account = verified(connector)
        require_allowed(replace(connector, facts=dict(account.facts)), tools.config)
        return connector, account
    except (Unavailable, Uncertain) as error:
        if isinstance(error, Unreachable) and (wrong := _entered(error, kind, settings, stored or {})):
            raise _refused(error, kind, wrong, settings) from error
        raise
    except ConnectorError as error:
        if isinstance(error, OriginChanged) and origins is None:
            raise _other_origin(error, kind, entered) from error
        raise _refused(error, kind, _likely(error, kind), settings) from error


def mark_disconnected(connection: Connection, error: Disconnected | Misconfigured, now: datetime) -> None:
    """Mark a connection as disconnected, with one event, however often it is found to be so.

    Rejected credentials need a person. A wrong address may be right again, such as after the maintenance page of a
    site or an error of its firewall, so the connection is verified again by itself.
    """
    if connection.disconnect(str(error)):
        record("connection.disconnected", now, platform=connection.name, detail=str(error))
    if isinstance(error, Disconnected):
        connection.verify_at = None
    elif connection.verify_at is None:
        connection.schedule_verification(now)


def _entered(
    error: Unreachable, kind: type[Connector], settings: Mapping[str, str], stored: Mapping[str, str]
) -> list[str]:
    """Return the new settings that name the host where no server answered."""
    new = [field for field in kind.fields if settings[field.name] not in (field.default, stored.get(field.name))]
    return [
        field.name
        for field in new
        if field.name == error.field
        or (field.address and urlsplit(origin_of(settings[field.name])).hostname == error.host)
    ]


def _likely(error: ConnectorError, kind: type[Connector]) -> list[str]:
    """Return the settings that may have caused the error."""
    if isinstance(error, Disconnected):
        return [field.name for field in kind.fields if field.secret]
    return _addresses(kind)


def _addresses(kind: type[Connector]) -> list[str]:
    """Return the setting that names the server, or all that may."""
    addresses = [field.name for field in kind.fields if field.address]
    return ["url"] if "url" in addresses else addresses


def _other_origin(error: OriginChanged, kind: type[Connector], entered: Origins) -> Refused:
    """Return the error for settings that lead to a server that nobody entered."""
    at = _pointer(error, _addresses(kind))
    leads = f"{kind.label} leads to {error.origin}, which you didn't enter."
    if not entered.can_be_confirmed(error.origin):
        detail = f"{leads} Credentials aren't sent from https:// to http://. Configure the server to use https://."
        return Refused(Fault(at, "misconfigured", detail, kind.key, "verified", "Nothing was saved."))
    detail = f"{leads} Your credentials weren't sent there. If you trust this server, confirm it or enter its URL."
    remedy = f'Send the request again with `"confirm": ["{error.origin}"]`. Nothing was saved.'
    return OtherOrigin(Fault(at, "other_origin", detail, kind.key, "verified", remedy), error.origin)


def _pointer(error: ConnectorError, likely: Sequence[str]) -> str:
    field = error.field or (likely[0] if len(likely) == 1 else None)
    return f"#/settings/{field}" if field else "#/settings"


def _detail(error: ConnectorError, kind: type[Connector], settings: Mapping[str, str]) -> str:
    """Return what is wrong with what was entered. For a stored account, the error itself says to reconnect it."""
    if not isinstance(error, CredentialsRejected):
        return str(error)
    secrets = [field for field in kind.fields if field.secret and error.field in (None, field.name)]
    if len(secrets) == 1:
        noun, lengths = secrets[0].noun, _compared_lengths(secrets[0], kind, settings)
        return f"{kind.label} doesn't accept this {noun}.{lengths} Copy it again.{error.words}"
    return f"{kind.label} doesn't accept what you entered. Check it, or copy it again.{error.words}"


def _compared_lengths(field: Field, kind: type[Connector], settings: Mapping[str, str]) -> str:
    """Return how many characters a secret has if the platform's secrets have another number, else ""."""
    length = len("".join(settings.get(field.name, "").split()))
    if field.length in (0, length):
        return ""
    characters = "1 character" if length == 1 else f"{length} characters"
    return f" It has {characters}, a {kind.label} {field.noun} has {field.length}."


def _refused(
    error: ConnectorError, kind: type[Connector], likely: Sequence[str], settings: Mapping[str, str]
) -> Refused:
    return Refused(
        Fault(
            _pointer(error, likely),
            error.code,
            _detail(error, kind, settings),
            platform=kind.key,
            rule="verified",
            remediation="Correct this setting and try again. Nothing was saved.",
        )
    )
