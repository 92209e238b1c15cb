"""Keys: API keys. A key with the scope `keys:write` can manage keys that have no more permissions than itself."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from flask import url_for
from pydantic import AfterValidator, Field

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework import auth, cursors, etags, preferences
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
    """The limit of read requests per minute, 1 to 1,000,000."""
    write: CallsAMinute | None = None
    """The limit of write requests per minute, 1 to 1,000,000."""
    publish: CallsAMinute | None = None
    """The limit of publish requests per minute, 1 to 1,000,000."""


class KeyIn(In):
    """A new key. It can have only permissions that the key that creates it has."""

    name: Name
    """A name to recognize the key, 1 to 100 characters in one line, for example `CI`."""
    scopes: Scopes
    """The scopes, each once, for example `["posts:read", "posts:write"]`. `all` includes every scope."""
    expires_at: Instant | None = None
    """When the key expires: an RFC 3339 time with an offset. Null or absent: as the key that creates it."""
    limits: LimitsIn | None = None
    """The limits in requests per minute. Null or absent: those of the key that creates it."""


class KeyChange(In):
    """The fields to change. Absent fields keep their value."""

    name: Name = Field(default_factory=str)
    """The new name, 1 to 100 characters in one line. It can't be null."""
    scopes: Scopes = Field(default_factory=list)
    """The new scopes, each once. They replace all scopes and can't be null."""
    expires_at: Instant | None = None
    """When the key expires: an RFC 3339 time with an offset. Null: the key doesn't expire."""
    limits: LimitsIn | None = None
    """The new limits in requests per minute. Null: the default limits of the settings."""


class KeyRotateIn(In):
    """How to replace a key."""

    overlap_hours: Annotated[int, Field(ge=0, le=api_keys.MAX_KEY_OVERLAP // HOUR)] = api_keys.KEY_OVERLAP // HOUR
    """How many hours the old key stays valid, 0 to 720. 0 revokes it at once."""


class KeyOut(Out):
    """A key without its secret."""

    id: str
    """The id, for example `key_01m86a3kq7f2h9x4c5v8b1n6de`."""
    name: str
    """The name of the key."""
    prefix: str
    """The first 10 characters of the key, to recognize it."""
    scopes: list[GrantedScope]
    """The scopes. `all` includes every scope.

    Only those count that the present role of the user who made the key allows: `GET /me` returns them.
    """
    limits: schemas.RatesOut
    """The effective limits in requests per minute."""
    created_by: schemas.CreatorOut | None
    """The user or API key that created the key. Null if it was created on the command line."""
    created_at: Instant
    """When the key was created."""
    last_used_at: Instant | None
    """When the key was last used, to within a minute. Null if it never was."""
    expires_at: Instant | None
    """When the key expires. Null if it doesn't expire."""
    revoked_at: Instant | None
    """When the key was revoked. Null if it wasn't."""


class NewKeyOut(KeyOut):
    """A new key with its secret."""

    key: str
    """The secret: `bsk_` and 40 letters and digits. Returned only in this response."""


class KeysOut(Out):
    """A page of keys."""

    data: list[KeyOut]
    """The keys of this page, newest first."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


def document(row: ApiKey) -> KeyOut:
    return KeyOut.model_construct(**_key_fields(row))


def _key_fields(row: ApiKey) -> dict[str, Any]:
    me = serializers.key(row, auth.limits_of(row))
    fields = {name: getattr(me, name) for name in schemas.MeOut.model_fields}
    return {**fields, "created_by": serializers.creator(row.created_by), "revoked_at": row.revoked_at}


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
    created = api_keys.create(
        body.name,
        list(body.scopes),
        body.expires_at,
        context.now(),
        limits=limits,
        by=auth.bounds(),
        created_by=auth.creator_id(),
    )
    return _shown_once(*created)


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
    """Returns the key without its secret."""
    return Reply(document(ApiKey.get(key_id)))


@operation(
    "PATCH",
    "/keys/<key_id>",
    "Update a key",
    scope="keys:write",
    body=KeyChange,
    answers={200: KeyOut},
    refuses=(404, 409, 412),
    stored=lambda key_id: document(ApiKey.get(key_id)),
)
def update_key(key_id: str, body: KeyChange) -> Reply:
    """Changes the name, the scopes, the expiry date or the limits. The secret stays the same."""
    changes = body.sent_fields()
    if body.limits is not None:
        changes["limits"] = body.limits.sent_fields()
    with transaction():
        etags.require_match(lambda: document(ApiKey.get(key_id)))
        row = api_keys.change(key_id, changes, context.now(), by=auth.bounds())
    return Reply(document(row))


@operation(
    "DELETE",
    "/keys/<key_id>",
    "Revoke a key",
    scope="keys:write",
    answers={200: KeyOut, 204: None},
    prefers="return",
    refuses=(404, 412),
)
def revoke_key(key_id: str) -> Reply:
    """The key stops working at once. It stays in the list, and is returned with its `revokedAt`."""
    with transaction():
        etags.require_match(lambda: document(ApiKey.get(key_id)))
        api_keys.revoke(key_id, context.now(), by=auth.bounds())
    return preferences.minimal_reply() if preferences.is_minimal() else Reply(document(ApiKey.get(key_id)))


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
    return _shown_once(*api_keys.rotate(key_id, overlap, context.now(), by=auth.bounds(), created_by=auth.creator_id()))
