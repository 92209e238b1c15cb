"""Platforms: connections to platforms, and the connectors that are available. Secrets are never returned."""

from __future__ import annotations

from typing import Annotated

from flask import g, url_for
from pydantic import Field

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework import etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import In, Text
from blogsvc.connections import disconnect, manage
from blogsvc.connectors import connectors
from blogsvc.models import SITE, Connection, transaction

Settings = Annotated[dict[str, Annotated[Text, Field(max_length=10_000)] | None], Field(max_length=100)]


class PlatformIn(In):
    """A new connection. `settings` holds the connector's settings by name."""

    connector: Annotated[Text, Field(max_length=64)]
    name: schemas.PlatformName | None = None
    settings: Settings = Field(default_factory=dict)


class PlatformChange(In):
    """The fields to change. In `settings`, absent settings keep their value; null clears a setting."""

    name: schemas.PlatformName = Field(default_factory=str)
    settings: Settings = Field(default_factory=dict)


class ConnectedOut(schemas.ConnectionOut):
    """A connection. `generated` holds secrets that were generated for it, if any; they are returned only here."""

    generated: dict[str, str]


def _document(name: str) -> schemas.ConnectionOut:
    return serializers.site() if name == SITE else serializers.connection(Connection.named(name))


def _shown_once(row: Connection, made: dict[str, str], status: int, headers: dict[str, str]) -> Reply:
    """Return a response that may hold a secret, with the ETag of the connection without it."""
    plain = serializers.connection(row)
    parts = {name: getattr(plain, name) for name in schemas.ConnectionOut.model_fields}
    headers = {**headers, "ETag": etags.of(plain.model_dump_json(by_alias=True))}
    return Reply(ConnectedOut.model_construct(**parts, generated=made), status, headers, has_etag=False)


@operation(
    "GET",
    "/platforms",
    "List connections and connectors",
    scope="platforms:read",
    answers={200: schemas.PlatformsOut},
)
def list_platforms() -> Reply:
    """`connected` lists the connections, whose names a post's `platforms` can contain; `available` the connectors."""
    connected = [serializers.site(), *(serializers.connection(row) for row in Connection.all())]
    available = [serializers.connector(kind) for _, kind in sorted(connectors().items()) if not kind.is_local]
    return Reply(schemas.PlatformsOut.model_construct(connected=connected, available=available), has_etag=False)


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
    """Creates a connection after the platform has accepted its credentials."""
    row, made = manage.connect(body.connector, body.name or body.connector, body.settings, context.tools(), g.key.id)
    return _shown_once(row, made, 201, {"Location": url_for("api.get_platform", name=row.name)})


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
)
def update_platform(name: str, body: PlatformChange) -> Reply:
    """Changes the name or the settings. New settings are saved only if the platform accepts them.

    A change of the address to another server (scheme, host or port) needs the secrets again: stored secrets are only
    sent to the server that they were entered for.
    """
    row = manage.connection_named(name)
    etags.require_match(lambda: serializers.connection(row))
    given = body.given()
    made = manage.change(row, given.get("name"), given.get("settings"), context.tools())
    return _shown_once(row, made, 200, {})


@operation(
    "DELETE",
    "/platforms/<name>",
    "Disconnect an account",
    scope="platforms:write",
    answers={204: None},
    refuses=(404, 409, 412),
)
def disconnect_platform(name: str) -> Reply:
    """Deletes the connection and its secrets. Published copies stay on the platform; pending deliveries fail."""
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
