"""Webhooks: URLs that receive events."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from flask import g, url_for
from pydantic import AfterValidator, Field

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework import auth, cursors, etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import In, Line, Out, Url, sized
from blogsvc.errors import Forbidden
from blogsvc.lib.standard_webhooks import key_of
from blogsvc.models import Webhook, transaction
from blogsvc.models.key import ALL
from blogsvc.models.webhook import PATTERNS, Reason
from blogsvc.webhooks import manage


def _valid_secret(value: str) -> str:
    try:
        key_of(value)
    except ValueError as error:
        raise schemas.refuse("invalid", str(error)) from error
    return value


def _deduplicated(patterns: list[str]) -> list[str]:
    return list(dict.fromkeys(patterns))


Secret = Annotated[str, AfterValidator(_valid_secret), Field(json_schema_extra={"pattern": "^whsec_"})]
# An event type, all types of one object (`post.*`), or everything (`*`).
EventPattern = Literal[PATTERNS]  # type: ignore[valid-type]
Events = Annotated[list[EventPattern], Field(min_length=1, max_length=len(PATTERNS)), AfterValidator(_deduplicated)]
Description = Annotated[Line, *sized(0, 300, "A description must have at most 300 characters.")]


class WebhookIn(In):
    """A new webhook."""

    url: Url
    """The http or https URL that receives the events, up to 2,000 characters."""
    events: Events = Field(default_factory=lambda: ["*"])
    """The event types to send, such as `post.published`, `post.*` for all events of posts, or `*` for all.

    Default: `["*"]`.
    """
    description: Description = ""
    """A note for people, up to 300 characters in one line."""
    secret: Secret | None = None
    """The signing secret: `whsec_` and 24 to 64 bytes in Base64. Absent or null: a secret is generated."""


class WebhookChange(In):
    """The fields to change. Absent fields keep their value; no field can be null."""

    url: Url = Field(default_factory=str)
    """The http or https URL that receives the events, up to 2,000 characters."""
    events: Events = Field(default_factory=list)
    """The event types to send, such as `post.published`, `post.*` or `*`."""
    description: Description = Field(default_factory=str)
    """A note for people, up to 300 characters in one line."""
    enabled: bool = Field(default_factory=bool)
    """False disables the webhook; true enables it again."""


class SecretRotateIn(In):
    """How to replace a signing secret."""

    secret: Secret | None = None
    """The new signing secret: `whsec_` and 24 to 64 bytes in Base64. Absent or null: a secret is generated."""
    overlap_hours: Annotated[int, Field(ge=0, le=7 * 24)] = manage.SECRET_OVERLAP // timedelta(hours=1)
    """For how many hours messages are also signed with the old secret, 0 to 168."""


class WebhookOut(Out):
    """A webhook."""

    id: str
    """The id, for example `whk_01m86a3kq7f2h9x4c5v8b1n6de`."""
    url: str
    """The URL that receives the events."""
    events: list[str]
    """The event types that are sent, such as `post.published`, `post.*` or `*`."""
    description: str
    """A note for people. Empty if there is none."""
    enabled: bool
    """True if events are sent."""
    disabled_at: schemas.Instant | None
    """When the webhook was disabled. Null if it is enabled."""
    disabled_reason: Reason | None
    """Why the webhook was disabled.

    Null if it is enabled. `owner`: its owner disabled it. `failing`: it failed for five days. `gone`: the receiver
    returned 410 Gone. `orphaned`: the key that made it has ended or may not read posts any more, or the user who made
    it, or the key, was removed or is no owner any more.
    """
    failing_since: schemas.Instant | None
    """When the first message since the last success failed. Null if the webhook works."""
    former_secret_until: schemas.Instant | None
    """Until when messages are also signed with the former secret. Null if they are not."""
    created_by: schemas.CreatorOut | None
    """The user or API key that made the webhook. Null if it was made on the command line."""
    adopted_by: schemas.CreatorOut | None
    """The user or API key that has taken over the webhook. Null if nobody has."""
    created_at: schemas.Instant
    """When the webhook was made."""
    updated_at: schemas.Instant
    """When the webhook was last changed."""


class WebhookWithSecretOut(WebhookOut):
    """A webhook with its signing secret."""

    secret: str
    """The signing secret, `whsec_...`. Returned only in this response."""


class WebhooksOut(Out):
    """A page of webhooks."""

    data: list[WebhookOut]
    """The webhooks of this page, newest first."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


def own_webhook(webhook_id: str) -> Webhook:
    """Return a webhook of the calling key, for changing it. Raises Forbidden for those of others, NotFound."""
    row, key = Webhook.get(webhook_id), g.key
    if row.kept_by != key.id and not key.allows(ALL):
        raise Forbidden(
            "This webhook belongs to another key or user. A key can change only webhooks that it created, unless it"
            " has the scope 'all'."
        )
    return row


