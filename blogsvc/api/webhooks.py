"""Webhooks: subscribers to events."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from flask import url_for
from pydantic import AfterValidator, Field

from blogsvc import context
from blogsvc.api import schemas
from blogsvc.api.framework import cursors, etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import In, Line, Out, Url, sized
from blogsvc.lib.standard_webhooks import key_of
from blogsvc.models import Webhook, transaction
from blogsvc.models.webhook import PATTERNS, Reason
from blogsvc.webhooks import manage


def _secret(value: str) -> str:
    try:
        key_of(value)
    except ValueError as error:
        raise schemas.refuse("invalid", str(error)) from error
    return value


def _different(patterns: list[str]) -> list[str]:
    return list(dict.fromkeys(patterns))


Secret = Annotated[str, AfterValidator(_secret), Field(json_schema_extra={"pattern": "^whsec_"})]
# A type, all types of a noun (`post.*`), or everything (`*`).
EventPattern = Literal[PATTERNS]  # type: ignore[valid-type]
Events = Annotated[list[EventPattern], Field(min_length=1, max_length=len(PATTERNS)), AfterValidator(_different)]
Description = Annotated[Line, *sized(0, 300, "A description has at most 300 characters.")]


class WebhookIn(In):
    """An address to be told of events, from now on."""

    url: Url
    events: Events = Field(default_factory=lambda: ["*"])
    description: Description = ""
    # One is made where none is brought.
    secret: Secret | None = None


class WebhookChange(In):
    """What to change. Absent leaves alone; nothing here can be cleared by null."""

    url: Url = Field(default_factory=str)
    events: Events = Field(default_factory=list)
    description: Description = ""
    enabled: bool = True


class SecretRotateIn(In):
    """Another secret, your own or a new one, and how long the present one still signs."""

    secret: Secret | None = None
    # How long messages are signed with the present secret too.
    overlap_hours: Annotated[int, Field(ge=0, le=7 * 24)] = manage.SECRET_OVERLAP // timedelta(hours=1)


class WebhookOut(Out):
    """An address that is told of events."""

    id: str
    url: str
    events: list[str]
    description: str
    enabled: bool
    disabled_at: schemas.Instant | None
    # By its owner, after five days of failures, or because its receiver answered 410 Gone.
    disabled_reason: Reason | None
    failing_since: schemas.Instant | None
    former_secret_until: schemas.Instant | None
    created_at: schemas.Instant
    updated_at: schemas.Instant


class WebhookWithSecretOut(WebhookOut):
    """The only answer that holds the secret."""

    secret: str


class WebhooksOut(Out):
    data: list[WebhookOut]
    next_cursor: str | None


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
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def _with_secret(row: Webhook, secret: str, status: int, headers: dict[str, str] | None = None) -> Reply:
    """Shown once: kept by no cache, and no ETag is made of it."""
    answer = WebhookWithSecretOut.model_construct(**_fields(row), secret=secret)
    return Reply(answer, status, headers or {}, has_etag=False)


@operation(
    "GET",
    "/webhooks",
    "List webhooks, newest first",
    scope="webhooks:read",
    query=cursors.PageQuery,
    answers={200: WebhooksOut},
)
def list_webhooks(query: cursors.PageQuery) -> Reply:
    rows, cursor = cursors.by_id(Webhook, query)
    return cursors.listed(WebhooksOut, map(document, rows), cursor)


@operation(
    "POST",
    "/webhooks",
    "Have events sent to an address; the secret that signs them is answered this once",
    scope="webhooks:write",
    body=WebhookIn,
    answers={201: WebhookWithSecretOut},
)
def create_webhook(body: WebhookIn) -> Reply:
    row, secret = manage.subscribe(body.url, list(body.events), body.description, body.secret, context.tools())
    return _with_secret(row, secret, 201, {"Location": url_for("api.get_webhook", webhook_id=row.id)})


@operation(
    "GET",
    "/webhooks/<webhook_id>",
    "Read a webhook",
    scope="webhooks:read",
    answers={200: WebhookOut, 304: None},
    refuses=(404,),
)
def get_webhook(webhook_id: str) -> Reply:
    return Reply(document(Webhook.get(webhook_id)))


@operation(
    "PATCH",
    "/webhooks/<webhook_id>",
    "Change a webhook, or switch it on or off",
    scope="webhooks:write",
    body=WebhookChange,
    answers={200: WebhookOut},
    refuses=(404, 412),
)
def update_webhook(webhook_id: str, body: WebhookChange) -> Reply:
    changes, tools = body.given(), context.tools()
    is_enabled = changes.pop("enabled", None)
    if "url" in changes:
        manage.check_address(body.url, tools)
    with transaction():
        row = Webhook.get(webhook_id)
        etags.demand_match(document(row))
        manage.change(row, changes, is_enabled, tools.now())
    return Reply(document(row))


@operation(
    "DELETE",
    "/webhooks/<webhook_id>",
    "Forget a webhook, its secret and its log",
    scope="webhooks:write",
    answers={204: None},
    refuses=(404, 412),
)
def delete_webhook(webhook_id: str) -> Reply:
    with transaction():
        row = Webhook.get(webhook_id)
        etags.demand_match(document(row))
        manage.unsubscribe(row)
    return Reply(None, 204)


@operation(
    "POST",
    "/webhooks/<webhook_id>/rotate-secret",
    "Replace the secret; the new one is answered this once, and the present one signs beside it for a while",
    scope="webhooks:write",
    body=SecretRotateIn,
    is_body_needed=False,
    answers={200: WebhookWithSecretOut},
    refuses=(404,),
)
def rotate_webhook_secret(webhook_id: str, body: SecretRotateIn) -> Reply:
    overlap = timedelta(hours=body.overlap_hours)
    row, secret = manage.rotate(Webhook.get(webhook_id), body.secret, overlap, context.tools())
    return _with_secret(row, secret, 200)
