"""An incoming webhook of Slack, Mattermost or Rocket.Chat, which is simple to set up but can only post."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from blogsvc.connectors._kit.responses import Call, unfinished
from blogsvc.connectors._kit.untrusted_json import as_object
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
from blogsvc.connectors.slack import compatible, text

WEBHOOK_ADDRESS = re.compile(
    r"https://hooks\.slack(?:-gov)?\.com/services/(?P<team>\w+)/(?P<app>\w+)/(?P<secret>[\w/]+)", re.ASCII
)
OTHER_ADDRESS = re.compile(r"https?://(?!hooks\.slack)[^\s/?#@\\]+(?:/(?!\.)[\w.~%-]+)+/?", re.ASCII)
WORD = re.compile(r"[a-z_]{1,60}")
EMPTY = re.compile(r"no_text|missing_text_or_fallback_or_attachments")
NO_CHANNEL = re.compile(r"channel_not_found|channel_is_archived|posting_to_\w+")


@dataclass
class SlackHook(Connector):
    """Posts messages with a webhook. It returns no message id, so they can't be changed later."""

    key = "slack-hook"
    label = "Slack (webhook)"
    about = "The simplest way to post in Slack, Mattermost or Rocket.Chat. Posts can't be updated or deleted."
    docs = "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks"
    checked_on = "2026-11-20"
    category = "announcement"
    readers = "members"
    accepts = "html"
    carries = text.CARRIES
    shows = (("blocks", "text"),)
    limits = text.LIMITS
    repeatable = frozenset()
    once = "Webhooks can't detect repeated requests or list their messages. After a lost response, the author decides."
    limitations = (
        "Slack webhooks don't return a link to the message. To get links, use the Slack connector with a bot token.",
        "Mattermost tells only with the first post whether its webhook is valid.",
    )
    fields = (
        Field(
            "webhook_url",
            "Webhook URL",
            help="Slack: at api.slack.com/apps, Incoming Webhooks, starts with https://hooks.slack.com/services/."
            " Mattermost and Rocket.Chat: under Integrations, incoming webhook.",
            secret=True,
        ),
    )
    options = (text.PREVIEW,)

    def base_url(self) -> str:
        url = self.settings.get("webhook_url", "").strip()
        if WEBHOOK_ADDRESS.fullmatch(url) is None and OTHER_ADDRESS.fullmatch(url) is None:
            advice = "This isn't the URL of an incoming webhook. Slack's starts with https://hooks.slack.com/services/."
            raise Misconfigured(advice, field="webhook_url")
        return url

    def secrets(self) -> tuple[str, ...]:
        url = self.settings.get("webhook_url", "").strip()
        found = WEBHOOK_ADDRESS.fullmatch(url)
        return (*super().secrets(), url, *([found["secret"]] if found else compatible.secrets_of(url)))

    def verify(self) -> Account:
        """Check the webhook without posting: Slack and Mattermost reject an empty message, Rocket.Chat ignores it."""
        try:
            answer = self._send({})
        except EmptyMessage:
            return Account(self._account_name())
        if not self._is_slack() and as_object(answer).get("success") is True:
            return Account(self._account_name())
        raise Misconfigured(
            "This isn't the URL of an incoming webhook: it accepted an empty message. Copy the URL again.",
            field="webhook_url",
        )

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return text.message(self, article, options) if self._is_slack() else compatible.message(self, article)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        try:
            answer = self._send(payload.body)
        except EmptyMessage as error:  # there is a text, so the server refuses for another reason
            raise Disconnected(
                f"{self._name()} rejected the webhook. Create a new one.", field="webhook_url"
            ) from error
        if not (answer.text.strip() == "ok" if self._is_slack() else compatible.is_accepted(answer)):
            raise unfinished(Call(self.label), f"{self._name()} returned an unexpected response.")
        return Receipt(keys["operation"])  # our own id, because none is returned

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        """Return the error for Slack's error code, which is the plain text of the response, or for other servers."""
        response = answer.text.strip()
        word = response if WORD.fullmatch(response) else f"HTTP {answer.status}"
        if EMPTY.fullmatch(word) or (answer.status == 400 and compatible.knows_webhooks(answer)):
            return EmptyMessage("Messages need a text.")
        if NO_CHANNEL.fullmatch(word):
            return Misconfigured(f"The webhook can't post in its channel ({word}).", field="webhook_url")
        if answer.status in (401, 403, 404, 410) or compatible.is_gone(answer):
            return Disconnected(
                f"{self._name()} has disabled this webhook ({word}). Create a new one.", field="webhook_url"
            )
        if answer.status == 400 and word == response:
            return Rejected(f"{self._name()} rejected the message ({word}). Change the post and retry.")
        return super().fault(answer, call)

    def _send(self, body: Mapping[str, object]) -> HttpResponse:
        return self.call("POST", self.base_url(), json=body, expect_json=False)

    def _is_slack(self) -> bool:
        """Return True for Slack, and while the URL is unknown, as in a preview before the account is connected."""
        return OTHER_ADDRESS.fullmatch(self.settings.get("webhook_url", "").strip()) is None

    def _name(self) -> str:
        return "Slack" if self._is_slack() else urlsplit(self.base_url()).netloc

    def _account_name(self) -> str:
        found = WEBHOOK_ADDRESS.fullmatch(self.base_url())
        return f"Slack {found['team']}/{found['app']}" if found else self._name()


class EmptyMessage(Rejected):
    """The message has no text."""
