"""Slack: an app's message in a channel, found again by our key in its metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import Any
from urllib.parse import urlencode

from blogsvc.connectors._kit import chat
from blogsvc.connectors._kit.lookups import chosen_at
from blogsvc.connectors.base import (
    Account,
    Article,
    Call,
    Conflict,
    Connector,
    ConnectorError,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Field,
    Figures,
    Gone,
    Keys,
    Misconfigured,
    Payload,
    Receipt,
    Unsupported,
)
from blogsvc.connectors.slack import text
from blogsvc.connectors.slack.responses import MissingScope, NotInChannel, body_of

WEB_API = "https://slack.com/api"
EVENT = "blogsvc_post"
HISTORY_PAGE = 200  # messages since ours was sent; with more, the result is unknown
CHANNEL = re.compile(r"(?:https://[\w.-]+\.slack\.com/archives/)?(?P<id>[CDG][A-Z0-9]{5,})/?", re.ASCII)
COPY_ID = re.compile(r"(?P<channel>[CDG][A-Z0-9]+)/(?P<ts>\d+\.\d+)", re.ASCII)


@dataclass
class Slack(Connector):
    """Posts messages as an app. Slack responds with 200 to nearly everything, and with an error code in the body."""

    key = "slack"
    label = "Slack"
    about = "A message from an app in a channel, which can be updated and deleted."
    docs = "https://docs.slack.dev/reference/methods/chat.postMessage"
    checked_on = "2026-11-20"
    category = "announcement"
    readers = "members"
    accepts = "html"
    carries = text.CARRIES
    shows = (("blocks", "text"),)
    limits = text.LIMITS
    once = "Each message has a key in its metadata. After a lost response, blogsvc looks for it in the channel history."
    limitations = (
        "Without the scope channels:history, blogsvc can't find a message after a lost response. The author decides.",
    )
    fields = (
        Field(
            "token",
            "Bot token",
            help="At api.slack.com/apps, OAuth & Permissions. Starts with xoxb-. The app needs the scopes chat:write"
            " and channels:history (groups:history for private channels).",
            secret=True,
        ),
        Field(
            "channel",
            "Channel",
            help="The channel link, or the ID (C…) at the bottom of the channel details. Invite the app first.",
        ),
    )
    options = (text.PREVIEW,)

    def base_url(self) -> str:
        return WEB_API

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.settings.get('token', '').strip()}"}

    def verify(self) -> Account:
        me = self._write("auth.test", {}, need="team")
        there: Any = {}
        with suppress(MissingScope):  # a permission that posting does not need
            there = self._read("conversations.info", channel=self._channel()).get("channel")
        name = there.get("name") if isinstance(there, dict) else None
        url = str(me.get("url") or "")
        home = f"{url.rstrip('/')}/archives/{self._channel()}" if url.startswith("https://") else None
        return Account(f"{me['team']} #{name}" if name else str(me["team"]), home)

    def mint(self, article: Article) -> Keys:
        return {"marker": token_hex(16)}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return text.message(self, article, options)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        body = {**payload.body, "channel": self._channel(), "metadata": _metadata(keys)}
        message = self._write("chat.postMessage", body, safe=False, need="ts")
        return self._receipt(str(message.get("channel") or self._channel()), message)

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        with suppress(Unsupported):  # without permission to read, continue: only the app can edit its messages
            message = self._current_message(receipt)
            if _marked(message).get("operation") == keys.get("operation"):
                return replace(receipt, version=_version(message))
            if receipt.version is not None and _version(message) != receipt.version:
                raise Conflict("The message was changed on Slack. Retry to overwrite the changes.")
        changed = {name: payload.body[name] for name in ("text", "blocks")}
        self._write("chat.update", {**_copy(receipt), **changed, "metadata": _metadata(keys)})
        with suppress(ConnectorError):
            return self.fetch_version(keys, receipt)
        return replace(receipt, version=None)

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self._write("chat.delete", _copy(receipt))

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """Find the message by our key among those posted since it was sent."""
        page = self._since(keys)
        if page is None:
            return CopyUnknown()
        for message in _messages(page):
            if _is_ours(message, keys):
                return CopyFound(self._receipt(self._channel(), message))
        return CopyUnknown() if page.get("has_more") else CopyNotFound()

    def find_all(self, keys: Keys) -> list[Receipt]:
        found = [message for message in _messages(self._since(keys) or {}) if _is_ours(message, keys)]
        return [self._receipt(self._channel(), message) for message in found]

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return replace(receipt, version=_version(self._current_message(receipt)))

    def stats(self, receipt: Receipt) -> Figures:
        message = self._current_message(receipt)
        counts = [one.get("count") for one in _dicts(message.get("reactions"))]
        replies = message.get("reply_count", 0)
        return Figures(
            likes=sum(count for count in counts if isinstance(count, int)),
            comments=replies if isinstance(replies, int) else None,
        )

    def _channel(self) -> str:
        match = CHANNEL.fullmatch(self.settings.get("channel", "").strip())
        if match is None:
            raise Misconfigured(
                "Enter the channel ID (C…). Slack shows it at the bottom of the channel details.", field="channel"
            )
        return match["id"]

    def _read(self, method: str, **query: str) -> dict[str, Any]:
        return body_of(self.call("GET", f"{method}?{urlencode(query)}"), Call(self.label, "GET"))

    def _write(self, method: str, body: Mapping[str, Any], *, safe: bool = True, need: str = "ok") -> dict[str, Any]:
        return body_of(self.call("POST", method, json=body, safe=safe), Call(self.label, "POST", safe), need)

    def _history(self, channel: str, **query: str) -> dict[str, Any]:
        return self._read("conversations.history", channel=channel, include_all_metadata="true", **query)

    def _since(self, keys: Keys) -> dict[str, Any] | None:
        """Return the latest messages since ours was sent, None if they can't be read."""
        since = chosen_at(keys)
        if not keys.get("marker") or since is None:
            return None
        try:
            return self._history(self._channel(), oldest=str(int(since.timestamp())), limit=str(HISTORY_PAGE))
        except (MissingScope, NotInChannel):
            return None

    def _current_message(self, receipt: Receipt) -> dict[str, Any]:
        """Return the current message. Raises Gone, and Unsupported without permission to read."""
        copy = _copy(receipt)
        try:
            page = self._history(copy["channel"], oldest=copy["ts"], latest=copy["ts"], inclusive="true", limit="1")
        except (MissingScope, NotInChannel):
            raise Unsupported(
                "The Slack app can't read the channel. Add the scope channels:history to the app."
            ) from None
        message = next((one for one in _messages(page) if one.get("ts") == copy["ts"]), None)
        if message is None:
            raise Gone("The message no longer exists on Slack.")
        return message

    def _receipt(self, channel: str, message: Mapping[str, Any]) -> Receipt:
        receipt = Receipt(f"{channel}/{message['ts']}", None, _version(message))
        with suppress(ConnectorError):  # the link is optional
            url = self._read("chat.getPermalink", channel=channel, message_ts=str(message["ts"])).get("permalink")
            return replace(receipt, url=url if isinstance(url, str) and url.startswith("https://") else None)
        return receipt


def _metadata(keys: Keys) -> dict[str, Any]:
    """Return the metadata: `key` identifies the message, `operation` our own changes."""
    return {"event_type": EVENT, "event_payload": {"key": keys.get("marker"), "operation": keys.get("operation")}}


def _marked(message: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = message.get("metadata")
    payload = metadata.get("event_payload") if isinstance(metadata, dict) else None
    return payload if isinstance(payload, dict) else {}


def _copy(receipt: Receipt) -> dict[str, str]:
    match = chat.which(COPY_ID, receipt, Slack.label)
    return {"channel": match["channel"], "ts": match["ts"]}


def _version(message: Mapping[str, Any]) -> str | None:
    edited = message.get("edited")
    moment = edited.get("ts") if isinstance(edited, dict) else message.get("ts")
    return str(moment)[:100] if moment else None


def _is_ours(message: Mapping[str, Any], keys: Keys) -> bool:
    return _marked(message).get("key") == keys["marker"]


def _messages(page: Mapping[str, Any]) -> list[dict[str, Any]]:
    return _dicts(page.get("messages"))


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
