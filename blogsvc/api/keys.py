"""Keys: API keys. A key with the scope `keys:write` can manage keys that have no more permissions than itself."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from flask import g, url_for
from pydantic import AfterValidator, Field

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework import auth, cursors, etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import In, Instant, Line, Out, sized
from blogsvc.auth import api_keys
from blogsvc.models import ApiKey, transaction
from blogsvc.models.key import MAX_NAME_LENGTH, MAX_RATE_LIMIT, GrantedScope

HOUR = timedelta(hours=1)


def _require_unique(scopes: list[str]) -> list[str]:
    if len(set(scopes)) < len(scopes):
        raise schemas.refuse("repeated", "Each scope may be listed only once.")
    return scopes


Name = Annotated[Line, *sized(1, MAX_NAME_LENGTH, f"A name must have 1 to {MAX_NAME_LENGTH} characters.")]
Scopes = Annotated[
    list[GrantedScope],
    Field(min_length=1, max_length=100, json_schema_extra={"uniqueItems": True}),
    AfterValidator(_require_unique),
]
CallsAMinute = Annotated[int, Field(ge=1, le=MAX_RATE_LIMIT)]


class LimitsIn(In):
    """Limits of the key in requests per minute. Null uses the default of the settings."""

    read: CallsAMinute | None = None
    write: CallsAMinute | None = None
    publish: CallsAMinute | None = None


class KeyIn(In):
    """A new key. `limits` and `expiresAt` default to those of the key that creates it."""

    name: Name
    scopes: Scopes
    expires_at: Instant | None = None
    limits: LimitsIn | None = None


class KeyChange(In):
    """The fields to change. Null removes the expiry date or the limits of the key."""

    name: Name = Field(default_factory=str)
    scopes: Scopes = Field(default_factory=list)
    expires_at: Instant | None = None
    limits: LimitsIn | None = None


class KeyRotateIn(In):
    """How many hours the old key stays valid; 0 revokes it at once."""

    overlap_hours: Annotated[int, Field(ge=0, le=api_keys.MAX_KEY_OVERLAP // HOUR)] = api_keys.KEY_OVERLAP // HOUR


class KeyOut(Out):
    """A key without its secret. `limits` are its effective limits in requests per minute.

    `createdBy` is null if it was made on the command line.
    """

    id: str
    name: str
    prefix: str
    scopes: list[GrantedScope]
    limits: schemas.RatesOut
    created_by: schemas.MakerOut | None
    created_at: Instant
    last_used_at: Instant | None
    expires_at: Instant | None
    revoked_at: Instant | None


class NewKeyOut(KeyOut):
    """A new key. `key` is the secret, which is returned only in this response."""

    key: str


class KeysOut(Out):
    data: list[KeyOut]
    next_cursor: str | None


def document(row: ApiKey) -> KeyOut:
    return KeyOut.model_construct(**_key_fields(row))


def _key_fields(row: ApiKey) -> dict[str, Any]:
    me = serializers.key(row, auth.limits_of(row))
    fields = {name: getattr(me, name) for name in schemas.MeOut.model_fields}
    return {**fields, "created_by": serializers.maker(row.created_by), "revoked_at": row.revoked_at}


def _shown_once(row: ApiKey, text: str) -> Reply:
    """Return the response that holds the secret, with the ETag of the key without it."""
    headers = {
        "Location": url_for("api.get_key", key_id=row.id),
        "ETag": etags.of(document(row).model_dump_json(by_alias=True)),
    }
    return Reply(NewKeyOut.model_construct(**_key_fields(row), key=text), 201, headers, has_etag=False)


@operation(
    "POST",
    "/keys",
    "Create a key",
    scope="keys:write",
    body=KeyIn,
    answers={201: NewKeyOut},
)
def create_key(body: KeyIn) -> Reply:
    """The secret is returned only in this response."""
    limits = body.limits.model_dump(exclude_none=True) if body.limits else {}
    made = api_keys.create(
        body.name,
        list(body.scopes),
        body.expires_at,
        context.now(),
        limits=limits,
        by=auth.bounds(),
        maker=g.key.id,
    )
    return _shown_once(*made)


@operation(
    "GET",
    "/keys",
    "List keys",
    scope="keys:write",
    query=cursors.PageQuery,
    answers={200: KeysOut},
)
def list_keys(query: cursors.PageQuery) -> Reply:
    """Returns all keys, newest first, including expired and revoked ones."""
    rows, cursor = cursors.by_id(ApiKey, query)
    return cursors.listed(KeysOut, map(document, rows), cursor)


@operation(
    "GET",
    "/keys/<key_id>",
    "Get a key",
    scope="keys:write",
    answers={200: KeyOut, 304: None},
    refuses=(404,),
)
def get_key(key_id: str) -> Reply:
    return Reply(document(ApiKey.get(key_id)))


@operation(
    "PATCH",
    "/keys/<key_id>",
    "Update a key",
    scope="keys:write",
    body=KeyChange,
    answers={200: KeyOut},
    refuses=(404, 409, 412),
)
def update_key(key_id: str, body: KeyChange) -> Reply:
    changes = body.given()
    if body.limits is not None:
        changes["limits"] = body.limits.given()
    with transaction():
        etags.require_match(lambda: document(ApiKey.get(key_id)))
        row = api_keys.change(key_id, changes, context.now(), by=auth.bounds())
    return Reply(document(row))


@operation(
    "DELETE",
    "/keys/<key_id>",
    "Revoke a key",
    scope="keys:write",
    answers={204: None},
    refuses=(404, 412),
)
def revoke_key(key_id: str) -> Reply:
    """The key stops working at once. It stays in the list."""
    with transaction():
        etags.require_match(lambda: document(ApiKey.get(key_id)))
        api_keys.revoke(key_id, context.now(), by=auth.bounds())
    return Reply(None, 204)


@operation(
    "POST",
    "/keys/<key_id>/rotate",
    "Rotate a key",
    scope="keys:write",
    body=KeyRotateIn,
    is_body_required=False,
    answers={201: NewKeyOut},
    refuses=(404, 409),
)
def rotate_key(key_id: str, body: KeyRotateIn) -> Reply:
    """Creates a key with the same name, scopes and limits. The old key stays valid for `overlapHours`."""
    overlap = body.overlap_hours * HOUR
    return _shown_once(*api_keys.rotate(key_id, overlap, context.now(), by=auth.bounds(), maker=g.key.id))
