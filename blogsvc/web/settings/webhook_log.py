"""The log of a webhook: messages, their attempts, and redelivery."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flask import Response, request, url_for

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.models import Webhook, WebhookDelivery
from blogsvc.models.adoptable import is_key
from blogsvc.models.creator import Creator
from blogsvc.models.webhook_delivery import State
from blogsvc.web.framework.actions import Action
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route
from blogsvc.web.settings.webhooks import WEBHOOKS_PAGE, host_of, in_words
from blogsvc.webhooks import manage
from blogsvc.webhooks.log import log_of, tally

# The tabs of the log, with the delivery states that each shows.
LOG_FILTERS: dict[str, tuple[State, ...]] = {
    "all": (),
    "failed": ("failed",),
    "waiting": ("queued", "sending", "retrying"),
    "delivered": ("delivered",),
}
SOON = ("queued", "sending")


@route("GET", f"{WEBHOOKS_PAGE}/<webhook_id>", role="owner")
def webhook(webhook_id: str) -> Response:
    row = Webhook.get(webhook_id)
    which = request.args.get("show", "all")
    which = which if which in LOG_FILTERS else "all"
    before = request.args.get("before")
    log, more = log_of(row.id, LOG_FILTERS[which], before)
    counts = tally(row.id)
    return show(
        "desk/settings/webhook.html",
        "desk/settings/_webhook_log.html",
        row=row,
        host=host_of(row),
        creator=Creator.of(row.created_by),
        keeper=Creator.of(row.kept_by),
        actions=_actions(row),
        event_names=in_words(row),
        log=log,
        more=more,
        before=before,
        which=which,
        counts={name: sum(counts.get(one, 0) for one in states) for name, states in LOG_FILTERS.items()},
        is_open=before is None and row.is_enabled and any(one.state in SOON for one in log),
        now=context.now(),
    )


def _actions(row: Webhook) -> Iterator[Action]:
    """Yield the actions on a webhook. One that ends with its key, or ended with it, can be taken over."""
    is_adoptable = is_key(row.kept_by) or manage.is_orphan(row, context.now())
    if is_adoptable and row.disabled_reason == "orphaned":
        url = url_for("desk.adopt_webhook", webhook_id=row.id)
        yield Action("Take over and enable webhook", url, icon="users", kind="go")
    elif is_adoptable:
        yield Action("Take over webhook", url_for("desk.adopt_webhook", webhook_id=row.id), icon="users")
    if row.is_enabled:
        yield Action("Send test message", url_for("desk.test_webhook", webhook_id=row.id), icon="send")
    elif not is_adoptable:
        url = url_for("desk.enable_webhook", webhook_id=row.id)
        yield Action("Enable webhook", url, icon="circle-play", kind="go")
    yield Action("Edit webhook", url_for("desk.change_webhook", webhook_id=row.id), is_link=True)
    yield Action("Rotate secret", url_for("desk.rotate_webhook_secret", webhook_id=row.id), kind="bare", is_link=True)
    if row.is_enabled:
        yield Action("Disable webhook", url_for("desk.disable_webhook", webhook_id=row.id), kind="bare")
    yield Action("Delete webhook", url_for("desk.delete_webhook", webhook_id=row.id), kind="bare danger", is_link=True)


@route("POST", f"{WEBHOOKS_PAGE}/<webhook_id>/test", role="owner", effect=Effect.ARRANGE)
def test_webhook(webhook_id: str) -> Response:
    delivery = manage.send_test(Webhook.get(webhook_id), context.now())
    return go("desk.webhook_message", webhook_id=webhook_id, delivery_id=delivery.id)


@route("GET", f"{WEBHOOKS_PAGE}/<webhook_id>/messages/<delivery_id>", role="owner")
def webhook_message(webhook_id: str, delivery_id: str) -> Response:
    row, delivery = Webhook.get(webhook_id), WebhookDelivery.get(webhook_id, delivery_id)
    return show(
        "desk/settings/webhook_message.html",
        "desk/settings/_webhook_message.html",
        row=row,
        host=host_of(row),
        message=delivery,
        attempts=list(reversed(delivery.attempts)),
        body=json.dumps(json.loads(delivery.body), indent=2, ensure_ascii=False),
        is_open=row.is_enabled and delivery.state in SOON,
    )


@route("POST", f"{WEBHOOKS_PAGE}/<webhook_id>/messages/<delivery_id>/resend", role="owner", effect=Effect.ARRANGE)
def resend_webhook_message(webhook_id: str, delivery_id: str) -> Response:
    delivery = WebhookDelivery.get(webhook_id, delivery_id)
    manage.redeliver(Webhook.get(webhook_id), delivery, context.now())
    notice("We'll send the message again, with the same ID.")
    return go("desk.webhook_message", webhook_id=webhook_id, delivery_id=delivery_id)
