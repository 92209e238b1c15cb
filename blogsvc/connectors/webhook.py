"""Webhook: a signed JSON message to any server. Standard Webhooks, https://www.standardwebhooks.com."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from blogsvc.connectors.base import (
    Account,
    Article,
    Call,
    Connector,
    ConnectorError,
    Disconnected,
    Field,
    HttpResponse,
    Keys,
    Misconfigured,
    Payload,
    Receipt,
    dumps,
    web_url,
)
from blogsvc.lib import standard_webhooks

HEADER_NAME = re.compile(r"([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*+([\x20-\x7e]*)")
RESERVED_HEADERS = frozenset(
    {"content-type", "content-length", "host", "transfer-encoding", "connection", "user-agent"}
)
ID_MOST = 200


@dataclass
class WebhookConnector(Connector):
    """Sends each change of a post as an event. The receiver detects repetitions by `webhook-id`."""

    key = "webhook"
    label = "Webhook"
    about = "Each article as a signed message to your own server."
    docs = "https://www.standardwebhooks.com"
    checked_on = "2026-11-20"
    category = "event"
    accepts = "markdown"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "language", "canonical_url"})
    shows = (("title", "title"), ("html", "html"))
    repeatable = frozenset({"create", "update", "delete"})
    has_unique_ids = False
    once = "Each message keeps its `webhook-id` for all attempts. The receiver must process each id only once."
    fields = (
        Field("url", "URL", help="Where to send events, for example https://example.org/hooks/blog", address=True),
        Field(
            "secret",
            "Secret",
            help="The receiver verifies the signature with it. Format: whsec_ and Base64. Leave empty to generate one.",
            secret=True,
            required=False,
        ),
        Field(
            "headers",
            "Extra headers",
            help="One per line, as Name: value",
            secret=True,
            required=False,
            lines=True,
        ),
    )

    clock: Callable[[], float] = field(default=time.time, repr=False)

    @classmethod
    def defaults(cls, settings: Mapping[str, str]) -> dict[str, str]:
        return {} if settings.get("secret") else {"secret": standard_webhooks.make_secret()}

    def verify(self) -> Account:
        """Send a signed `ping`, which must get a 2xx response."""
        self._send("ping", f"ping_{secrets.token_hex(16)}", {})
        return Account(urlsplit(self.base_url()).hostname or self.label)

    def mint(self, article: Article) -> Keys:
        return {"article": article.id}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return Payload(
            {
                "id": article.id,
                "title": article.title,
                "slug": article.slug,
                "summary": article.summary,
                "markdown": article.markdown,
                "html": article.html,
                "canonicalUrl": article.canonical_url,
                "tags": list(article.tags),
                "coverImage": article.cover_url,
                "coverAlt": article.cover_alt,
                "language": article.language,
                "publishedAt": _iso(article.published_at),
                "updatedAt": _iso(article.updated_at),
            }
        )

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        answer = self._send("post.published", keys["operation"], payload.body)
        return _receipt(answer, Receipt(payload.body["id"]))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        data = {**payload.body, "remoteId": receipt.remote_id, "url": receipt.url}
        return _receipt(self._send("post.updated", keys["operation"], data), receipt)

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        data = {"id": keys.get("article"), "remoteId": receipt.remote_id, "url": receipt.url}
        self._send("post.deleted", keys["operation"], data)

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        """Return the error. Here, 404 and 410 concern the receiver, not a copy."""
        if answer.status == 410:
            return Disconnected("The receiver has disabled this webhook. Reconnect it to continue.", field="url")
        if answer.status == 404:
            return Misconfigured("No receiver found at this URL. Check the URL.", field="url")
        return super().fault(answer, call)

    def secrets(self) -> tuple[str, ...]:
        return (*super().secrets(), *self._extra_headers().values())

    def base_url(self) -> str:
        return self.settings.get("url", "")

    def _send(self, event: str, message_id: str, data: Mapping[str, Any]) -> HttpResponse:
        now = self.clock()
        body = dumps({"type": event, "timestamp": _iso(datetime.fromtimestamp(now, UTC)), "data": data})
        headers = {
            **self._extra_headers(),
            "Content-Type": "application/json",
            **self._signature_headers(message_id, int(now), body),
        }
        # The id makes repetitions harmless, so after an unknown outcome the message is sent again.
        return self.call("POST", self.base_url(), content=body, headers=headers, safe=True, expect_json=False)

    def _signature_headers(self, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
        secret = self.settings.get("secret", "").strip()
        if not secret:
            raise Misconfigured("This webhook has no secret. Add one in the connection settings.", field="secret")
        try:
            return standard_webhooks.headers(secret, message_id, timestamp, body)
        except ValueError as error:
            raise Misconfigured(str(error), field="secret") from None

    def _extra_headers(self) -> dict[str, str]:
        lines = [line.strip() for line in self.settings.get("headers", "").splitlines()]
        return dict(_header(line) for line in lines if line)


def _header(line: str) -> tuple[str, str]:
    """Parse a header as `Name: value`. The error message does not repeat the line, which may contain a credential."""
    match = HEADER_NAME.fullmatch(line)
    if match is None:
        raise Misconfigured("Enter one extra header per line, in the form Name: value.", field="headers")
    if match[1].lower() in RESERVED_HEADERS or match[1].lower().startswith("webhook-"):
        detail = f"blogsvc sets the header {match[1]}. Remove it from the extra headers."
        raise Misconfigured(detail, field="headers")
    return match[1], match[2]


def _receipt(answer: HttpResponse, receipt: Receipt) -> Receipt:
    """Return the receipt, with the id and URL that the receiver may have returned."""
    try:
        body = answer.json()
    except ValueError:
        return receipt
    if not isinstance(body, dict):
        return receipt
    return Receipt(_valid_id(body.get("id")) or receipt.remote_id, web_url(body.get("url")) or receipt.url)


def _valid_id(value: Any) -> str | None:
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if 0 < len(text) <= ID_MOST and text.isprintable() else None


def _iso(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment else None
