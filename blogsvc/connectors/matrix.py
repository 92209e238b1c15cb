"""Matrix: a message in a room. Its transaction id is ours, so it is safe to send again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any
from urllib.parse import quote

from blogsvc.connectors._kit import chat
from blogsvc.connectors._kit.announcements import Allowance, announcement
from blogsvc.connectors._kit.responses import platform_message
from blogsvc.connectors.base import (
    Account,
    Article,
    Call,
    Conflict,
    Connector,
    ConnectorError,
    CredentialsRejected,
    Disconnected,
    Field,
    Figures,
    Gone,
    HttpResponse,
    Keys,
    Limit,
    Misconfigured,
    Option,
    Payload,
    Receipt,
    TextPart,
    TextTooLong,
    dumps,
)
from blogsvc.connectors.payload_parts import visible

MAX_BODY_BYTES = 14_000  # bytes of text: an edited message contains it four times, in an event of 64 KiB
MAX_EVENT_BYTES = 60_000  # leaves room for what the server adds
MAX_RELATED_EVENTS = 1000
OPERATION = "blogsvc.operation"  # in each of our events, to recognise our own changes
SERVER_NAME = re.compile(r"(?:[\w-]+\.)+[\w-]+(?::\d+)?|\[[\da-f:]+\](?::\d+)?|localhost(?::\d+)?", re.ASCII)
ROOM_NAME = re.compile(r"[!#]\S{1,254}")
COPY_ID = re.compile(r"(?P<room>!\S+?)/(?P<event>\$[^\s?]+)")


@dataclass
class Matrix(Connector):
    """Sends messages as events of an account. For one transaction id, the server creates only one event."""

    key = "matrix"
    label = "Matrix"
    about = "A message in a room, sent by an account for the blog."
    docs = "https://spec.matrix.org/latest/client-server-api/"
    checked_on = "2026-11-20"
    category = "announcement"
    readers = "members"
    accepts = "html"
    carries = frozenset({"title", "summary", "canonical_url"})
    shows = (("formatted_body", "html"),)
    limits = (Limit("text", MAX_BODY_BYTES, "bytes"),)
    repeatable = frozenset({"create", "update", "delete"})
    once = "Each event is sent with a transaction id. The server accepts each id only once per access token."
    limitations = (
        "Deleting redacts the event. Slow or offline servers and apps may keep its text.",
        "Don't change the access token while a delivery is in progress, or the event may be created twice.",
    )
    fields = (
        Field(
            "homeserver", "Homeserver", help="The server name, such as matrix.org, or its URL, https://…", address=True
        ),
        Field(
            "token",
            "Access token",
            help="In Element: All settings, Help & About, Advanced. Use a separate account for the blog.",
            secret=True,
        ),
        Field(
            "room",
            "Room",
            help="The room address, #blog:example.org, or the room ID, !…. The room must not be encrypted.",
        ),
    )
    options = (
        Option("sort", "Message type", ("text", "notice"), "text", help="Notices don't notify people. Bots use them."),
    )

    def base_url(self) -> str:
        return f"{self._homeserver}/_matrix/client"

    def addresses(self) -> tuple[str, ...]:
        return (self.settings.get("homeserver", ""), str(self.facts.get("base_url") or ""))

    def verify(self) -> Account:
        """Return the account, and join the room if necessary. Ignores facts from previous settings."""
        self.facts = {}
        vars(self).pop("_homeserver", None)
        user = str(self._ask("GET", "v3/account/whoami", need="user_id")["user_id"])
        room = self._join_room()
        self._require_unencrypted(room)
        self.facts = facts = {"base_url": self._homeserver, "room_id": room, "user_id": user}
        return Account(f"{self._room_name()} as {user}", self._link(), facts)

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        announced = announcement(article, Allowance(MAX_BODY_BYTES, "bytes", max_tags=0, has_links=True), self.label)
        content = {
            "msgtype": f"m.{chat.chosen(self, options, 'sort')}",
            "body": announced.text,
            "format": "org.matrix.custom.html",
            "formatted_body": chat.html(announced, article, "strong").replace("\n", "<br>"),
            "m.mentions": {},  # mention nobody, whatever names the text contains
        }
        if (over := len(dumps(_edit(content, "$" * 44))) - MAX_EVENT_BYTES) > 0:
            # An event contains each byte of the text four times or more.
            raise TextTooLong("The text is too long for a Matrix event. Shorten it.", ceil(over / 4), "bytes")
        return Payload(content, announced.warnings, announced.length, announced.editable)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        room = self._room_id()
        event = self._send(room, payload.body, keys)
        return replace(Receipt(f"{room}/{event}", None, event), url=self._link(event))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        room, event = self._copy(receipt)
        if receipt.version is not None:
            last = self._current_event(room, event)
            is_ours = last["content"].get(OPERATION) == keys["operation"]  # the response was lost
            if last.get("event_id") != receipt.version and not is_ours:
                raise Conflict("The message was changed on Matrix. Retry to overwrite the changes.")
        return replace(receipt, version=self._send(room, _edit(payload.body, event), keys))

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        """Redact the event. Its edits are redacted first, because they are separate events that contain the text."""
        room, event = self._copy(receipt)
        edits = [str(edit.get("event_id")) for edit in self._related(room, event, "m.replace")]
        for redacted in (*(edit for edit in edits if edit.startswith("$")), event):
            # Transaction ids are unique per room across all requests, so each redaction needs its own.
            own_id = f"{keys['operation']}.{redacted.strip('$')}"
            self._ask("PUT", f"v3/rooms/{_q(room)}/redact/{_q(redacted)}/{_q(own_id)}", {}, need="event_id")

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return replace(receipt, version=str(self._current_event(*self._copy(receipt)).get("event_id")))

    def read_back(self, keys: Keys, receipt: Receipt) -> tuple[TextPart, ...]:
        content = self._current_event(*self._copy(receipt))["content"]
        new = _dict(content.get("m.new_content")) or content
        return tuple(visible(self.shows, new)) or (TextPart("text", str(new.get("body") or "")),)

    def stats(self, receipt: Receipt) -> Figures:
        room, event = self._copy(receipt)
        return Figures(likes=len(self._related(room, event, "m.annotation")))

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        words = platform_message(answer, self.secrets())
        if answer.status == 401:
            return CredentialsRejected("Matrix", words, what="access token", field="token")
        if answer.status == 403:
            advice = "The account doesn't have permission in this room. Invite it and allow it to send messages."
            return Disconnected(advice + words, field="room")
        if b'"M_UNRECOGNIZED"' in answer.body:
            return Misconfigured("No Matrix server found at this URL. Check the URL.", field="homeserver")
        return super().fault(answer, call)

    def _ask(self, method: str, path: str, json: Any = None, need: str | None = None) -> dict[str, Any]:
        """Send an authenticated request to the homeserver. All requests are safe to repeat."""
        token = {"Authorization": f"Bearer {self.settings.get('token', '').strip()}"}
        value = self.call(method, path, json=json, headers=token, safe=True, need=need).json()
        return value if isinstance(value, dict) else {}

    def _send(self, room: str, content: Mapping[str, Any], keys: Keys) -> str:
        path = f"v3/rooms/{_q(room)}/send/m.room.message/{_q(keys['operation'])}"
        return str(self._ask("PUT", path, {**content, OPERATION: keys["operation"]}, need="event_id")["event_id"])

    def _related(self, room: str, event: str, how: str) -> list[dict[str, Any]]:
        events = self._ask("GET", f"v1/rooms/{_q(room)}/relations/{_q(event)}/{how}?limit={MAX_RELATED_EVENTS}").get(
            "chunk"
        )
        return [_dict(one) for one in events] if isinstance(events, list) else []

    def _current_event(self, room: str, event: str) -> dict[str, Any]:
        """Return the current version of the copy: the event, or its last edit. Raises Gone if it was redacted."""
        original = self._ask("GET", f"v3/rooms/{_q(room)}/event/{_q(event)}", need="event_id")
        unsigned = _dict(original.get("unsigned"))
        if unsigned.get("redacted_because") or not _dict(original.get("content")).get("body"):
            raise Gone("The event was redacted on Matrix.")
        last = _dict(_dict(unsigned.get("m.relations")).get("m.replace")) or original
        return {**last, "content": _dict(last.get("content"))}

    @cached_property
    def _homeserver(self) -> str:
        """Return the homeserver's URL: known, given, or looked up by the server name."""
        if known := self.facts.get("base_url"):
            return str(known)
        homeserver = self.settings.get("homeserver", "").strip().rstrip("/")
        if homeserver.startswith(("https://", "http://")):
            return homeserver
        if not SERVER_NAME.fullmatch(homeserver):
            raise Misconfigured(
                "Enter the homeserver as a name like example.org, or as an https:// URL.", field="homeserver"
            )
        return self._discover(homeserver)

    def _discover(self, name: str) -> str:
        try:
            answer = self.call("GET", f"https://{name}/.well-known/matrix/client", expect_json=False)
        except Gone:
            return f"https://{name}"
        try:
            home = _dict(_dict(answer.json()).get("m.homeserver")).get("base_url")
        except ValueError:
            home = None
        if not isinstance(home, str) or not home.startswith("https://"):
            detail = f"{name} doesn't announce its Matrix server. Enter the server's https:// URL."
            raise Misconfigured(detail, field="homeserver")
        return home.rstrip("/")

    def _room_name(self) -> str:
        room = self.settings.get("room", "").strip()
        if not ROOM_NAME.fullmatch(room):
            raise Misconfigured("Enter the room address, #blog:example.org, or the room ID, !…", field="room")
        return room

    def _room_id(self) -> str:
        """Return the room's id, which stays when its address changes."""
        if known := self.facts.get("room_id"):
            return str(known)
        name = self._room_name()
        if name.startswith("!"):
            return name
        return str(self._ask("GET", f"v3/directory/room/{_q(name)}", need="room_id")["room_id"])

    def _join_room(self) -> str:
        try:
            return str(self._ask("POST", f"v3/join/{_q(self._room_name())}", {}, need="room_id")["room_id"])
        except Gone:
            raise Misconfigured("Room not found. Check its address.", field="room") from None

    def _require_unencrypted(self, room: str) -> None:
        with suppress(Gone):
            self._ask("GET", f"v3/rooms/{_q(room)}/state/m.room.encryption")
            raise Misconfigured(
                "This room is encrypted, which isn't supported. Choose an unencrypted room.", field="room"
            )

    def _copy(self, receipt: Receipt) -> tuple[str, str]:
        found = chat.which(COPY_ID, receipt, self.label)
        return found["room"], found["event"]

    def _link(self, event: str = "") -> str:
        """Return a link to the room or an event. A room id needs a server in the link, a room address does not."""
        server = str(self.facts.get("user_id") or "").partition(":")[2]
        via = f"?via={server}" if server and not self._room_name().startswith("#") else ""
        return f"https://matrix.to/#/{_q(self._room_name())}{f'/{_q(event)}' if event else ''}{via}"


def _edit(content: Mapping[str, Any], event: str) -> dict[str, Any]:
    """Return an event that replaces another.

    The fields outside `m.new_content` are for apps that do not support edits.
    """
    return {
        **content,
        "body": f"* {content['body']}",
        "formatted_body": f"* {content['formatted_body']}",
        "m.new_content": dict(content),
        "m.relates_to": {"rel_type": "m.replace", "event_id": event},
    }


def _q(part: str) -> str:
    return quote(part, safe="!:$@")


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
