"""Slack by an incoming webhook: the simplest way in, which posts and does nothing else."""

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
    """One message by one webhook. Slack answers `ok` and no id, so nobody can come back to the message."""

    key = "slack-hook"
    label = "Slack (webhook)"
    about = "The simplest way into a Slack channel: it posts, and does nothing else."
    shelf = "chats"
    docs = "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks"
    checked_on = "2026-11-20"
    kind = "announcement"
    accepts = "html"
    carries = text.CARRIES
    shows = (("blocks", "text"),)
    limits = text.LIMITS
    repeatable = frozenset()
    once = "A webhook tells neither repetitions nor what it posted: after a lost answer the author is asked."
    caveats = (
        "Slack names no message of a webhook, so it is not linked; the connector Slack, with a bot token, does.",
    )
    fields = (
        Field(
            "webhook_url",
            "Address of the webhook",
            help="At api.slack.com/apps, Incoming Webhooks: https://hooks.slack.com/services/…",
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
        """Posts nothing: an empty message is refused by a webhook that is there, and by none that is not."""
        try:
            self._send({})
        except EmptyMessage:
            return Account(f"Slack {self._webhook()['team']}/{self._webhook()['app']}")
        raise Misconfigured("This address takes an empty message, so it is none of Slack's.", field="webhook_url")

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return text.message(self, article, options)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        self._send(payload.body)
        return Receipt(keys["operation"])  # ours, as Slack gives the message no name

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        """Slack answers a webhook in one word of plain text."""
        said = answer.text.strip()
        word = said if WORD.fullmatch(said) else f"HTTP {answer.status}"
        if EMPTY.fullmatch(word):
            return EmptyMessage("Slack takes no message without a text.")
        if NO_CHANNEL.fullmatch(word):
            return Misconfigured(f"Slack does not let the webhook post in its channel ({word}).", field="webhook_url")
        if answer.status in (401, 403, 404, 410):
            return Disconnected(f"Slack has switched this webhook off ({word}): make a new one.", field="webhook_url")
        if answer.status == 400 and word == said:
            return Rejected(f"Slack did not take it ({word}): change it and try again.")
        return super().fault(answer, call)

    def _send(self, body: Mapping[str, object]) -> None:
        answer = self.call("POST", self.base_url(), json=body, expect_json=False)
        if answer.text.strip() == "ok":
            return
        if answer.media_type == "text/html":
            raise Misconfigured("Slack answered with a page: check the address.", field="webhook_url")
        raise unfinished(Call(self.label), "Slack answered with something other than ok.")

    def _webhook(self) -> re.Match[str]:
        found = WEBHOOK_ADDRESS.fullmatch(self.settings.get("webhook_url", "").strip())
        if found is None:
            advice = "This is no address of a Slack webhook: it begins with https://hooks.slack.com/services/."
            raise Misconfigured(advice, field="webhook_url")
        return found


class EmptyMessage(Rejected):
    """The message has no text."""
