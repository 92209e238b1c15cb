"""Webhook deliveries: the log of a webhook, test messages and redelivery."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import Field

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework import cursors
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import Out
from blogsvc.api.webhooks import own_webhook
from blogsvc.models import Webhook, WebhookAttempt, WebhookDelivery
from blogsvc.models.webhook_delivery import State
from blogsvc.webhooks import manage


class WebhookDeliveryOut(Out):
    """A message to a webhook."""

    id: str
    """The id, for example `msg_01m86a3kq7f2h9x4c5v8b1n6de`. The receiver gets it in the header `webhook-id`."""
    type: str
    """The type of the event, for example `post.published`, or `webhook.test`."""
    event_id: str | None
    """The id of the event. Null for a test message."""
    state: State
    """The state.

    `queued`: waits for its first attempt. `sending`: an attempt is running. `retrying`: an attempt failed, and the next
    one is at `nextAttemptAt`. `delivered`: the receiver returned a 2xx status. `failed`: not retried.
    """
    attempts: int
    """The number of attempts so far."""
    last_error: schemas.ErrorOut | None
    """The error of the latest attempt. Null if it succeeded."""
    next_attempt_at: schemas.Instant | None
    """When the next attempt is due. Null if none is planned."""
    delivered_at: schemas.Instant | None
    """When the receiver accepted the message. Null if it has not."""
    created_at: schemas.Instant
    """When the message was created."""


class WebhookAttemptOut(Out):
    """One attempt to deliver a message."""

    number: int
    """The number of the attempt. The first one is 1."""
    started_at: schemas.Instant
    """When the attempt started."""
    milliseconds: int | None
    """How long the attempt took, in milliseconds. Null while it runs."""
    status_code: int | None
    """The HTTP status of the response. Null if no response arrived."""
    error: schemas.ErrorOut | None
    """The error. Null if the attempt succeeded or is running."""
    answer: str
    """The start of the response body. Empty if there is none."""


class WebhookDeliveryDetailOut(WebhookDeliveryOut):
    """A message with its payload and all attempts."""

    payload: dict[str, Any]
    """The body of the message."""
    attempt_log: list[WebhookAttemptOut]
    """All attempts, oldest first."""


class WebhookDeliveriesOut(Out):
    """A page of messages to a webhook."""

    data: list[WebhookDeliveryOut]
    """The messages of this page, newest first."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


class WebhookDeliveriesQuery(cursors.PageQuery):
    state: Annotated[list[State] | None, Field(json_schema_extra={"is_list": True})] = None
    """Messages in any of these states. Default: all."""


def delivery(row: WebhookDelivery) -> WebhookDeliveryOut:
    return WebhookDeliveryOut.model_construct(**_delivery_fields(row))


def _delivery_fields(row: WebhookDelivery) -> dict[str, Any]:
    return {
        "id": row.id,
        "type": row.type,
        "event_id": row.event_id,
        "state": row.state,
        "attempts": row.fence,
        "last_error": serializers.error(row.error_code, row.error_detail),
        "next_attempt_at": row.next_attempt_at,
        "delivered_at": row.delivered_at,
        "created_at": row.created_at,
    }


def _attempt(row: WebhookAttempt) -> WebhookAttemptOut:
    return WebhookAttemptOut.model_construct(
        number=row.number,
        started_at=row.started_at,
        milliseconds=row.milliseconds,
        status_code=row.status_code,
        error=serializers.error(row.error_code, row.error_detail),
        answer=row.answer,
    )


@operation(
    "POST",
    "/webhooks/<webhook_id>/test",
    "Send a test message",
    scope="webhooks:write",
    answers={202: WebhookDeliveryOut},
    refuses=(404, 409),
)
def test_webhook(webhook_id: str) -> Reply:
    """Sends a `webhook.test` message, without retries. Read the returned delivery to see the result."""
    return Reply(delivery(manage.send_test(own_webhook(webhook_id), context.now())), 202)


@operation(
    "GET",
    "/webhooks/<webhook_id>/deliveries",
    "List the deliveries of a webhook",
    scope="webhooks:read",
    query=WebhookDeliveriesQuery,
    answers={200: WebhookDeliveriesOut},
    refuses=(404,),
)
def list_webhook_deliveries(webhook_id: str, query: WebhookDeliveriesQuery) -> Reply:
    """Returns the messages of the last 30 days, newest first."""
    conditions = [WebhookDelivery.webhook_id == Webhook.get(webhook_id).id]
    if query.state:
        conditions.append(WebhookDelivery.state.in_(query.state))
    rows, cursor = cursors.by_id(WebhookDelivery, query, *conditions)
    return cursors.listed(WebhookDeliveriesOut, map(delivery, rows), cursor)


@operation(
    "GET",
    "/webhooks/<webhook_id>/deliveries/<delivery_id>",
    "Get a webhook delivery",
    scope=("webhooks:read", "posts:read"),
    answers={200: WebhookDeliveryDetailOut, 304: None},
    refuses=(404,),
)
def get_webhook_delivery(webhook_id: str, delivery_id: str) -> Reply:
    """Returns the message with its payload and all attempts."""
    row = WebhookDelivery.get(webhook_id, delivery_id)
    attempts = [_attempt(attempt) for attempt in row.attempts]
    document = WebhookDeliveryDetailOut.model_construct(
        **_delivery_fields(row), payload=json.loads(row.body), attempt_log=attempts
    )
    return Reply(document)


@operation(
    "POST",
    "/webhooks/<webhook_id>/deliveries/<delivery_id>/redeliver",
    "Redeliver a webhook message",
    scope=("webhooks:write", "posts:read"),
    answers={202: WebhookDeliveryOut},
    refuses=(404, 409),
)
def redeliver_webhook_delivery(webhook_id: str, delivery_id: str) -> Reply:
    """Sends the message again now, with the same body and the same `webhook-id`."""
    row = WebhookDelivery.get(webhook_id, delivery_id)
    return Reply(delivery(manage.redeliver(own_webhook(webhook_id), row, context.now())), 202)
