"""Discord: a webhook's message in a channel, a thread or a forum, with a card of the article."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from blogsvc.connectors._kit import chat
from blogsvc.connectors._kit.announcements import MAX_TEASER_LENGTH, Allowance, announcement
from blogsvc.connectors._kit.responses import MAX_QUOTED_LENGTH, platform_message
from blogsvc.connectors._kit.shortened import shortened
from blogsvc.connectors.base import (
    Account,
    Article,
    Call,
    Conflict,
    Connector,
    ConnectorError,
    Disconnected,
    Field,
    Gone,
    HttpResponse,
    Keys,
    Limit,
    Misconfigured,
    Payload,
    Receipt,
    Rejected,
    Unavailable,
)
from blogsvc.lib.text.autolinks import outside_addresses
from blogsvc.lib.text.length import Unit, length

# Without a version, the URL means one that will be switched off.
WEBHOOK_API = "https://discord.com/api/v10/webhooks"
MAX_CONTENT_LENGTH = 2000
MAX_EMBED_TITLE = 256
MAX_THREAD_NAME = 100
UNIT: Unit = "utf16"  # Discord does not document its unit; UTF-16 units are the safe choice
WEBHOOK_ADDRESS = re.compile(
    r"https://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(?P<id>\d+)/(?P<token>[\w-]+)/?(?:\?.*)?", re.ASCII
)
COPY_ID = re.compile(r"(?:(?P<thread>\d+)/)?(?P<message>\d+)", re.ASCII)
MARKUP = re.compile(r"[\\*_~`|<>\[\]()@]|[-#](?=[-#\s])", re.ASCII)
FORUM = (220001, 220002, 220003)


@dataclass
class Discord(Connector):
    """Posts messages with a webhook. Its URL is secret, because anyone who has it can post."""

    key = "discord"
    label = "Discord"
    about = "A message in a channel, thread or forum, with a card for the article."
    docs = "https://discord.com/developers/docs/resources/webhook"
    checked_on = "2026-11-20"
    category = "announcement"
    readers = "members"
    accepts = "html"
    carries = frozenset({"title", "summary", "cover", "canonical_url"})
    shows = (("content", "text"), ("embeds.0.title", "title"), ("embeds.0.description", "text"))
    limits = (Limit("text", MAX_CONTENT_LENGTH, UNIT), Limit("title", MAX_EMBED_TITLE, UNIT))
    once = "Webhooks can't detect repeated requests or list their messages. After a lost response, the author decides."
    limitations = ("Deleting a forum post keeps its thread and the replies.",)
    fields = (
        Field(
            "webhook_url",
            "Webhook URL",
            help="In Discord: the channel's settings, Integrations, Webhooks, Copy Webhook URL.",
            secret=True,
        ),
        Field(
            "forum",
            "Forum channel",
            help="Each post starts a new thread in the forum.",
            required=False,
            choices=("no", "yes"),
        ),
        Field("thread", "Thread", help="The ID of a thread, to post in that thread.", required=False),
        Field("username", "Display name", help="Leave empty to use the webhook's name.", required=False),
    )

    def base_url(self) -> str:
        return f"{WEBHOOK_API}/{self._webhook()['id']}/{self._webhook()['token']}"

    def secrets(self) -> tuple[str, ...]:
        found = WEBHOOK_ADDRESS.fullmatch(self.settings.get("webhook_url", "").strip())
        return (*super().secrets(), *((found[0], found["token"]) if found else ()))

    def verify(self) -> Account:
        self._sender()  # reports invalid settings before anything is sent
        self._thread()
        webhook = self.call("GET", self.base_url(), need="channel_id").json()
        guild, channel = str(webhook.get("guild_id") or "@me"), str(webhook["channel_id"])
        url = f"https://discord.com/channels/{guild}/{channel}"
        return Account(str(webhook.get("name") or self.label), url, {"guild_id": guild, "channel_id": channel})

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        words = article.own_text or article.title.strip()
        room = Allowance(MAX_CONTENT_LENGTH - _backslash_count(words) - len("<>"), UNIT, max_tags=0)
        announced = announcement(replace(article, summary="", tags=()), room, self.label)
        link = f"<{announced.link}>" if announced.link else ""  # the brackets keep Discord from adding a second card
        draws_its_own = article.canonical_url is not None and not announced.link  # the link is in the author's text
        embeds, warnings = ([], ()) if draws_its_own else _embeds(article)
        body: dict[str, Any] = {
            "content": "\n".join(part for part in (literal(announced.words), link) if part),
            "embeds": embeds,
            "allowed_mentions": {"parse": []},
        }
        if self._is_forum:
            name, name_warnings = shortened(article.title.strip(), MAX_THREAD_NAME, UNIT, "The name of the thread")
            body["thread_name"] = name or self.label
            warnings = (*warnings, *name_warnings)
        length_here = MAX_CONTENT_LENGTH - room.limit + announced.length
        return Payload(body, (*announced.warnings, *warnings), length_here, announced.editable)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        # Without `wait`, Discord responds before it has checked the message, and reports no error.
        query = f"?wait=true{f'&thread_id={self._thread()}' if self._thread() else ''}"
        created = self.call("POST", self.base_url() + query, json={**payload.body, **self._sender()}, need="id").json()
        channel, message = str(created.get("channel_id") or ""), str(created["id"])
        is_threaded = channel and (self._is_forum or self._thread())
        guild = self.facts.get("guild_id")
        url = f"https://discord.com/channels/{guild}/{channel}/{message}" if guild and channel else None
        return Receipt(f"{channel}/{message}" if is_threaded else message, url, _version(created))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        if receipt.version is not None:
            current = self._fetch_message(receipt)
            if _version(current) != receipt.version:
                if _has_content(current, payload.body):  # our own change, whose response was lost
                    return replace(receipt, version=_version(current))
                raise Conflict("The message was changed on Discord. Retry to overwrite the changes.")
        changed = {name: value for name, value in payload.body.items() if name != "thread_name"}
        answer = self.call("PATCH", self._message_url(receipt), json=changed, safe=True, need="id")
        return replace(receipt, version=_version(answer.json()))

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self.call("DELETE", self._message_url(receipt))

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return replace(receipt, version=_version(self._fetch_message(receipt)))

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        """Return the error for Discord's numeric error codes."""
        words = platform_message(answer, self.secrets())
        code = _error_document(answer).get("code")
        if code == 10008 or (code == 10003 and call.method != "POST"):
            return Gone("The message or its thread no longer exists on Discord.")
        if code == 10003:
            return Misconfigured("Discord can't find this thread. Check its ID.", field="thread")
        if code in FORUM:
            return Misconfigured(f"Check the “Forum channel” setting of the connection.{words}", field="forum")
        if answer.status in (401, 403, 404):
            advice = "This webhook no longer exists on Discord. Create a new one in the channel's settings."
            return Disconnected(advice + words, field="webhook_url")
        if code == 30046 and answer.status != 429:
            return Unavailable("Discord's rate limit for changes to old messages is reached. blogsvc will retry later.")
        if code == 50035:
            return Rejected(f"Discord rejected the message: {self._fault_detail(answer)}")
        return super().fault(answer, call)

    def _fault_detail(self, answer: HttpResponse) -> str:
        fault = _nested_fault(_error_document(answer).get("errors")) or "change the post and retry."
        for secret in self.secrets():
            fault = fault.replace(secret, "•••")
        return fault[:MAX_QUOTED_LENGTH]

    def _fetch_message(self, receipt: Receipt) -> Any:
        return self.call("GET", self._message_url(receipt), need="id").json()

    @property
    def _is_forum(self) -> bool:
        return self.settings.get("forum") == chat.YES

    def _webhook(self) -> re.Match[str]:
        match = WEBHOOK_ADDRESS.fullmatch(self.settings.get("webhook_url", "").strip())
        if match is None:
            advice = "This isn't a Discord webhook URL. Copy it from the channel's settings, under Integrations."
            raise Misconfigured(advice, field="webhook_url")
        return match

    def _thread(self) -> str:
        thread = self.settings.get("thread", "").strip()
        if thread and not re.fullmatch(r"\d{1,20}", thread, re.ASCII):
            raise Misconfigured(
                "Enter the thread's ID. In Discord, right-click the thread and choose Copy Thread ID.", field="thread"
            )
        return "" if self._is_forum else thread

    def _sender(self) -> dict[str, str]:
        name = self.settings.get("username", "").strip()
        if re.search("discord|clyde", name, re.IGNORECASE) or len(name) > 80:
            detail = "Discord doesn't allow this name. Use up to 80 characters, without “discord” or “clyde”."
            raise Misconfigured(detail, field="username")
        return {"username": name} if name else {}

    def _message_url(self, receipt: Receipt) -> str:
        """Return the path of the copy, including its thread."""
        found = chat.which(COPY_ID, receipt, self.label)
        in_thread = f"?thread_id={found['thread']}" if found["thread"] else ""
        return f"{self.base_url()}/messages/{found['message']}{in_thread}"


