"""Platforms: connections to accounts on platforms. Secrets are never returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from flask import url_for
from pydantic import Field

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework import auth, cursors, etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import In, Text
from blogsvc.connections import disconnect, manage
from blogsvc.connections.catalog import catalog
from blogsvc.models import SITE, Connection, transaction

# More origins than any connector finds.
Confirmed = Annotated[list[Annotated[Text, Field(max_length=2000)]], Field(max_length=10)]
Settings = Annotated[dict[str, Annotated[Text, Field(max_length=10_000)] | None], Field(max_length=100)]


class PlatformIn(In):
    """A new connection."""

    connector: Annotated[Text, Field(max_length=64)]
    """The key of the connector, up to 64 characters, for example `mastodon`. `GET /connectors` lists them."""
    name: schemas.ConnectionName | None = None
    """The name of the new destination, up to 64 characters: lowercase letters, digits and hyphens.

    Absent or null: the key of the connector.
    """
    settings: Settings = Field(default_factory=dict)
    """The connector's settings by name, for example `{"url": "https://mastodon.example", "token": "..."}`.

    Values have up to 10,000 characters.
    """
    confirm: Confirmed = Field(default_factory=list)
    """Other servers that may get the secrets, up to 10, for example `["https://cms.example"]`.

    Credentials are sent only to the server that was entered. If it leads to another one, the error `other_origin` names
    that. Confirm it if you trust it.
    """


class PlatformChange(In):
    """The fields to change. Absent fields keep their value."""

    fixed: ClassVar[Mapping[str, str]] = {**In.fixed, "connector": "Connect another account instead."}

    name: schemas.ConnectionName = Field(default_factory=str)
    """The new name, up to 64 characters: lowercase letters, digits and hyphens."""
    settings: Settings = Field(default_factory=dict)
    """The settings to change, by name. Absent settings keep their value; null clears a setting."""
    confirm: Confirmed = Field(default_factory=list)
    """Other servers that may get the new secrets, up to 10, as when connecting.

    Stored secrets stay with the servers that they were entered for: to confirm another one, send them again.
    """
    aliases: Annotated[list[schemas.ConnectionName], Field(max_length=20)] = Field(default_factory=list)
    """Other names of the destination, up to 20. They replace the present ones; posts that wait for one are sent."""


class ConnectedOut(schemas.ConnectionOut):
    """A connection, with the secrets that were generated for it."""

    generated: dict[str, str]
    """Secrets that were generated for the connection, by setting. Returned only in this response. Often empty."""


def _document(name: str) -> schemas.ConnectionOut:
    return serializers.site() if name == SITE else serializers.connection(Connection.known_as(name))


def _shown_once(row: Connection, generated: dict[str, str], status: int, headers: dict[str, str]) -> Reply:
    """Return a response that may hold a secret, with the ETag of the connection without it."""
    plain = serializers.connection(row)
    parts = {name: getattr(plain, name) for name in schemas.ConnectionOut.model_fields}
    headers = {**headers, "ETag": etags.of(plain.model_dump_json(by_alias=True))}
    return Reply(ConnectedOut.model_construct(**parts, generated=generated), status, headers, has_etag=False)


@operation(
    "GET",
    "/platforms",
    "List platforms",
    scope="platforms:read",
    query=cursors.PageQuery,
    answers={200: schemas.PlatformsOut},
)
def list_platforms(query: cursors.PageQuery) -> Reply:
    """Returns the connections, whose names a post's `platforms` can contain: first this blog, then by name.

    `available` has all other platforms, too. A post can name each that is not `unsupported`: it waits for an account,
    or for a person who posts it.
    """
    connections = Connection.all()
    found = [serializers.site(), *map(serializers.connection, connections)]
    rows, cursor = cursors.slice_of(found, query, lambda one: (one.name != SITE, one.name))
    available = [serializers.platform(one) for one in catalog(connections)]
    page = schemas.PlatformsOut.model_construct(data=rows, available=available, next_cursor=cursor)
    return Reply(page, headers=cursors.link_to(cursor), has_etag=False)


@operation(
    "POST",
    "/platforms",
    "Connect an account",
    scope="platforms:write",
    body=PlatformIn,
    answers={201: ConnectedOut},
    is_atomic=False,
    refuses=(502,),
)
def connect_platform(body: PlatformIn) -> Reply:
    """Creates a connection after the platform has accepted its credentials, and sends what waited for the account.

    Posts that name the connector's key wait for its first connection, whatever its name: the key becomes an alias of
    the connection, and the posts get its name. Deliveries that were due long ago stay `blocked` with the error `late`:
    retry or dismiss them.

    Credentials are sent only to the server (scheme, host and port) of the settings, and to those in `confirm`.
    """
    name = body.name or body.connector
    row, generated = manage.connect(
        body.connector, name, body.settings, context.tools(), auth.creator_id(), body.confirm
    )
    return _shown_once(row, generated, 201, {"Location": url_for("api.get_platform", name=row.name)})


@operation(
    "GET",
    "/platforms/<name>",
    "Get a connection",
    scope="platforms:read",
    answers={200: schemas.ConnectionOut, 304: None},
    refuses=(404,),
)
def get_platform(name: str) -> Reply:
    """Returns the connection and its health."""
    return Reply(_document(name))


@operation(
    "PATCH",
    "/platforms/<name>",
    "Update a connection",
    scope="platforms:write",
    body=PlatformChange,
    answers={200: ConnectedOut},
    refuses=(404, 409, 412, 502),
    stored=_document,
)
def update_platform(name: str, body: PlatformChange) -> Reply:
    """Changes the name or the settings. New settings are saved only if the platform accepts them.

    A change of the address to another server (scheme, host or port) needs the secrets again: stored secrets are only
    sent to the server that they were entered for.
    """
    row = manage.connection_named(name)
    etags.require_match(lambda: serializers.connection(row))
    sent = body.sent_fields()
    changes = {part: sent.get(part) for part in ("name", "aliases")}
    generated = manage.change(
        row, values=sent.get("settings"), tools=context.tools(), confirmed=body.confirm, **changes
    )
    return _shown_once(row, generated, 200, {})


@operation(
    "DELETE",
    "/platforms/<name>",
    "Disconnect an account",
    scope="platforms:write",
    answers={204: None},
    refuses=(404, 409, 412),
)
def disconnect_platform(name: str) -> Reply:
    """Deletes the connection and its secrets. Published copies stay on the platform.

    Deliveries that were not sent yet become `blocked` until an account of this name is connected. Those that may have
    been sent, and withdrawals of copies, fail.
    """
    with transaction():
        row = manage.connection_named(name)
        etags.require_match(lambda: serializers.connection(row))
        disconnect.disconnect(row, context.now())
    return Reply(None, 204)


@operation(
    "POST",
    "/platforms/<name>/verify",
    "Verify a connection",
    scope="platforms:write",
    answers={200: schemas.ConnectionOut},
    is_atomic=False,
    refuses=(404, 502),
)
def verify_platform(name: str) -> Reply:
    """Tests the credentials with the platform. If they work, deliveries that waited for them resume."""
    if name != SITE:
        manage.verify(Connection.named(name), context.tools())
    return Reply(_document(name))
