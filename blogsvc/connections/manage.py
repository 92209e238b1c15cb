"""Connections: link accounts elsewhere, change them, and ask the platforms whether they work."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime

from sqlalchemy import Text, and_, cast, exists, or_, select, update

from blogsvc.connections.load import connector_of, save_session, seal, secrets_of
from blogsvc.connections.verify import complete_settings, connectable, release_database, verify_settings
from blogsvc.connectors import connectors
from blogsvc.connectors.base import (
    Account,
    Connector,
    ConnectorError,
    Disconnected,
    Misconfigured,
)
from blogsvc.context import Tools
from blogsvc.errors import Fault, Invalid, NotFound, Stale, StateConflict
from blogsvc.lib.crypto import WrongKey
from blogsvc.lib.text import within
from blogsvc.models import SITE, Connection, Delivery, Post, PostLabel, Revision, Setting, db, record, transaction
from blogsvc.models.due_deliveries import release_lane

# What a platform says of itself may be longer than what is kept of it.
MOST_ACCOUNT, MOST_URL = 300, 2000
CONNECTION_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")


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
        remediation=f"Connect it with `POST /platforms` or `blogsvc connection add`, or use one of: {names}.",
    )


def choose_defaults(platforms: list[str]) -> None:
    """Where a new post goes that names no platforms. Raises Invalid."""
    with transaction():
        check_platforms(platforms)
        Setting.write("default_platforms", list(dict.fromkeys(platforms)))


def check_options(name: str, given: Mapping[str, str]) -> None:
    """Raises Invalid for what the connector of a destination does not ask per post, or does not know as an answer."""
    if not given:
        return
    kind = None if name == SITE else connectors().get(Connection.named(name).connector)
    known = {option.name: option for option in kind.options} if kind else {}
    for option, value in given.items():
        if option not in known:
            offered = f"It has: {', '.join(known)}." if known else "It has none."
            raise Invalid(Fault("#", "unknown_field", f"{name!r} has no option {option!r}. {offered}", platform=name))
        choices = known[option].choices
        if choices and value not in choices:
            raise Invalid(Fault("#", "invalid", f"{option!r} is one of: {', '.join(choices)}.", platform=name))


def connection_named(name: str) -> Connection:
    """The connection of a name, to be changed. Raises NotFound, and StateConflict for the built-in blog."""
    if name == SITE:
        raise StateConflict(
            "The built-in blog is always there: it cannot be changed, renamed or disconnected.", state="built-in"
        )
    return Connection.named(name)


def connect(key: str, name: str, values: Mapping[str, str | None], tools: Tools) -> tuple[Connection, dict[str, str]]:
    """Link an account, once the platform says whom it speaks for.

    Answers the connection and the secrets that were made for it, which are shown this once. Raises
    Invalid for a name or field, Refused where these settings do not work, ConnectorError where the
    platform does not.
    """
    kind = connectable(key)
    settings, made = complete_settings(values, kind)
    _check_name(name)
    connector, account = verify_settings(kind, settings, tools)
    now = tools.now()
    with transaction():
        _check_name(name)
        connection = Connection.add(name, key, now)
        seal(connection, settings, kind, tools)
        _verified(connection, connector, account, now, tools)
        _take_up(connection)
        return connection, made


def _take_up(connection: Connection) -> None:
    """What an account of this name left behind is this one's: its copies only where it is the same account."""
    left = and_(Delivery.platform == connection.name, Delivery.connection_id.is_(None))
    if Setting.read("former_accounts").get(connection.name) != [connection.connector, connection.account]:
        left = and_(left, Delivery.remote_id.is_(None))
    db.session.flush()  # before what refers to it
    db.session.execute(update(Delivery).where(left).values(connection_id=connection.id))


