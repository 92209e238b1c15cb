"""The webhook log: what was sent to each webhook, in pages, and its results."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from blogsvc.models.base import db
from blogsvc.models.webhook import Webhook
from blogsvc.models.webhook_delivery import State, WebhookDelivery

A_PAGE = 25


def subscribers() -> list[Webhook]:
    """Return all webhooks, newest first. There are at most `manage.MAX_WEBHOOKS`."""
    return list(db.session.scalars(select(Webhook).order_by(Webhook.id.desc())))


def log_of(
    webhook_id: str, states: Sequence[State] = (), before: str | None = None, limit: int = A_PAGE
) -> tuple[list[WebhookDelivery], str | None]:
    """Return a page of deliveries to a webhook, newest first, and the cursor of the next page.

    `before` is the cursor that the previous page returned.
    """
    query = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook_id)
    if states:
        query = query.where(WebhookDelivery.state.in_(states))
    if before is not None:
        query = query.where(WebhookDelivery.id < before)
    rows = list(db.session.scalars(query.order_by(WebhookDelivery.id.desc()).limit(limit + 1)))
    return rows[:limit], rows[limit - 1].id if len(rows) > limit else None


def latest(webhook_id: str) -> WebhookDelivery | None:
    """Return the latest delivery to a webhook, sent or queued."""
    query = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook_id)
    return db.session.scalar(query.order_by(WebhookDelivery.id.desc()).limit(1))


def tally(webhook_id: str) -> dict[str, int]:
    """Return the number of deliveries to a webhook by state, without states that have none."""
    query = select(WebhookDelivery.state, func.count().label("many")).where(WebhookDelivery.webhook_id == webhook_id)
    return {row.state: row.many for row in db.session.execute(query.group_by(WebhookDelivery.state))}
