"""Webhooks: subscribe to events, change, disable and delete a webhook, rotate its secret, redeliver a message."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from blogsvc.config import ALLOW_PRIVATE
from blogsvc.context import Tools
from blogsvc.errors import Fault, Invalid
from blogsvc.lib import standard_webhooks
from blogsvc.lib.net.http import AddressRefused, RequestNotSent
from blogsvc.models import ApiKey, Webhook, WebhookDelivery, db, record, transaction, wake_scheduler
from blogsvc.models.adoptable import is_key
from blogsvc.models.event import last_position
from blogsvc.models.key import role_behind
from blogsvc.models.webhook import Reason, enabled
from blogsvc.models.webhook_delivery import TEST, fail_waiting
from blogsvc.webhooks.payload import message

MAX_WEBHOOKS = 50
SECRET_OVERLAP = timedelta(hours=24)


def subscribe(
    url: str, events: list[str], description: str, secret: str | None, tools: Tools, created_by: str | None = None
) -> tuple[Webhook, str]:
    """Create a webhook for events from now on. Return it and its secret, which is shown only once.

    `created_by` is the id of the user or key that creates it.

    Raises Invalid if the URL is not allowed or there are too many webhooks.
    """
    check_address(url, tools)
    secret = secret or standard_webhooks.make_secret()
    with transaction():
        if Webhook.count() >= MAX_WEBHOOKS:
            raise Invalid(Fault("#", "too_many", f"You can have at most {MAX_WEBHOOKS} webhooks. Delete one first."))
        sealed = tools.vault.seal(secret)
        return Webhook.add(url, events, description, sealed, last_position(), tools.now(), created_by), secret


def check_address(url: str, tools: Tools) -> None:
    """Raise Invalid if requests to this URL are not allowed. Every request checks it again, as DNS may change."""
    try:
        tools.http.check(url)
    except AddressRefused as error:
        advice = f"To allow addresses in your own network, set {ALLOW_PRIVATE}=1." if error.is_private else None
        detail = f"{error} {advice or ''}".strip()
        raise Invalid(Fault("#/url", "refused_address", detail, remediation=advice)) from error
    except RequestNotSent:
        pass  # the host name may resolve later


def change(
    webhook: Webhook, changes: dict[str, Any], is_enabled: bool | None, now: datetime, by: str | None = None
) -> Webhook:
    """Change `url`, `events` or `description`, and enable or disable the webhook. A new URL resets its failures.

    `by`, the user or key that changes the URL or enables an orphaned webhook, takes it over: what is sent to an address
    ends with whoever chose the address.
    """
    with transaction():
        is_moved = "url" in changes and changes["url"] != webhook.url
        if is_moved or (is_enabled is True and is_orphan(webhook, now)):
            _take_over(webhook, by)
        for name, value in changes.items():
            setattr(webhook, name, value)
        if changes:
            webhook.updated_at = now
        if "url" in changes:
            webhook.reset_failures()
        if is_enabled is True and not webhook.is_enabled:
            webhook.enable(last_position(), now)
        if is_enabled is False and webhook.is_enabled:
            disable(webhook, "owner", now)
        wake_scheduler()
        return webhook


def _take_over(webhook: Webhook, by: str | None) -> None:
    """Let a webhook end with this user or key from now on; None changes nothing."""
    if by not in (None, webhook.kept_by):
        webhook.adopted_by = by


def adopt(webhook: Webhook, keeper: str, now: datetime) -> Webhook:
    """Take over a webhook, so that it does not end with its former key or user. Enables it if that has happened."""
    with transaction():
        webhook.adopted_by, webhook.updated_at = keeper, now
        if webhook.disabled_reason == "orphaned":
            webhook.enable(last_position(), now)
        return webhook


def end_orphans(now: datetime) -> None:
    """Disable the webhooks that belong to nobody any more who may have one."""
    if any(is_orphan(webhook, now) for webhook in enabled()):
        with transaction():
            for webhook in enabled():  # read anew: somebody may have adopted or deleted one
                if is_orphan(webhook, now):
                    disable(webhook, "orphaned", now)


def is_orphan(webhook: Webhook, now: datetime) -> bool:
    """Return True if the webhook belongs to nobody any more who may have one.

    Owners may, and keys of owners that are valid and may read posts. The command line's webhooks have no end.
    """
    if role_behind(webhook.kept_by) != "owner":
        return True
    key = db.session.get(ApiKey, webhook.kept_by) if is_key(webhook.kept_by) else None
    return key is not None and not (key.is_valid(now) and key.allows("posts:read"))


def unsubscribe(webhook: Webhook) -> None:
    """Delete a webhook with its secret and its log."""
    with transaction():
        db.session.delete(webhook)


def rotate(
    webhook: Webhook, secret: str | None, overlap: timedelta, tools: Tools, by: str | None = None
) -> tuple[Webhook, str]:
    """Set a new secret, shown only once. During the overlap, messages are also signed with the old secret.

    `by`, the user or key that knows the new secret, takes the webhook over.
    """
    secret = secret or standard_webhooks.make_secret()
    with transaction():
        _take_over(webhook, by)
        webhook.rotate(tools.vault.seal(secret), overlap, tools.now())
        return webhook, secret


def send_test(webhook: Webhook, now: datetime) -> WebhookDelivery:
    """Send a test message, without retries. Raises StateConflict if the webhook is disabled."""
    with transaction():
        webhook.require_enabled()
        body = message(TEST, now, {"webhookId": webhook.id})
        wake_scheduler()
        return WebhookDelivery.add(webhook, TEST, body, None, now)


def redeliver(webhook: Webhook, delivery: WebhookDelivery, now: datetime) -> WebhookDelivery:
    """Send a message again now, with the same body and id. Raises StateConflict if its state does not allow it."""
    with transaction():
        webhook.require_enabled()
        webhook.paused_until = None  # a manual redelivery ignores the pause
        delivery.retry_now(now)
        return delivery


def disable(webhook: Webhook, reason: Reason, now: datetime) -> None:
    """Disable a webhook and fail its waiting deliveries, which can be redelivered after it is enabled again."""
    webhook.disable(reason, now)
    fail_waiting(webhook.id, "disabled", "The webhook was disabled before this message was delivered.")
    record("webhook.disabled", now, webhookId=webhook.id, reason=reason, description=webhook.description)
