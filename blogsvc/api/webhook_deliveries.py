"""Deliveries of webhooks: what was sent to a subscriber, how that went, and once more."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import Field

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework import cursors
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import Out
from blogsvc.models import Webhook, WebhookAttempt, WebhookDelivery
from blogsvc.models.webhook_delivery import State
from blogsvc.webhooks import manage


class WebhookDeliveryOut(Out):
    """`id` is the `webhook-id` that the receiver sees."""

    id: str
    type: str
    event_id: str | None
    state: State
    attempts: int
    last_error: schemas.ErrorOut | None
    next_attempt_at: schemas.Instant | None
    delivered_at: schemas.Instant | None
    created_at: schemas.Instant


class WebhookAttemptOut(Out):
    """One attempt to tell it, and what was answered."""

    number: int
    started_at: schemas.Instant
    milliseconds: int | None
    # None while it is out, and where no answer came.
    status_code: int | None
    error: schemas.ErrorOut | None
    # How the receiver's answer begins.
    answer: str


class WebhookDeliveryDetailOut(WebhookDeliveryOut):
    """A message with what was sent, and every attempt."""

    payload: dict[str, Any]
    attempt_log: list[WebhookAttemptOut]


class WebhookDeliveriesOut(Out):
    data: list[WebhookDeliveryOut]
    next_cursor: str | None


class WebhookDeliveriesQuery(cursors.PageQuery):
    state: Annotated[
        list[State] | None, Field(json_schema_extra={"is_list": True}, description="In any of these states.")
    ] = None


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


def _in_full(row: WebhookDelivery) -> WebhookDeliveryDetailOut:
    return WebhookDeliveryDetailOut.model_construct(
        **_delivery_fields(row), payload=json.loads(row.body), attempt_log=[_attempt(one) for one in row.attempts]
    )


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
    "Have a `webhook.test` sent, once; its delivery tells how that went",
    scope="webhooks:write",
    answers={202: WebhookDeliveryOut},
    refuses=(404, 409),
)
def test_webhook(webhook_id: str) -> Reply:
    return Reply(delivery(manage.send_test(Webhook.get(webhook_id), context.now())), 202)


@operation(
    "GET",
    "/webhooks/<webhook_id>/deliveries",
    "What was sent to a webhook in the last 30 days, newest first",
    scope="webhooks:read",
    query=WebhookDeliveriesQuery,
    answers={200: WebhookDeliveriesOut},
    refuses=(404,),
)
def list_webhook_deliveries(webhook_id: str, query: WebhookDeliveriesQuery) -> Reply:
    conditions = [WebhookDelivery.webhook_id == Webhook.get(webhook_id).id]
    if query.state:
        conditions.append(WebhookDelivery.state.in_(query.state))
    rows, cursor = cursors.by_id(WebhookDelivery, query, *conditions)
    return cursors.listed(WebhookDeliveriesOut, map(delivery, rows), cursor)


@operation(
    "GET",
    "/webhooks/<webhook_id>/deliveries/<delivery_id>",
    "Read one of them, with what was sent and every attempt",
    scope="webhooks:read",
    answers={200: WebhookDeliveryDetailOut, 304: None},
    refuses=(404,),
)
def get_webhook_delivery(webhook_id: str, delivery_id: str) -> Reply:
    return Reply(_in_full(WebhookDelivery.get(webhook_id, delivery_id)))


@operation(
    "POST",
    "/webhooks/<webhook_id>/deliveries/<delivery_id>/redeliver",
    "Send it again, now: the same bytes under the same id",
    scope="webhooks:write",
    answers={202: WebhookDeliveryOut},
    refuses=(404, 409),
)
def redeliver_webhook_delivery(webhook_id: str, delivery_id: str) -> Reply:
    row = WebhookDelivery.get(webhook_id, delivery_id)
    return Reply(delivery(manage.redeliver(Webhook.get(webhook_id), row, context.now())), 202)
