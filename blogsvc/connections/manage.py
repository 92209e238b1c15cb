"""Connect accounts, change their settings, and verify them with their platforms."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy import Text, cast, exists, or_, select

from blogsvc.connections.adopt import adopt_soon, link_settled
from blogsvc.connections.aliases import choose_aliases
from blogsvc.connections.elsewhere import connections_of_others
from blogsvc.connections.load import connector_of, origins_of, save_session, seal, secrets_of
from blogsvc.connections.verify import (
    complete_settings,
    connectable,
    mark_disconnected,
    release_database,
    require_secrets_again,
    verified,
    verify_settings,
)
from blogsvc.connections.waiting import awaited_connector
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
from blogsvc.lib.text.plain import within
from blogsvc.models import SITE, Connection, Delivery, Post, PostLabel, Revision, Setting, db, record, transaction
from blogsvc.models.due_deliveries import release_lane
from blogsvc.models.transactions import wake_scheduler

# Longer values from a platform are shortened. In characters.
MAX_ACCOUNT_LENGTH, MAX_ERROR_LENGTH = 300, 2000
# How old the facts of an account may be, before they are read again together with a check of a copy.
FACTS_AGE = timedelta(days=1)
MAX_ALIASES = 20
NAME_RULE = "Use lowercase letters, digits and hyphens."
CONNECTION_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")


def destinations() -> list[str]:
    """Return the names of all destinations, without aliases."""
    return [SITE, *Connection.by_name()]


def connection_named(name: str) -> Connection:
    """Return a connection for changing it. Raises NotFound, and StateConflict for the built-in blog."""
    if name == SITE:
        raise StateConflict("You can't change, rename or disconnect the built-in blog.", state="built-in")
    return Connection.named(name)


def connect(
    key: str,
    name: str,
    values: Mapping[str, str | None],
    tools: Tools,
    created_by: str | None = None,
    confirmed: Collection[str] = (),
) -> tuple[Connection, dict[str, str]]:
    """Connect an account after the platform has accepted its settings, and send what waited for it.

    `created_by` is the id of a user or a key. `confirmed` are servers that may get the secrets besides the one entered.
    Returns the connection and the secrets generated for it, which are shown only once. Raises Invalid for an invalid
    name or setting, Refused if the platform rejects the settings, OtherOrigin if they lead to another server, and
    ConnectorError if the platform is unavailable.
    """
    kind = connectable(key)
    settings, generated = complete_settings(values, kind)
    _check_name(name, key)
    connector, account = verify_settings(kind, settings, tools, confirmed=confirmed)
    now = tools.now()
    with transaction():
        _check_name(name, key)
        connection = Connection.add(name, key, now, created_by)
        seal(connection, connector, settings, tools)
        _store_verification(connection, connector, account, now, tools)
        choose_aliases(connection)
        link_settled(connection)
    adopt_soon(connection.id, tools)
    return connection, generated


def change(
    connection: Connection,
    name: str | None,
    values: Mapping[str, str | None] | None,
    tools: Tools,
    aliases: list[str] | None = None,
    confirmed: Collection[str] = (),
) -> dict[str, str]:
    """Rename a connection, or change its settings or aliases. None clears a setting; absent ones keep their value.

    Stored secrets stay only if the address keeps its origin. New ones may also go to `confirmed` servers. Changes are
    saved only after the platform has accepted them. Returns the generated secrets. Raises as `connect`, and
    StateConflict if posts use the old name, Stale if someone else changed the connection.
    """
    before = _snapshot(connection)
    kind, settings, generated = connectable(connection.connector), dict[str, str](), dict[str, str]()
    verified_account: tuple[Connector, Account] | None = None
    new_name = None if name == connection.name else name
    if new_name is not None:
        _check_rename(connection, new_name)
    if values is not None:
        stored = _stored_settings(connection, kind, tools)
        settings, generated = complete_settings({**stored, **values}, kind)
        kept_secrets = [one for one in kind.fields if one.secret and stored.get(one.name) and one.name not in values]
        require_secrets_again(kind, stored, settings, kept_secrets)
        origins = origins_of(connection, tools) if kept_secrets else None
        verified_account = verify_settings(kind, settings, tools, stored=stored, origins=origins, confirmed=confirmed)
    with transaction():
        connection = _current_row(before[0])
        if _snapshot(connection) != before:
            raise Stale("Someone else changed this connection. Read it again and reapply your change.")
        if new_name is not None:
            _check_rename(connection, new_name)
            usual = Setting.read("default_platforms")
            Setting.write("default_platforms", [new_name if name == connection.name else name for name in usual])
            connection.name = new_name
            connection.aliases = [alias for alias in connection.aliases if alias != new_name]
            link_settled(connection)
        if verified_account is not None:
            seal(connection, verified_account[0], settings, tools)
            _store_verification(connection, *verified_account, tools.now(), tools)
        if aliases is not None and aliases != connection.aliases:
            _check_aliases(connection, aliases)
            connection.aliases = list(aliases)
    adopt_soon(before[0], tools)
    return generated


def _check_aliases(connection: Connection, aliases: list[str]) -> None:
    """Raise Invalid if one of the aliases is malformed, or belongs to another connection or connector."""
    if len(aliases) > MAX_ALIASES:
        raise Invalid(Fault("#/aliases", "too_long", f"A connection can have at most {MAX_ALIASES} aliases."))
    others = [row for row in Connection.all() if row is not connection]
    taken_names = {SITE, connection.name, *(name for row in others for name in row.names)}
    for i, alias in enumerate(aliases):
        kind, at = awaited_connector(alias), f"#/aliases/{i}"
        if not CONNECTION_NAME.fullmatch(alias):
            raise Invalid(Fault(at, "invalid_name", f"{alias!r} is not a valid name. {NAME_RULE}"))
        if alias in taken_names or alias in aliases[:i]:
            raise Invalid(Fault(at, "taken", f"The name {alias!r} is already in use."))
        if kind is not None and kind.key != connection.connector:
            raise Invalid(Fault(at, "invalid", f"{alias!r} is the name of a {kind.label} account."))


def _snapshot(connection: Connection) -> tuple[str, str, dict[str, str], bytes, list[str]]:
    return connection.id, connection.name, connection.settings, connection.sealed, connection.aliases


def _current_row(connection_id: str) -> Connection:
    """Return the current row, under the write lock. Raises NotFound if it was disconnected in the meantime."""
    connection = db.session.get(Connection, connection_id)
    if connection is None:
        raise NotFound("The connection was removed in the meantime.")
    return connection


def _stored_settings(connection: Connection, kind: type[Connector], tools: Tools) -> dict[str, str]:
    """Return the stored settings that the connector still has, without secrets that can no longer be decrypted."""
    try:
        values = {**connection.settings, **secrets_of(connection, tools)}
    except WrongKey:
        values = connection.settings
    known = {field.name for field in kind.fields}
    return {name: value for name, value in values.items() if name in known}


def _check_rename(connection: Connection, new: str) -> None:
    """Raise Invalid or StateConflict if the connection cannot be renamed: posts refer to it by name."""
    _check_name(new, connection.connector, connection)
    if is_used(connection.name):
        raise StateConflict(
            f"You can't rename {connection.name!r} because posts use it. Add a new connection instead.", state="in use"
        )


def is_used(name: str) -> bool:
    """Return True if a post or a revision uses a destination of this name."""
    named = f'%"{name}":%'
    return bool(
        db.session.scalar(
            select(
                or_(
                    exists().where(PostLabel.kind == "platform", PostLabel.value == name),
                    exists().where(Delivery.destination == name),
                    exists().where(cast(Post.overrides, Text).like(named)),
                    exists().where(cast(Revision.overrides, Text).like(named)),
                )
            )
        )
    )


def _is_named(name: str) -> bool:
    """Return True if a post has this destination, or new posts will have it."""
    return name in Setting.read("default_platforms") or is_used(name)


def verify(connection: Connection, tools: Tools, *, is_by_hand: bool = True) -> Connection:
    """Verify a connection with its platform, and resume deliveries that waited for it. Raises ConnectorError.

    Args:
        is_by_hand: a person asked for it, so the back-off of verifications without a person starts anew.
    """
    connection_id, connector = connection.id, connector_of(connection, tools)
    release_database()
    try:
        account = verified(connector)
    except ConnectorError as error:
        if not connections_of_others([connection_id], tools):  # whether this process can use it says nothing
            _store_refusal(connection_id, error, tools.now())
        raise
    with transaction():
        connection = _current_row(connection_id)
        count = connection.verify_count - 1  # without this verification, which did not fail
        _store_verification(connection, connector, account, tools.now(), tools)
        connection.verify_count = 0 if is_by_hand else count
        return connection


def verify_if_due(connection_id: str, tools: Tools) -> bool:
    """Verify a disconnected connection if that is due without a person. Returns False if it is not."""
    with transaction():
        connection, now = db.session.get(Connection, connection_id, with_for_update=True), tools.now()
        if connection is None or connection.verify_at is None or connection.verify_at > now:
            return False
        connection.schedule_verification(now)
    with suppress(ConnectorError, NotFound):  # stored with the connection, or it was removed
        verify(connection, tools, is_by_hand=False)
    return True


def verify_soon(now: datetime) -> None:
    """Verify connections with a wrong address now, such as after a start that brings a missing connector back."""
    with transaction():
        later = select(Connection).where(Connection.state == "disconnected", Connection.verify_at > now)
        for connection in db.session.scalars(later):
            connection.verify_at = now
            wake_scheduler()


def refresh_facts(connection_id: str, tools: Tools) -> None:
    """Read the facts of an account again, once a day, such as how many subscribers its newsletters have."""
    connection, now = db.session.get(Connection, connection_id), tools.now()
    if connection is None or (connection.verified_at is not None and now - connection.verified_at < FACTS_AGE):
        return
    connector = connector_of(connection, tools)
    release_database()
    try:
        account = verified(connector)
    except ConnectorError:  # the next delivery or check will say so
        return
    with transaction(), suppress(NotFound):
        connection = _current_row(connection_id)
        connection.facts, connection.verified_at = dict(account.facts), tools.now()
        save_session(connection, connector, tools)


def _store_verification(
    connection: Connection, connector: Connector, account: Account, now: datetime, tools: Tools
) -> None:
    connection.record_success()
    connection.verified_at = now
    connection.note_account(within(account.name, MAX_ACCOUNT_LENGTH), account.url)
    connection.facts = dict(account.facts)
    save_session(connection, connector, tools)
    release_lane(connection.id, now)
    record("connection.connected", now, platform=connection.name, account=account.name)


def _store_refusal(connection_id: str, error: ConnectorError, now: datetime) -> None:
    with transaction():
        connection = _current_row(connection_id)
        if isinstance(error, Disconnected | Misconfigured):
            mark_disconnected(connection, error, now)
        else:
            connection.last_error = within(str(error), MAX_ERROR_LENGTH)


def _check_name(name: str, key: str, renamed: Connection | None = None) -> None:
    """Raise Invalid if the name is malformed, already in use, or means another connector than `key` in posts."""
    if not CONNECTION_NAME.fullmatch(name):
        raise Invalid(Fault("#/name", "invalid_name", f"{name!r} is not a valid name. {NAME_RULE}"))
    if (kind := awaited_connector(name)) is not None and kind.key != key and _is_named(name):
        taken = f"Posts use {name!r} for a {kind.label} account. Choose another name."
        raise Invalid(Fault("#/name", "taken", taken))
    aliases = {alias for row in Connection.all() if row is not renamed for alias in row.aliases}
    if name in aliases or name in destinations():
        raise Invalid(Fault("#/name", "taken", f"The name {name!r} is already in use. Choose another name."))
