"""Telegram: a bot's message in a channel or group, as an announcement or with the whole text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from blogsvc.connectors._kit import chat
from blogsvc.connectors._kit.announcements import Allowance, announcement
from blogsvc.connectors._kit.mentions import without_strangers
from blogsvc.connectors._kit.portable import markdown
from blogsvc.connectors._kit.responses import platform_message
from blogsvc.connectors._kit.untrusted_json import as_object
from blogsvc.connectors.base import (
    Account,
    Article,
    Call,
    Connector,
    ConnectorError,
    CredentialsRejected,
    Disconnected,
    Field,
    Gone,
    HttpResponse,
    Keys,
    Limit,
    Misconfigured,
    Option,
    Payload,
    Receipt,
    Rejected,
)

BOT_API = "https://api.telegram.org"
MAX_MESSAGE_LENGTH = 4096  # UTF-16 units, without markup
MAX_RICH_LENGTH = 32_768
MAX_IMAGES = 50
TOMBSTONE = "This post was taken down."
BOT_TOKEN = re.compile(r"\d+:[\w-]+", re.ASCII)
CHAT = re.compile(r"(?P<id>-?\d+)|(?:https://t\.me/|@)?(?P<name>[A-Za-z]\w{3,31})", re.ASCII)
COPY_ID = re.compile(r"(?P<chat>-?\d+|@\w+)/(?P<message>\d+)", re.ASCII)
SPECIAL_CHARACTERS = re.compile(r"[\\`*_~|\[\]()<>#=!$]")  # of Telegram's rich Markdown
_NO_RIGHT = (
    r"not enough rights|administrator rights|have no rights|chat_write_forbidden|chat_admin_required"
    r"|not a member|was kicked|member list is inaccessible"
)


class NotModified(Rejected):
    """The message already has this content."""


class TooOldToEdit(Rejected):
    """The message is too old to be changed or deleted."""


@dataclass
class Telegram(Connector):
    """Posts messages as a bot. Bots can't read the history, so a person must check what happened to a lost response."""

    key = "telegram"
    label = "Telegram"
    about = "A bot message in a channel or group: an announcement, or the full text."
    docs = "https://core.telegram.org/bots/api"
    checked_on = "2026-11-20"
    category = "announcement"
    accepts = "markdown"
    carries = frozenset({"title", "summary", "tags", "canonical_url"})
    shows = (("text", "html"),)
    limits = (Limit("text", MAX_MESSAGE_LENGTH, "utf16"),)
    once = (
        "Telegram bots can't detect repeated requests or read the history. After a lost response, the author decides."
    )
    limitations = (
        "If Telegram refuses to delete a message older than 48 hours, it is edited to say the post was taken down.",
        "Updates overwrite changes by other administrators, because bots can't see them.",
    )
    fields = (
        Field(
            "token", "Bot token", help="From @BotFather, with /newbot or /token. It looks like 123456:AA…", secret=True
        ),
        Field(
            "chat",
            "Channel or group",
            help="The @name if public, or the ID (-100…) if private. The bot must be an administrator.",
        ),
        Field(
            "url",
            "Bot API server",
            help="Another URL for your own Bot API server. Log the bot out of Telegram's server first, with logOut.",
            required=False,
            default=BOT_API,
            address=True,
        ),
    )
    options = (
        Option(
            "form",
            "Form",
            ("announcement", "whole"),
            "announcement",
            help="whole: the full text, up to 32,768 characters. Old apps ask for an update instead of showing it.",
        ),
        Option("preview", "Link preview", ("large", "small", "none"), "large"),
        chat.switch("silent", "Send silently"),
    )

    def base_url(self) -> str:
        """Return the base URL. It contains the token, so URLs must not appear in messages."""
        token = self.settings.get("token", "").strip()
        if not BOT_TOKEN.fullmatch(token):
            raise Misconfigured("This isn't a bot token. Copy the whole token from @BotFather.", field="token")
        return f"{self.settings.get('url', '').strip().rstrip('/') or BOT_API}/bot{token}"

    def secrets(self) -> tuple[str, ...]:
        token = self.settings.get("token", "").strip()
        return tuple(filter(None, (*super().secrets(), token, token.partition(":")[2])))

    def verify(self) -> Account:
        bot = self._ask("getMe", {}, need="id")
        chat_info = self._ask("getChat", {"chat_id": self._chat()}, need="id")
        member = self._ask("getChatMember", {"chat_id": chat_info["id"], "user_id": bot["id"]}, need="status")
        _require_rights(chat_info, member)
        name = chat_info.get("username")
        url = f"https://t.me/{name}" if name else None
        facts = {"chat_id": str(chat_info["id"]), "username": str(name or ""), "bot": str(bot.get("username") or "")}
        return Account(str(chat_info.get("title") or name or chat_info["id"]), url, facts)

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        silent = {"disable_notification": True} if chat.is_yes(self, options, "silent") else {}
        if chat.chosen(self, options, "form") == "whole":
            return _whole_article(article, silent)
        announced = announcement(
            article, Allowance(MAX_MESSAGE_LENGTH, "utf16", has_links=True, mentions="names"), self.label
        )
        preview = _preview_options(article.canonical_url, chat.chosen(self, options, "preview"))
        text = chat.html(announced, article, "b")
        body = {"text": text, "parse_mode": "HTML", "link_preview_options": preview, **silent}
        return Payload(body, announced.warnings, announced.length, announced.editable)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        method = "sendRichMessage" if "rich_message" in payload.body else "sendMessage"
        body = {"chat_id": self._chat(), **payload.body}
        return self._receipt(self._ask(method, body, need="message_id", safe=False))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        changed = {name: value for name, value in payload.body.items() if name != "disable_notification"}
        with suppress(NotModified):
            self._ask("editMessageText", {**_copy(receipt), **changed})
        return receipt

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        copy = _copy(receipt)
        try:
            self._ask("deleteMessage", copy)
        except TooOldToEdit:
            with suppress(NotModified):
                unseen = {"is_disabled": True}
                self._ask("editMessageText", {**copy, "text": TOMBSTONE, "link_preview_options": unseen})

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        """Return the error for Telegram's error message, because there are only a few status codes."""
        words = platform_message(answer, self.secrets())
        if answer.status == 404 and "ok" not in as_object(answer):
            return Misconfigured("No Bot API server found at this URL. Check the URL.", field="url")
        if answer.status in (401, 404):
            return CredentialsRejected("Telegram", words, what="bot token", field="token")
        if answer.status == 403:
            return _permission_error(words)
        if answer.status == 400:
            return _supergroup_error(answer) or _refusal(words) or super().fault(answer, call)
        return super().fault(answer, call)

    def _chat(self) -> str:
        match = CHAT.fullmatch(self.settings.get("chat", "").strip().rstrip("/"))
        if match is None:
            raise Misconfigured("Enter the chat's @name, or its ID such as -100123456.", field="chat")
        return match["id"] or f"@{match['name']}"

    def _ask(self, method: str, body: Mapping[str, Any], need: str = "", safe: bool = True) -> Any:
        needed = f"result.{need}" if need else "result"
        return self.call("POST", method, json=body, safe=safe, need=needed).json()["result"]

    def _receipt(self, message: Mapping[str, Any]) -> Receipt:
        chat_info = message.get("chat")
        chat_info = chat_info if isinstance(chat_info, dict) else {}
        number, message_id = str(chat_info.get("id") or self._chat()), message["message_id"]
        return Receipt(f"{number}/{message_id}", _message_url(chat_info.get("username"), number, message_id))


