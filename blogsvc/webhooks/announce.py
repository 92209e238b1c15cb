"""Create webhook deliveries for new events, in transactions of their own and without the network."""

from __future__ import annotations

from datetime import datetime

from blogsvc.context import Tools
from blogsvc.models import Webhook, WebhookDelivery, db, transaction
from blogsvc.models.event import events_between, last_position, number_events
from blogsvc.models.webhook import behind, is_any_behind
from blogsvc.webhooks.manage import end_orphans
from blogsvc.webhooks.payload import announcement

# Events that become deliveries of one webhook in one transaction.
ANNOUNCE_BATCH = 100


def announce(tools: Tools) -> None:
    """Create deliveries for all events that are not announced yet. Disables webhooks whose key has ended."""
    end_orphans(tools.now())
    number_events(waits=True)
    while is_any_behind() and _announce_batch(last_position(), tools):
        db.session.expunge_all()


def _announce_batch(upto: int, tools: Tools) -> bool:
    """Announce one batch of events to each webhook. Returns True if there may be more."""
    bodies: dict[str, bytes] = {}
    with transaction():
        now = tools.now()
        has_more = [_announce_to(webhook, upto, bodies, now, tools) for webhook in behind(upto)]
        return any(has_more)


def _announce_to(webhook: Webhook, upto: int, bodies: dict[str, bytes], now: datetime, tools: Tools) -> bool:
    events = events_between(webhook.position, upto, ANNOUNCE_BATCH)
    for event in events:
        if webhook.wants(event.type):
            if event.id not in bodies:
                bodies[event.id] = announcement(event, tools.config.public_url)
            WebhookDelivery.add(webhook, event.type, bodies[event.id], event.id, now)
    is_more = len(events) == ANNOUNCE_BATCH
    webhook.position = events[-1].position if is_more else upto
    return is_more
