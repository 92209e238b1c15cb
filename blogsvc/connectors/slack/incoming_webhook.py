"""Slack with an incoming webhook, which is simple to set up but can only post."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from blogsvc.connectors._kit.responses import Call, unfinished
from blogsvc.connectors.base import (
    Account,
    Article,
    Connector,
    ConnectorError,
    Disconnected,
    Field,
    HttpResponse,
    Keys,
    Misconfigured,
    Payload,
    Receipt,
    Rejected,
)
from blogsvc.connectors.slack import text

WEBHOOK_ADDRESS = re.compile(
    r"https://hooks\.slack(?:-gov)?\.com/services/(?P<team>\w+)/(?P<app>\w+)/(?P<secret>[\w/]+)", re.ASCII
)
WORD = re.compile(r"[a-z_]{1,60}")
EMPTY = re.compile(r"no_text|missing_text_or_fallback_or_attachments")
NO_CHANNEL = re.compile(r"channel_not_found|channel_is_archived|posting_to_\w+")


@dataclass
class SlackHook(Connector):
    """Posts messages with a webhook. Slack returns no message id, so they can't be changed later."""

    key = "slack-hook"
    label = "Slack (webhook)"
    about = "The simplest way to post in a Slack channel. Posts can't be updated or deleted."
    shelf = "chats"
    docs = "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks"
    checked_on = "2026-11-20"
    kind = "announcement"
    accepts = "html"
    carries = text.CARRIES
    shows = (("blocks", "text"),)
    limits = text.LIMITS
    repeatable = frozenset()
    once = "Webhooks can't detect repeated requests or list their messages. After a lost response, the author decides."
    caveats = (
        "Slack webhooks don't return a link to the message. To get links, use the Slack connector with a bot token.",
    )
    fields = (
        Field(
            "webhook_url",
            "Webhook URL",
            help="At api.slack.com/apps, Incoming Webhooks: starts with https://hooks.slack.com/services/",
            secret=True,
        ),
    )
    options = (text.PREVIEW,)

    def base_url(self) -> str:
        return self._webhook()[0]

    def secrets(self) -> tuple[str, ...]:
        found = WEBHOOK_ADDRESS.fullmatch(self.settings.get("webhook_url", "").strip())
        return (*super().secrets(), *((found[0], found["secret"]) if found else ()))

    def verify(self) -> Account:
        """Check the webhook without posting: a valid one rejects an empty message."""
        try:
            self._send({})
        except EmptyMessage:
            return Account(f"Slack {self._webhook()['team']}/{self._webhook()['app']}")
        raise Misconfigured(
            "This isn't a Slack webhook URL: it accepted an empty message. Copy the URL from Slack.",
            field="webhook_url",
        )

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return text.message(self, article, options)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        if self._send(payload.body).text.strip() != "ok":
            raise unfinished(Call(self.label), "Slack returned an unexpected response.")
        return Receipt(keys["operation"])  # our own id, because Slack returns none

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        """Return the error for Slack's error code, which is the plain text of the response."""
        said = answer.text.strip()
        word = said if WORD.fullmatch(said) else f"HTTP {answer.status}"
        if EMPTY.fullmatch(word):
            return EmptyMessage("Slack messages need a text.")
        if NO_CHANNEL.fullmatch(word):
            return Misconfigured(f"The webhook can't post in its channel ({word}).", field="webhook_url")
        if answer.status in (401, 403, 404, 410):
            return Disconnected(f"Slack has disabled this webhook ({word}). Create a new one.", field="webhook_url")
        if answer.status == 400 and word == said:
            return Rejected(f"Slack rejected the message ({word}). Change the post and retry.")
        return super().fault(answer, call)

    def _send(self, body: Mapping[str, object]) -> HttpResponse:
        return self.call("POST", self.base_url(), json=body, expect_json=False)

    def _webhook(self) -> re.Match[str]:
        found = WEBHOOK_ADDRESS.fullmatch(self.settings.get("webhook_url", "").strip())
        if found is None:
            advice = "This isn't a Slack webhook URL. It must start with https://hooks.slack.com/services/."
            raise Misconfigured(advice, field="webhook_url")
        return found


class EmptyMessage(Rejected):
    """The message has no text."""