def _message_url(name: Any, number: str, message_id: Any) -> str | None:
    """Return the link to a message: public chats have a name, private channels a number, small groups neither."""
    if name:
        return f"https://t.me/{name}/{message_id}"
    return f"https://t.me/c/{number[4:]}/{message_id}" if number.startswith("-100") else None


def _copy(receipt: Receipt) -> dict[str, Any]:
    match = chat.which(COPY_ID, receipt, Telegram.label)
    return {"chat_id": match["chat"], "message_id": int(match["message"])}


def _preview_options(link: str | None, size: str) -> dict[str, Any]:
    if size == "none":
        return {"is_disabled": True}
    return {**({"url": link} if link else {}), f"prefer_{size}_media": True}


def _whole_article(article: Article, silent: Mapping[str, bool]) -> Payload:
    """Return the whole text, with the title above and the link to the original below."""
    form = markdown(
        without_strangers(article.markdown, article), {"tables", "footnotes", "tasks", "strikethrough"}, Telegram.label
    )
    title = "" if article.is_own else "# " + SPECIAL_CHARACTERS.sub(r"\\\g<0>", article.title.strip())
    text = "\n\n".join(part for part in (title, form.text.strip(), article.canonical_url) if part)
    if len(text) > MAX_RICH_LENGTH or len(article.images) > MAX_IMAGES:
        raise Rejected(
            f"Telegram allows {MAX_RICH_LENGTH:,} characters and {MAX_IMAGES} images. Choose “announcement” instead."
        )
    return Payload({"rich_message": {"markdown": text}, **silent}, form.warnings, announcement=article.own_text)


def _require_rights(chat_info: Mapping[str, Any], member: Mapping[str, Any]) -> None:
    is_admin = member["status"] in ("creator", "administrator")
    if chat_info.get("type") == "channel":
        may = member["status"] == "creator" or (is_admin and member.get("can_post_messages") is True)
    else:
        may = is_admin or member["status"] == "member" or member.get("can_send_messages") is True
    if not may:
        raise _permission_error("")


def _permission_error(words: str) -> Disconnected:
    advice = "The bot can't post in this chat. Make it an administrator that is allowed to post."
    return Disconnected(advice + words, field="chat")


def _supergroup_error(answer: HttpResponse) -> ConnectorError | None:
    """Return an error if the group became a supergroup, which has a new number."""
    found = re.search(rb'"migrate_to_chat_id"\s*:\s*(-?\d+)', answer.body)
    if found is None:
        return None
    return Misconfigured(f"This group has become a supergroup. Enter its new ID {int(found[1])}.", field="chat")


def _refusal(words: str) -> ConnectorError | None:
    low = words.lower()
    if "message is not modified" in low:
        return NotModified("The message on Telegram already has this text.")
    if "message can't be deleted" in low:
        return TooOldToEdit("This message is too old to delete on Telegram.")
    if re.search(r"message to (edit|delete) not found|message_id_invalid", low):
        return Gone("The message no longer exists on Telegram.")
    if "chat not found" in low:
        return Misconfigured("Chat not found. Check its name or ID, and add the bot to the chat.", field="chat")
    return _permission_error(words) if re.search(_NO_RIGHT, low) else None
