"""Platforms: what can be connected, and what is. Secrets go in, and never come out."""

from __future__ import annotations

from typing import Annotated

from flask import url_for
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
    """An account to connect. `settings` are the fields that its connector asks for, by name."""

    connector: Annotated[Text, Field(max_length=64)]
    name: schemas.PlatformName | None = None
    settings: Settings = Field(default_factory=dict)


class PlatformChange(In):
    """What to change: of `settings` those that are named, and null clears one."""

    name: schemas.PlatformName = Field(default_factory=str)
    settings: Settings = Field(default_factory=dict)


class ConnectedOut(schemas.ConnectionOut):
    """`generated` are the secrets that were made here, which are shown this once; often none."""

    generated: dict[str, str]


def _document(name: str) -> schemas.ConnectionOut:
    return serializers.site() if name == SITE else serializers.connection(Connection.named(name))


def _shown_once(row: Connection, made: dict[str, str], status: int, headers: dict[str, str]) -> Reply:
    """An answer that may hold a secret. Its ETag is that of the connection as it is read from then on."""
    plain = serializers.connection(row)
    parts = {name: getattr(plain, name) for name in schemas.ConnectionOut.model_fields}
    headers = {**headers, "ETag": etags.of(plain.model_dump_json(by_alias=True))}
    return Reply(ConnectedOut.model_construct(**parts, generated=made), status, headers, has_etag=False)


@operation(
    "GET",
    "/platforms",
    "What is connected, and what can be",
    scope="platforms:read",
    answers={200: schemas.PlatformsOut},
)
def list_platforms() -> Reply:
    """`connected` are the names that a post's `platforms` may hold; `available` is what else can be connected."""
    connected = [serializers.site(), *(serializers.connection(row) for row in Connection.all())]
    available = [serializers.connector(kind) for _, kind in sorted(connectors().items()) if not kind.is_local]
    return Reply(schemas.PlatformsOut.model_construct(connected=connected, available=available), has_etag=False)


@operation(
    "POST",
    "/platforms",
    "Connect an account, once its platform says whom it speaks for",
    scope="platforms:write",
    body=PlatformIn,
    answers={201: ConnectedOut},
    is_atomic=False,
    refuses=(502,),
)
def connect_platform(body: PlatformIn) -> Reply:
    row, made = manage.connect(body.connector, body.name or body.connector, body.settings, context.tools())
    return _shown_once(row, made, 201, {"Location": url_for("api.get_platform", name=row.name)})


@operation(
    "GET",
    "/platforms/<name>",
    "Read a connection and its health",
    scope="platforms:read",
    answers={200: schemas.ConnectionOut, 304: None},
    refuses=(404,),
)
def get_platform(name: str) -> Reply:
    return Reply(_document(name))


@operation(
    "PATCH",
    "/platforms/<name>",
    "Give a connection another name or other settings, once its platform accepts them",
    scope="platforms:write",
    body=PlatformChange,
    answers={200: ConnectedOut},
    refuses=(404, 409, 412, 502),
)
def update_platform(name: str, body: PlatformChange) -> Reply:
    row = manage.connection_named(name)
    etags.demand_match(serializers.connection(row))
    given = body.given()
    made = manage.change(row, given.get("name"), given.get("settings"), context.tools())
    return _shown_once(row, made, 200, {})


@operation(
    "DELETE",
    "/platforms/<name>",
    "Forget an account and its secrets; copies stay there, and what was not sent yet fails",
    scope="platforms:write",
    answers={204: None},
    refuses=(404, 409, 412),
)
def disconnect_platform(name: str) -> Reply:
    with transaction():
        row = manage.connection_named(name)
        etags.demand_match(serializers.connection(row))
        disconnect.disconnect(row, context.now())
    return Reply(None, 204)


@operation(
    "POST",
    "/platforms/<name>/verify",
    "Ask the platform again; what waited for the account goes on",
    scope="platforms:write",
    answers={200: schemas.ConnectionOut},
    is_atomic=False,
    refuses=(404, 502),
)
def verify_platform(name: str) -> Reply:
    if name != SITE:
        manage.verify(Connection.named(name), context.tools())
    return Reply(_document(name))
