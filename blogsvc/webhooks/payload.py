"""Webhook messages: build the body of an event, sign it, send it and interpret the response."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from blogsvc.connectors._kit.responses import retry_after
from blogsvc.context import Tools
from blogsvc.delivery.article import address_of
from blogsvc.lib import standard_webhooks
from blogsvc.lib.crypto import WrongKey
from blogsvc.lib.net.http import AddressRefused, HttpError, HttpResponse, ResponseLost
from blogsvc.lib.time import stamp
from blogsvc.models import Event, Post, db

log = logging.getLogger(__name__)

# The specification asks for less than 20 kB.
MAX_PAYLOAD_BYTES = 20_000
MAX_RESPONSE_BYTES = 1024  # bytes
# A longer Retry-After is a mistake.
MAX_RETRY_AFTER = timedelta(days=1)
STATUS_GONE = 410
# The statuses whose Retry-After counts.
BUSY_STATUSES = frozenset({429, 503})


def message(type: str, at: datetime, data: dict[str, Any]) -> bytes:
    """The body of a message: the very bytes that are signed, sent and kept for repetitions."""
    body = {"type": type, "timestamp": stamp(at), "data": data}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def announcement(event: Event, public_url: str) -> bytes:
    """What is said of an event: its document, and what its post is now, told in brief. The API has the rest."""
    data = {"event": _event(event, event.data), "post": _post(event, public_url)}
    body = message(event.type, event.created_at, data)
    if len(body) <= MAX_PAYLOAD_BYTES:
        return body
    return message(event.type, event.created_at, data | {"event": _event(event, {})})


def _event(event: Event, data: dict[str, Any]) -> dict[str, Any]:
    """As the API tells it."""
    return {
        "id": event.id,
        "type": event.type,
        "postId": event.post_id,
        "deliveryId": event.delivery_id,
        "data": data,
        "createdAt": stamp(event.created_at),
    }


def _post(event: Event, public_url: str) -> dict[str, Any] | None:
    """The post of an event; None where it has none. One that cannot be told must not hold up all that follow."""
    post = db.session.get(Post, event.post_id) if event.post_id else None
    try:
        return None if post is None else _in_brief(post, public_url)
    except SQLAlchemyError:
        raise
    except Exception:
        log.exception("%s is announced without its post", event.id)
        return None


def _in_brief(post: Post, public_url: str) -> dict[str, Any]:
    """The fields of the API's document that are short, by the same names."""
    return {
        "id": post.id,
        "title": post.title,
        "slug": post.slug,
        "status": post.state,
        "url": address_of(post, public_url),
        "scheduledAt": _stamp(post.scheduled_at),
        "publishedAt": _stamp(post.published_at),
        "updatedAt": _stamp(post.updated_at),
        "deletedAt": _stamp(post.deleted_at),
    }


def _stamp(at: datetime | None) -> str | None:
    return stamp(at) if at else None


@dataclass(frozen=True)
class WebhookOutcome:
    """What became of an attempt. `status` is None where no answer came, `code` where it succeeded."""

    status: int | None
    code: str | None = None
    detail: str | None = None
    # How the answer begins.
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
    """All that an attempt needs, so that no row is held while it is out. `secrets` are sealed."""

    delivery_id: str
    fence: int
    url: str
    secrets: list[bytes]
    body: bytes
    at: datetime

    def run(self, tools: Tools) -> WebhookOutcome:
        """Sign it and send it. Never raises: an error is an outcome."""
        try:
            secrets = [tools.vault.unseal(sealed) for sealed in self.secrets]
            answer = tools.door.request("POST", self.url, headers=self._headers(secrets), content=self.body)
            return _understood(answer, secrets)
        except WrongKey as error:
            return WebhookOutcome(None, "no_secret", str(error))
        except HttpError as error:
            return WebhookOutcome(None, _code(error), str(error))
        except Exception:
            log.exception("%s could not be sent", self.delivery_id)
            return WebhookOutcome(None, "internal", "The message could not be sent. See the server log.")

    def _headers(self, secrets: list[str]) -> dict[str, str]:
        signed = standard_webhooks.headers(" ".join(secrets), self.delivery_id, int(self.at.timestamp()), self.body)
        return {"Content-Type": "application/json", **signed}


def _code(error: HttpError) -> str:
    if isinstance(error, AddressRefused):
        return "refused_address"
    return "no_answer" if isinstance(error, ResponseLost) else "not_reached"


def _understood(answer: HttpResponse, secrets: list[str]) -> WebhookOutcome:
    said = _beginning(answer.body, secrets)
    if 200 <= answer.status < 300:
        return WebhookOutcome(answer.status, answer=said)
    seconds = retry_after(answer) if answer.status in BUSY_STATUSES else None
    wait = timedelta(seconds=min(seconds, MAX_RETRY_AFTER.total_seconds())) if seconds else None
    return WebhookOutcome(answer.status, f"http_{answer.status}", _detail(answer.status), said, wait)


def _beginning(body: bytes, secrets: list[str]) -> str:
    """The first KiB, without the secrets that a receiver should not repeat, and NUL, which PostgreSQL cannot keep."""
    for secret in secrets:
        body = body.replace(secret.encode(), "•••".encode())
    return body[:MAX_RESPONSE_BYTES].decode(errors="replace").replace("\x00", "\N{REPLACEMENT CHARACTER}")


def _detail(status: int) -> str:
    if status == STATUS_GONE:
        return "The receiver returned 410 Gone, so the webhook was disabled."
    if 300 <= status < 400:
        return f"The receiver redirects ({status}). Redirects are not followed; change the webhook's URL."
    return f"The receiver returned {status} instead of 2xx."