def change(
    connection: Connection, name: str | None, values: Mapping[str, str | None] | None, tools: Tools
) -> dict[str, str]:
    """Rename a connection, or give it other settings: None clears one, and the rest stays.

    Nothing is stored before the platform has accepted all of it. Answers and raises as `connect`, and
    StateConflict where posts know it by its name, Stale where somebody else changed it meanwhile.
    """
    before = _as_given(connection)
    kind, settings, made = connectable(connection.connector), dict[str, str](), dict[str, str]()
    asked: tuple[Connector, Account] | None = None
    new_name = None if name == connection.name else name
    if new_name is not None:
        _check_rename(connection.name, new_name)
    if values is not None:
        settings, made = complete_settings({**_stored(connection, kind, tools), **values}, kind)
        asked = verify_settings(kind, settings, tools)
    with transaction():
        connection = _still(before[0])
        if _as_given(connection) != before:
            raise Stale("It was changed meanwhile. Read it again, and repeat the change on what it is now.")
        if new_name is not None:
            _check_rename(connection.name, new_name)
            usual = Setting.read("default_platforms")
            Setting.write("default_platforms", [new_name if name == connection.name else name for name in usual])
            connection.name = new_name
        if asked is not None:
            seal(connection, settings, kind, tools)
            _verified(connection, *asked, tools.now(), tools)
        return made


def _as_given(connection: Connection) -> tuple[str, str, dict[str, str], bytes]:
    return connection.id, connection.name, connection.settings, connection.sealed


def _still(connection_id: str) -> Connection:
    """The row as it is now, under the lock. Raises NotFound where it was disconnected meanwhile."""
    connection = db.session.get(Connection, connection_id)
    if connection is None:
        raise NotFound("It was disconnected meanwhile.")
    return connection


def _stored(connection: Connection, kind: type[Connector], tools: Tools) -> dict[str, str]:
    """What it was given so far, of the fields that there still are. Secrets that no key opens are asked for anew."""
    try:
        values = {**connection.settings, **secrets_of(connection, tools)}
    except WrongKey:
        values = connection.settings
    known = {field.name for field in kind.fields}
    return {name: value for name, value in values.items() if name in known}


def _check_rename(old: str, new: str) -> None:
    """Posts, their deliveries and whoever calls the API know it by its name: once used, it stays."""
    _check_name(new)
    if is_used(old):
        raise StateConflict(f"Posts name {old!r}, so it keeps its name; connect it anew by another.", state="in use")


def is_used(name: str) -> bool:
    """Whether a post, or an older version of one, knows a destination by this name."""
    named = f'%"{name}":%'
    return bool(
        db.session.scalar(
            select(
                or_(
                    exists().where(PostLabel.kind == "platform", PostLabel.value == name),
                    exists().where(Delivery.platform == name),
                    exists().where(cast(Post.overrides, Text).like(named)),
                    exists().where(cast(Revision.overrides, Text).like(named)),
                )
            )
        )
    )


def verify(connection: Connection, tools: Tools) -> Connection:
    """Ask the platform again. What waited for the account goes on. Raises ConnectorError."""
    connection_id, connector = connection.id, connector_of(connection, tools)
    release_database()
    try:
        account = connector.verify()
    except ConnectorError as error:
        _note_refusal(connection_id, error, tools.now())
        raise
    with transaction():
        connection = _still(connection_id)
        _verified(connection, connector, account, tools.now(), tools)
        return connection


def _verified(connection: Connection, connector: Connector, account: Account, now: datetime, tools: Tools) -> None:
    connection.works()
    connection.account, connection.verified_at = within(account.name, MOST_ACCOUNT), now
    connection.account_url = account.url if len(account.url or "") <= MOST_URL else None
    connection.facts = dict(account.facts)
    save_session(connection, connector, tools)
    release_lane(connection.id, now)
    record("connection.connected", now, platform=connection.name, account=account.name)


def _note_refusal(connection_id: str, error: ConnectorError, now: datetime) -> None:
    with transaction():
        connection = _still(connection_id)
        if not isinstance(error, Disconnected | Misconfigured):
            connection.last_error = within(str(error), MOST_URL)
        elif connection.disconnect(str(error)):
            record("connection.disconnected", now, platform=connection.name, detail=str(error))


def _check_name(name: str) -> None:
    """Raises Invalid for a name that will not do, or is another's."""
    if not CONNECTION_NAME.fullmatch(name):
        raise Invalid(
            Fault("#/name", "invalid_name", f"{name!r} will not do: use lowercase letters, digits and hyphens.")
        )
    if name in destinations():
        raise Invalid(Fault("#/name", "taken", f"{name!r} is connected already; choose another name."))