def document(row: Webhook) -> WebhookOut:
    return WebhookOut.model_construct(**_fields(row))


def _fields(row: Webhook) -> dict[str, Any]:
    return {
        "id": row.id,
        "url": row.url,
        "events": row.events,
        "description": row.description,
        "enabled": row.is_enabled,
        "disabled_at": row.disabled_at,
        "disabled_reason": row.disabled_reason,
        "failing_since": row.failing_since,
        "former_secret_until": row.former_until,
        "created_by": serializers.creator(row.created_by),
        "adopted_by": serializers.creator(row.adopted_by),
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def _with_secret(row: Webhook, secret: str, status: int, headers: dict[str, str] | None = None) -> Reply:
    document = WebhookWithSecretOut.model_construct(**_fields(row), secret=secret)
    return Reply(document, status, headers or {}, has_etag=False)


@operation(
    "GET",
    "/webhooks",
    "List webhooks",
    scope="webhooks:read",
    query=cursors.PageQuery,
    answers={200: WebhooksOut},
)
def list_webhooks(query: cursors.PageQuery) -> Reply:
    """Returns the webhooks, newest first."""
    rows, cursor = cursors.by_id(Webhook, query)
    return cursors.listed(WebhooksOut, map(document, rows), cursor)


@operation(
    "POST",
    "/webhooks",
    "Create a webhook",
    scope=("webhooks:write", "posts:read"),
    body=WebhookIn,
    answers={201: WebhookWithSecretOut},
)
def create_webhook(body: WebhookIn) -> Reply:
    """Sends events to a URL from now on. The signing secret is returned only in this response.

    The webhook ends with the key: it is disabled when the key expires, is revoked, or loses the scope `posts:read`, and
    when the user who made the key is no owner any more. A rotated key keeps its webhooks, and an owner
    can take over a webhook.
    """
    row, secret = manage.subscribe(
        body.url, list(body.events), body.description, body.secret, context.tools(), auth.creator_id()
    )
    return _with_secret(row, secret, 201, {"Location": url_for("api.get_webhook", webhook_id=row.id)})


@operation(
    "GET",
    "/webhooks/<webhook_id>",
    "Get a webhook",
    scope="webhooks:read",
    answers={200: WebhookOut, 304: None},
    refuses=(404,),
)
def get_webhook(webhook_id: str) -> Reply:
    """Returns the webhook without its signing secret."""
    return Reply(document(Webhook.get(webhook_id)))


@operation(
    "PATCH",
    "/webhooks/<webhook_id>",
    "Update, enable or disable a webhook",
    scope=("webhooks:write", "posts:read"),
    body=WebhookChange,
    answers={200: WebhookOut},
    refuses=(404, 412),
    stored=lambda webhook_id: document(Webhook.get(webhook_id)),
)
def update_webhook(webhook_id: str, body: WebhookChange) -> Reply:
    """Changes a webhook of this key. Only a key with the scope `all` can change those of others.

    A key that changes the URL takes the webhook over: it ends with this key from then on.
    """
    changes, tools = body.sent_fields(), context.tools()
    is_enabled = changes.pop("enabled", None)
    if "url" in changes:
        manage.check_address(body.url, tools)
    with transaction():
        row = own_webhook(webhook_id)
        etags.require_match(lambda: document(row))
        manage.change(row, changes, is_enabled, tools.now(), auth.creator_id())
    return Reply(document(row))


@operation(
    "DELETE",
    "/webhooks/<webhook_id>",
    "Delete a webhook",
    scope="webhooks:write",
    answers={204: None},
    refuses=(404, 412),
)
def delete_webhook(webhook_id: str) -> Reply:
    """Stops delivery and deletes the secret and the log. Other keys' webhooks need the scope `all`."""
    with transaction():
        row = own_webhook(webhook_id)
        etags.require_match(lambda: document(row))
        manage.unsubscribe(row)
    return Reply(None, 204)


@operation(
    "POST",
    "/webhooks/<webhook_id>/rotate-secret",
    "Rotate the secret of a webhook",
    scope="webhooks:write",
    body=SecretRotateIn,
    is_body_required=False,
    answers={200: WebhookWithSecretOut},
    refuses=(404,),
)
def rotate_webhook_secret(webhook_id: str, body: SecretRotateIn) -> Reply:
    """Replaces the signing secret. The new secret is returned only in this response.

    For `overlapHours`, messages are signed with both the old and the new secret. Other keys' webhooks need the scope
    `all`, and this key takes them over: they end with this key from then on.
    """
    overlap = timedelta(hours=body.overlap_hours)
    row, secret = manage.rotate(own_webhook(webhook_id), body.secret, overlap, context.tools(), auth.creator_id())
    return _with_secret(row, secret, 200)
