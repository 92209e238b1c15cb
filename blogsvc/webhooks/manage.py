"""Webhooks: announce events to subscribers: sign, send, retry, switch off.

Announcing turns events into deliveries, in one transaction and without the network. A delivery is
then claimed in one transaction, sent in none, and settled in another. It arrives at least once: what
was on its way when a process died is sent again, under the same `webhook-id`.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from random import uniform
from typing import Any

from blogsvc.connectors._kit.responses import ALLOW_PRIVATE
from blogsvc.context import Tools
from blogsvc.errors import Fault, Invalid
from blogsvc.lib import standard_webhooks
from blogsvc.lib.net.http import AddressRefused, RequestNotSent
from blogsvc.models import Event, Webhook, WebhookDelivery, db, record, retry_write, transaction, wake_scheduler
from blogsvc.models.event import events_between, last_position
from blogsvc.models.webhook import Reason, behind, is_anyone_behind
from blogsvc.models.webhook_delivery import TEST, delete_before, expired_leases, fail_waiting, next_to
from blogsvc.webhooks.payload import WebhookOutcome, WebhookRequest, announcement, message

log = logging.getLogger(__name__)

MAX_WEBHOOKS = 50
SECRET_OVERLAP = timedelta(hours=24)
LOG_KEPT_FOR = timedelta(days=30)
# After the first attempt: the schedule of the specification's example, to its end within a day or so.
WEBHOOK_BACK_OFF = tuple(timedelta(seconds=s) for s in (5, 300, 1800, 7200, 18000, 36000, 36000))
WEBHOOK_JITTER = 0.2
# Events that become deliveries of one webhook in one transaction.
ANNOUNCE_BATCH = 100


def subscribe(url: str, events: list[str], description: str, secret: str | None, tools: Tools) -> tuple[Webhook, str]:
    """Create a webhook for events from now on. Return it and its secret, which is shown only once.

    Raises Invalid if the URL is not allowed or there are too many webhooks.
    """
    check_address(url, tools)
    secret = secret or standard_webhooks.make_secret()
    with transaction():
        if Webhook.count() >= MAX_WEBHOOKS:
            raise Invalid(Fault("#", "too_many", f"You can have at most {MAX_WEBHOOKS} webhooks. Delete one first."))
        sealed = tools.vault.seal(secret)
        return Webhook.add(url, events, description, sealed, last_position(), tools.now()), secret


def check_address(url: str, tools: Tools) -> None:
    """Raises Invalid where no request may go. It is checked again with each one, because names change."""
    try:
        tools.door.check(url)
    except AddressRefused as error:
        advice = f"To allow addresses in your own network, set {ALLOW_PRIVATE}=1." if error.is_private else None
        detail = f"{error} {advice or ''}".strip()
        raise Invalid(Fault("#/url", "refused_address", detail, remediation=advice)) from error
    except RequestNotSent:
        pass  # its name may be known by the time that there is something to say


def change(webhook: Webhook, changes: dict[str, Any], is_enabled: bool | None, now: datetime) -> Webhook:
    """Change `url`, `events` or `description`, and switch it on or off. A new address starts with a clean slate."""
    with transaction():
        for name, value in changes.items():
            setattr(webhook, name, value)
        if changes:
            webhook.updated_at = now
        if "url" in changes:
            webhook.starts_anew()
        if is_enabled is True and not webhook.is_enabled:
            webhook.switch_on(last_position(), now)
        if is_enabled is False and webhook.is_enabled:
            _switch_off(webhook, "owner", now)
        wake_scheduler()
        return webhook


def unsubscribe(webhook: Webhook) -> None:
    """Delete a webhook with its secret and its log."""
    with transaction():
        db.session.delete(webhook)


def rotate(webhook: Webhook, secret: str | None, overlap: timedelta, tools: Tools) -> tuple[Webhook, str]:
    """Set a new secret, shown only once. During the overlap, messages are also signed with the old secret."""
    secret = secret or standard_webhooks.make_secret()
    with transaction():
        webhook.rotate(tools.vault.seal(secret), overlap, tools.now())
        return webhook, secret


def send_test(webhook: Webhook, now: datetime) -> WebhookDelivery:
    """Send a test message, without retries. Raises StateConflict if the webhook is disabled."""
    with transaction():
        webhook.demand_enabled()
        body = message(TEST, now, {"webhookId": webhook.id})
        wake_scheduler()
        return WebhookDelivery.add(webhook, TEST, body, None, now)


def redeliver(webhook: Webhook, delivery: WebhookDelivery, now: datetime) -> WebhookDelivery:
    """Send a message again now, with the same body and id. Raises StateConflict if its state does not allow it."""
    with transaction():
        webhook.demand_enabled()
        webhook.paused_until = None  # who says now means now
        delivery.again(now)
        return delivery


def announce(tools: Tools) -> None:
    """Turn what happened since into deliveries, each webhook from where it stands."""
    while is_anyone_behind() and _announce_some(last_position(), tools):
        db.session.expunge_all()


def _announce_some(upto: int, tools: Tools) -> bool:
    """A batch for every webhook. Answers whether there may be more."""
    bodies: dict[str, bytes] = {}
    with transaction():
        now = tools.now()
        has_more = [_announce_to(webhook, upto, bodies, now, tools) for webhook in behind(upto)]
        return any(has_more)


def _announce_to(webhook: Webhook, upto: int, bodies: dict[str, bytes], now: datetime, tools: Tools) -> bool:
    events = events_between(webhook.position, upto, ANNOUNCE_BATCH)
    for event in events:
        if webhook.wants(event.type):
            WebhookDelivery.add(webhook, event.type, _body(event, bodies, tools), event.id, now)
    is_more = len(events) == ANNOUNCE_BATCH
    webhook.position = events[-1].position if is_more else upto
    return is_more


def _body(event: Event, bodies: dict[str, bytes], tools: Tools) -> bytes:
    if event.id not in bodies:
        bodies[event.id] = announcement(event, tools.config.public_url)
    return bodies[event.id]


def send_next(webhook_id: str, tools: Tools) -> bool:
    """Send the oldest delivery due to one webhook. False where there is none."""
    errand = _claim(webhook_id, tools)
    if errand is None:
        return False
    outcome = errand.run(tools)
    retry_write(lambda: _settle(webhook_id, errand, outcome, tools), tools.config.lease_seconds)
    return True


def _claim(webhook_id: str, tools: Tools) -> WebhookRequest | None:
    with transaction():
        now = tools.now()
        webhook = Webhook.locked(webhook_id)
        delivery = next_to(webhook_id, now)
        if webhook is None or delivery is None:
            return None
        delivery.claim(now, timedelta(seconds=tools.config.lease_seconds))
        return WebhookRequest(delivery.id, delivery.fence, webhook.url, webhook.secrets(now), delivery.body, now)


def _settle(webhook_id: str, errand: WebhookRequest, outcome: WebhookOutcome, tools: Tools) -> None:
    with transaction():
        webhook = Webhook.locked(webhook_id)
        delivery = db.session.get(WebhookDelivery, errand.delivery_id, with_for_update=True)
        if webhook is None or delivery is None or (delivery.fence, delivery.state) != (errand.fence, "sending"):
            log.warning("attempt %d of %s came back too late", errand.fence, errand.delivery_id)
            return
        now = tools.now()
        attempt = delivery.attempt()
        attempt.close(now, outcome.status, outcome.code, outcome.detail, outcome.answer)
        log.info(
            "webhook=%s message=%s type=%s attempt=%d outcome=%s ms=%s",
            webhook.id,
            delivery.id,
            delivery.type,
            delivery.fence,
            outcome.code or outcome.status,
            attempt.milliseconds,
        )
        _apply(outcome, webhook, delivery, now)


def _apply(outcome: WebhookOutcome, webhook: Webhook, delivery: WebhookDelivery, now: datetime) -> None:
    """What an outcome means for the rows."""
    if outcome.is_success:
        delivery.succeed(now)
        webhook.starts_anew()
        return
    code, detail = outcome.code or "", outcome.detail or ""
    if outcome.is_gone or not webhook.is_enabled or delivery.is_test:
        delivery.fail(code, detail)
    else:
        webhook.fails(now)
        _try_again(delivery, webhook, outcome, now)
    if webhook.is_enabled and outcome.is_gone:
        _switch_off(webhook, "gone", now)


def _try_again(delivery: WebhookDelivery, webhook: Webhook, outcome: WebhookOutcome, now: datetime) -> None:
    """Later, or not at all. A webhook is given up only with a delivery that had all of its attempts."""
    if outcome.wait is not None:
        webhook.pause(now + outcome.wait)
    at = _next_try(delivery, now)
    if at is not None:
        delivery.postpone(max(at, webhook.paused_until or at), outcome.code or "", outcome.detail or "")
        return
    delivery.fail("gave_up", f"All attempts failed. Last error: {outcome.detail}")
    if webhook.is_past_patience(now):
        _switch_off(webhook, "failing", now)


def _next_try(delivery: WebhookDelivery, now: datetime) -> datetime | None:
    """After the back-off; None where that has come to its end."""
    if delivery.failure_count >= len(WEBHOOK_BACK_OFF):
        return None
    jitter = uniform(1 - WEBHOOK_JITTER, 1 + WEBHOOK_JITTER)  # noqa: S311 (spreads load, guards nothing)
    return now + WEBHOOK_BACK_OFF[delivery.failure_count] * jitter


def _switch_off(webhook: Webhook, reason: Reason, now: datetime) -> None:
    """Nothing is sent any more; what waits may be redelivered once it is on again."""
    webhook.switch_off(reason, now)
    fail_waiting(webhook.id, "disabled", "The webhook was disabled before this message was delivered.")
    record("webhook.disabled", now, webhookId=webhook.id, reason=reason, description=webhook.description)


def expire_leases(tools: Tools) -> None:
    """Deliveries whose process died or hung while it sent: whether they arrived is unknown, so they go out again."""
    with transaction():
        now = tools.now()
        for delivery in expired_leases(now):
            detail = "The server stopped before the response arrived."
            delivery.attempt().close(now, None, "lost", detail)
            at = _next_try(delivery, now)
            if at is None or delivery.is_test or not Webhook.get(delivery.webhook_id).is_enabled:
                delivery.fail("lost", detail)
            else:
                delivery.postpone(at, "lost", detail)


def delete_old(now: datetime) -> None:
    """Erase the log of a month ago."""
    with transaction():
        delete_before(now - LOG_KEPT_FOR)
