"""Accounts: API keys, and the connections to other places."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from blogsvc.connectors import connectors
from blogsvc.connectors.base import Account, Connector, ConnectorError, Disconnected, Misconfigured
from blogsvc.errors import Busy, Fault, Invalid, NotFound
from blogsvc.lib.crypto import looks_like_key, make_key
from blogsvc.lib.text import within
from blogsvc.linking import connector_of, seal
from blogsvc.models import SITE, ApiKey, Connection, Delivery, db, record, transaction
from blogsvc.models.delivery import PENDING, release_lane
from blogsvc.models.key import SCOPES
from blogsvc.toolbox import Toolbox

# What a platform says of itself may be longer than what is kept of it.
MOST_ACCOUNT, MOST_URL = 300, 2000
NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")


def create_key(name: str, scopes: list[str], expires_at: datetime | None, now: datetime) -> tuple[ApiKey, str]:
    """A new key, and its text, which is shown this once. Raises Invalid for an unknown scope or a name too long."""
    unknown = [scope for scope in scopes if scope not in {*SCOPES, "all"}]
    if unknown:
        raise Invalid(
            Fault("#/scopes", "unknown_scope", f"No such scope: {unknown[0]!r}. Known are: all, {', '.join(SCOPES)}.")
        )
    if not 1 <= len(name) <= 100 or not name.isprintable():
        raise Invalid(Fault("#/name", "invalid", "The name of a key is one line of 1 to 100 characters."))
    if expires_at is not None and expires_at <= now:
        raise Invalid(Fault("#/expiresAt", "in_past", "A key cannot expire before it is made."))
    text = make_key()
    with transaction():
        return ApiKey.add(text, name, scopes, expires_at, now), text


def revoke_key(key: ApiKey, now: datetime) -> None:
    with transaction():
        key.revoked_at = key.revoked_at or now


def key_for(text: str, now: datetime) -> ApiKey | None:
    """The valid key with this text; None for a typo, an unknown, an expired and a revoked one alike."""
    if not looks_like_key(text):
        return None
    key = ApiKey.of(text)
    return key if key is not None and key.is_valid(now) else None


def note_use(key: ApiKey, now: datetime) -> None:
    """Remember that a key was used; cheap, because seldom written. A busy database does not stop a reader."""
    if key.use_is_news(now):
        with suppress(Busy), transaction():
            key.last_used_at = now


def destinations() -> list[str]:
    """Every name that a post's `platforms` may hold."""
    return [SITE, *(connection.name for connection in Connection.all())]


def check_platforms(
    platforms: list[str], pointer: str = "#/platforms", known: Callable[[], list[str]] = destinations
) -> None:
    """Raises Invalid for names that nothing is connected as."""
    if platforms == [SITE]:
        return
    names = known()
    faults = [_unknown(name, f"{pointer}/{i}", names) for i, name in enumerate(platforms) if name not in names]
    if faults:
        raise Invalid(*faults)


def _unknown(name: str, pointer: str, known: list[str]) -> Fault:
    names = ", ".join(known)
    return Fault(
        pointer,
        "unknown_platform",
        f"Nothing is connected as {name!r}. Known are: {names}.",
        platform=name,
        rule="connected",
        remediation=f"Connect it with `blogsvc connection add`, or use one of: {names}.",
    )


def connect(key: str, name: str, values: dict[str, str], tools: Toolbox) -> tuple[Connection, dict[str, str]]:
    """Link an account, once the platform says whom it speaks for.

    Answers the connection and the secrets that were made for it, which are shown this once. Raises
    Invalid for a name or field, ConnectorError where the platform refuses.
    """
    kind = _linkable(key)
    made = kind.defaults(values)
    settings = _checked({**made, **{name: value for name, value in values.items() if value}}, kind)
    _check_name(name)
    now = tools.now()
    account = kind(settings=settings, door=tools.door).verify()
    with transaction():
        if name in destinations():
            raise Invalid(Fault("#/name", "taken", f"{name!r} is connected already; choose another name."))
        connection = Connection.add(name, key, now)
        seal(connection, settings, kind, tools)
        _verified(connection, account, now)
        return connection, made


def verify(connection: Connection, tools: Toolbox) -> Connection:
    """Ask the platform again. What waited for the account goes on. Raises ConnectorError."""
    connector = connector_of(connection, tools)
    db.session.rollback()
    try:
        account = connector.verify()
    except ConnectorError as error:
        _note_refusal(connection, error, tools.now())
        raise
    with transaction():
        _verified(connection, account, tools.now())
        return connection


def _verified(connection: Connection, account: Account, now: datetime) -> None:
    connection.works()
    connection.account, connection.verified_at = within(account.name, MOST_ACCOUNT), now
    connection.account_url = account.url if len(account.url or "") <= MOST_URL else None
    release_lane(connection.id, now)
    record("connection.connected", now, platform=connection.name, account=account.name)


def _note_refusal(connection: Connection, error: ConnectorError, now: datetime) -> None:
    with transaction():
        if not isinstance(error, Disconnected | Misconfigured):
            connection.last_error = within(str(error), 2000)
        elif connection.disconnect(str(error)):
            record("connection.disconnected", now, platform=connection.name, detail=str(error))


def disconnect(connection: Connection, now: datetime) -> None:
    """Forget an account and its secrets. Copies stay where they are; what was not sent yet fails."""
    with transaction():
        waiting = db.session.query(Delivery).filter(
            Delivery.connection_id == connection.id, Delivery.state.in_((*PENDING, "sending"))
        )
        for delivery in waiting:
            delivery.fail("disconnected", f"{connection.name!r} was disconnected.", now)
            delivery.post.settle(now)
        db.session.delete(connection)


def _linkable(key: str) -> type[Connector]:
    kinds = {name: kind for name, kind in connectors().items() if not kind.is_local}
    if key not in kinds:
        raise NotFound(f"There is no connector {key!r}. There are: {', '.join(sorted(kinds))}.")
    return kinds[key]


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise Invalid(
            Fault("#/name", "invalid_name", f"{name!r} will not do: use lowercase letters, digits and hyphens.")
        )


def _checked(values: dict[str, str], kind: type[Connector]) -> dict[str, str]:
    known = {field.name: field for field in kind.fields}
    faults = [
        Fault(f"#/settings/{name}", "unknown_field", f"{kind.label} has no {name!r}. It has: {', '.join(known)}.")
        for name in values.keys() - known.keys()
    ]
    settings = {field.name: values.get(field.name) or field.default for field in kind.fields}
    for field in kind.fields:
        value = settings[field.name]
        if field.required and not value:
            faults.append(Fault(f"#/settings/{field.name}", "required", f"{kind.label} needs {field.label}."))
        elif value and field.choices and value not in field.choices:
            choices = ", ".join(field.choices)
            faults.append(Fault(f"#/settings/{field.name}", "invalid", f"{field.label} is one of: {choices}."))
    if faults:
        raise Invalid(*faults)
    return settings