def literal(text: str) -> str:
    """Return the text escaped for Discord: without markup and mentions.

    Addresses stay as they are, because backslashes would change them.
    """
    return outside_addresses(text, lambda part: MARKUP.sub(r"\\\g<0>", part))


def _backslash_count(text: str) -> int:
    """Return the number of units that escaping adds to the text."""
    return length(literal(text), UNIT) - length(text, UNIT)


def _embeds(article: Article) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Return the card, if the post has a title, and warnings."""
    title, summary = article.title.strip(), article.summary.strip()
    title, cut_title = shortened(title, MAX_EMBED_TITLE - _backslash_count(title), UNIT, "The title in the card")
    summary, cut_summary = shortened(summary, MAX_TEASER_LENGTH, "graphemes", "The summary in the card")
    card = {
        "title": literal(title),
        "description": literal(summary),
        "url": article.canonical_url,
        "image": {"url": article.cover_url} if article.cover_url else None,
    }
    cards = [{name: value for name, value in card.items() if value}] if card["title"] else []
    return cards, (*cut_title, *cut_summary)


def _version(message: Any) -> str | None:
    moment = message.get("edited_timestamp") or message.get("timestamp")
    return str(moment)[:500] if moment else None


def _has_content(message: Any, body: Mapping[str, Any]) -> bool:
    cards = message.get("embeds")
    titles = [card.get("title") for card in cards if isinstance(card, dict)] if isinstance(cards, list) else []
    return message.get("content") == body["content"] and titles == [card["title"] for card in body["embeds"]]


def _error_document(answer: HttpResponse) -> dict[str, Any]:
    try:
        value = answer.json()
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _nested_fault(errors: Any, where: str = "") -> str:
    """Return the first of Discord's nested errors with its path: `embeds.0.title: Must be ...`."""
    if not isinstance(errors, dict):
        return ""
    here = errors.get("_errors")
    if isinstance(here, list) and here and isinstance(here[0], dict):
        return f"{where.strip('.')}: {here[0].get('message')}"
    return next(filter(None, (_nested_fault(inner, f"{where}.{name}") for name, inner in errors.items())), "")
