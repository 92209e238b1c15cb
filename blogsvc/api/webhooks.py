"""Webhooks: URLs that receive events."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from flask import g, url_for
from pydantic import AfterValidator, Field

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework import cursors, etags
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
    """The URL and event types of a new webhook. If `secret` is absent, a signing secret is generated."""

    url: Url
    events: Events = Field(default_factory=lambda: ["*"])
    description: Description = ""
    secret: Secret | None = None


class WebhookChange(In):
    """The fields to change. Absent fields keep their value; no field can be null."""

    url: Url = Field(default_factory=str)
    events: Events = Field(default_factory=list)
    description: Description = ""
    enabled: bool = True


class SecretRotateIn(In):
    """The new secret, generated if absent, and for how many hours messages are also signed with the old one."""

    secret: Secret | None = None
    overlap_hours: Annotated[int, Field(ge=0, le=7 * 24)] = manage.SECRET_OVERLAP // timedelta(hours=1)


class WebhookOut(Out):
    """A webhook.

    `disabledReason` is set if its owner disabled it, it failed for five days, the receiver returned 410 Gone, or it is
    orphaned: the key that made it has ended or may not read posts any more, or the person who made it was removed.
    `adoptedBy` is the person or key that has taken it over.
    """

    id: str
    url: str
    events: list[str]
    description: str
    enabled: bool
    disabled_at: schemas.Instant | None
    disabled_reason: Reason | None
    failing_since: schemas.Instant | None
    former_secret_until: schemas.Instant | None
    created_by: schemas.MakerOut | None
    adopted_by: schemas.MakerOut | None
    created_at: schemas.Instant
    updated_at: schemas.Instant


class WebhookWithSecretOut(WebhookOut):
    """A webhook with its signing secret, which is returned only in this response."""

    secret: str


class WebhooksOut(Out):
    data: list[WebhookOut]
    next_cursor: str | None


def own_webhook(webhook_id: str) -> Webhook:
    """Return a webhook of the calling key, for changing it. Raises Forbidden for those of others, NotFound."""
    row, key = Webhook.get(webhook_id), g.key
    if row.kept_by != key.id and not key.allows(ALL):
        raise Forbidden(
            "This webhook belongs to another key or person. A key can change only webhooks that it created, unless it"
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
        "created_by": serializers.maker(row.created_by),
        "adopted_by": serializers.maker(row.adopted_by),
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

    The webhook ends with the key: it is disabled when the key expires, is revoked, or loses the scope `posts:read`. A
    rotated key keeps its webhooks, and an owner can take over a webhook.
    """
    row, secret = manage.subscribe(
        body.url, list(body.events), body.description, body.secret, context.tools(), g.key.id
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
    return Reply(document(Webhook.get(webhook_id)))


@operation(
    "PATCH",
    "/webhooks/<webhook_id>",
    "Update, enable or disable a webhook",
    scope=("webhooks:write", "posts:read"),
    body=WebhookChange,
    answers={200: WebhookOut},
    refuses=(404, 412),
)
def update_webhook(webhook_id: str, body: WebhookChange) -> Reply:
    """Changes a webhook of this key. Only a key with the scope `all` can change those of others."""
    changes, tools = body.given(), context.tools()
    is_enabled = changes.pop("enabled", None)
    if "url" in changes:
        manage.check_address(body.url, tools)
    with transaction():
        row = own_webhook(webhook_id)
        etags.require_match(lambda: document(row))
        manage.change(row, changes, is_enabled, tools.now(), g.key.id)
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
    `all`.
    """
    overlap = timedelta(hours=body.overlap_hours)
    row, secret = manage.rotate(own_webhook(webhook_id), body.secret, overlap, context.tools())
    return _with_secret(row, secret, 200)
