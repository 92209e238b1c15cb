"""Send due webhook messages, store the outcomes and schedule retries.

A delivery is claimed in one transaction, sent outside of any, and settled in another. Messages arrive at least once: if
the process stops while it sends one, the same message is sent again with the same `webhook-id`.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from blogsvc.connectors.retry_after import retry_after
from blogsvc.context import Tools
from blogsvc.lib import standard_webhooks
from blogsvc.lib.back_off import BackOff, requested_wait
from blogsvc.lib.crypto import WrongKey
from blogsvc.lib.net.http import AddressRefused, HttpError, HttpResponse, ResponseLost
from blogsvc.models import Webhook, WebhookDelivery, db, nouns, retry_write, transaction
from blogsvc.models.webhook_delivery import next_to, release_waiting
from blogsvc.webhooks.manage import disable, is_orphan

log = logging.getLogger(__name__)

# Delays after each failed attempt, as in the example of the Standard Webhooks specification; about 28 hours in all.
WEBHOOK_BACK_OFF = BackOff(tuple(timedelta(seconds=s) for s in (5, 300, 1800, 7200, 18000, 36000, 36000)), jitter=0.2)
MAX_RESPONSE_BYTES = 1024
STATUS_GONE = 410
# Status codes whose Retry-After header is followed.
BUSY_STATUSES = frozenset({429, 503})


@dataclass(frozen=True)
class WebhookOutcome:
    """The outcome of an attempt. `status` is None without a response, `code` is None on success."""

    status: int | None
    code: str | None = None
    detail: str | None = None
    # The beginning of the response body.
    answer: str = ""
    wait: timedelta | None = None

    @property
    def is_success(self) -> bool:
        return self.code is None

    @property
    def is_gone(self) -> bool:
        return self.status == STATUS_GONE


@dataclass(frozen=True)
class WebhookRequest:
    """All data that an attempt needs, so that no transaction stays open while it runs. `secrets` are encrypted."""

    delivery_id: str
    fence: int
    url: str
    secrets: list[bytes]
    body: bytes
    at: datetime

    def run(self, tools: Tools) -> WebhookOutcome:
        """Sign and send the message. Never raises: errors are outcomes."""
        try:
            secrets = [tools.vault.unseal(sealed) for sealed in self.secrets]
            signed = standard_webhooks.headers(" ".join(secrets), self.delivery_id, int(self.at.timestamp()), self.body)
            headers = {"Content-Type": "application/json", **signed}
            answer = tools.http.request("POST", self.url, headers=headers, content=self.body)
            return _outcome_of(answer, secrets)
        except WrongKey as error:
            return WebhookOutcome(None, "no_secret", str(error))
        except HttpError as error:
            return WebhookOutcome(None, _error_code(error), str(error))
        except Exception:
            log.exception("%s could not be sent", self.delivery_id)
            return WebhookOutcome(None, "internal", "The message could not be sent. See the server log.")


def send_next(webhook_id: str, tools: Tools) -> bool:
    """Send the oldest due delivery of one webhook. Returns False if there is none."""
    claim = _claim(webhook_id, tools)
    if claim is None:
        return False
    outcome = claim.run(tools)
    retry_write(lambda: _settle(webhook_id, claim, outcome, tools), tools.config.lease_seconds)
    return True


def _claim(webhook_id: str, tools: Tools) -> WebhookRequest | None:
    with transaction(nouns.webhook(webhook_id)):
        now = tools.now()
        webhook = Webhook.locked(webhook_id)
        delivery = next_to(webhook_id, now)
        if webhook is None or delivery is None:
            return None
        if is_orphan(webhook, now):  # since the scheduler looked
            disable(webhook, "orphaned", now)
            return None
        delivery.claim(now, timedelta(seconds=tools.config.lease_seconds), tools.process.name)
        return WebhookRequest(delivery.id, delivery.fence, webhook.url, webhook.secrets(now), delivery.body, now)


def _settle(webhook_id: str, claim: WebhookRequest, outcome: WebhookOutcome, tools: Tools) -> None:
    with transaction(nouns.webhook(webhook_id)):
        webhook = Webhook.locked(webhook_id)
        delivery = db.session.get(WebhookDelivery, claim.delivery_id, with_for_update=True)
        if webhook is None or delivery is None or not delivery.is_sent_by(claim.fence):
            log.warning("attempt %d of %s came back too late", claim.fence, claim.delivery_id)
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
    """Apply the outcome of an attempt to the delivery and its webhook."""
    if outcome.is_success:
        delivery.record_delivered(now)
        if webhook.record_success():
            release_waiting(webhook.id, now)
        return
    code, detail = outcome.code or "", outcome.detail or ""
    if outcome.is_gone or not webhook.is_enabled or delivery.is_test:
        delivery.fail(code, detail)
    else:
        is_down = outcome.status is None or outcome.status >= 500
        webhook.record_failure(now, is_down=is_down, wait=outcome.wait)
        _try_again(delivery, webhook, outcome, now)
    if webhook.is_enabled and outcome.is_gone:
        disable(webhook, "gone", now)


def _try_again(delivery: WebhookDelivery, webhook: Webhook, outcome: WebhookOutcome, now: datetime) -> None:
    """Schedule a retry; after the last attempt, fail the delivery and disable a webhook that has failed for long."""
    at = _next_try(delivery, now)
    if at is not None:
        delivery.postpone(max(at, webhook.paused_until or at), outcome.code or "", outcome.detail or "")
        return
    delivery.fail("gave_up", f"All attempts failed. Last error: {outcome.detail}")
    if webhook.has_failed_too_long(now):
        disable(webhook, "failing", now)


def _next_try(delivery: WebhookDelivery, now: datetime) -> datetime | None:
    """Return the time of the next attempt; None if there are no more."""
    if delivery.failure_count >= len(WEBHOOK_BACK_OFF):
        return None
    return now + WEBHOOK_BACK_OFF.after(delivery.failure_count)


def expire_leases(tools: Tools) -> None:
    """Schedule retries for deliveries whose process died or hung while sending: they may not have arrived."""
    now = tools.now()
    if not WebhookDelivery.is_any_expired(now):
        return
    with transaction():
        for delivery in WebhookDelivery.expired(now):
            detail = "The server stopped before the response arrived."
            delivery.attempt().close(now, None, "lost", detail)
            at = _next_try(delivery, now)
            if at is None or delivery.is_test or not Webhook.get(delivery.webhook_id).is_enabled:
                delivery.fail("lost", detail)
            else:
                delivery.postpone(at, "lost", detail)


def _error_code(error: HttpError) -> str:
    if isinstance(error, AddressRefused):
        return "refused_address"
    return "no_answer" if isinstance(error, ResponseLost) else "not_reached"


def _outcome_of(answer: HttpResponse, secrets: list[str]) -> WebhookOutcome:
    text = _body_start(answer.body, secrets)
    if 200 <= answer.status < 300:
        return WebhookOutcome(answer.status, answer=text)
    wait = requested_wait(retry_after(answer)) if answer.status in BUSY_STATUSES else None
    return WebhookOutcome(answer.status, f"http_{answer.status}", _status_detail(answer.status), text, wait)


def _body_start(body: bytes, secrets: list[str]) -> str:
    """Return the beginning of a response body, for the log.

    Removes the signing secrets, in case the receiver repeats them, and NUL, which PostgreSQL cannot store.
    """
    for secret in secrets:
        body = body.replace(secret.encode(), "•••".encode())
    return body[:MAX_RESPONSE_BYTES].decode(errors="replace").replace("\x00", "\N{REPLACEMENT CHARACTER}")


def _status_detail(status: int) -> str:
    if status == STATUS_GONE:
        return "The receiver returned 410 Gone, so the webhook was disabled."
    if 300 <= status < 400:
        return f"The receiver redirects ({status}). Redirects are not followed; change the webhook's URL."
    return f"The receiver returned {status} instead of 2xx."
