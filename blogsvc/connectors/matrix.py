"""Matrix: an event in a room, where an id of ours makes every repetition harmless."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote

from blogsvc.connectors._kit import chat
from blogsvc.connectors._kit.announcements import Allowance, announcement
from blogsvc.connectors._kit.responses import said
from blogsvc.connectors.base import (
    Account,
    Article,
    Call,
    Conflict,
    Connector,
    ConnectorError,
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
    Rejected,
    dumps,
)

MAX_BODY_BYTES = 14_000  # bytes of text: a changed message holds it four times, in an event of 64 KiB
MOST_EVENT = 60_000  # what is left for the server's own part is not ours to know
MOST_RELATED = 1000
OPERATION = "blogsvc.operation"  # in each event of ours, so that we know our own change
SERVER_NAME = re.compile(r"(?:[\w-]+\.)+[\w-]+(?::\d+)?|\[[\da-f:]+\](?::\d+)?|localhost(?::\d+)?", re.ASCII)
ROOM_NAME = re.compile(r"[!#]\S{1,254}")
COPY_ADDRESS = re.compile(r"(?:https://matrix\.to/#/)?(?P<room>[!#]\S+?)/(?P<event>\$[^\s?]+)(?:\?.*)?")


@dataclass
class Matrix(Connector):
    """One event of an account. The server gives the same id of ours the same event, whatever is sent with it."""

    key = "matrix"
    label = "Matrix"
    about = "A message in a room, from an account of the blog's own."
    shelf = "chats"
    docs = "https://spec.matrix.org/latest/client-server-api/"
    checked_on = "2026-11-20"
    kind = "announcement"
    accepts = "html"
    carries = frozenset({"title", "summary", "canonical_url"})
    shows = (("formatted_body", "html"),)
    limits = (Limit("text", MAX_BODY_BYTES, "bytes"),)
    repeatable = frozenset({"create", "update", "delete"})
    once = "Each event is sent under an id of ours, and the server takes each id of an access token once."
    caveats = (
        "Deleting redacts the event: servers and apps that are slow or offline may keep what it said.",
        "While an answer is awaited, keep the access token: with another one, the event could be made twice.",
    )
    fields = (
        Field("homeserver", "Homeserver", help="Its name, such as matrix.org, or its address, https://…"),
        Field(
            "token",
            "Access token",
            help="In Element: All settings, Help & About, Advanced. Take an account of the blog's own.",
            secret=True,
        ),
        Field("room", "Room", help="Its address, #blog:example.org, or its ID, !…. It must not be encrypted."),
    )
    options = (Option("sort", "Sort", ("text", "notice"), "text", help="A notice is quiet, and is what bots say."),)

    def base_url(self) -> str:
        return f"{self._home}/_matrix/client"

    def verify(self) -> Account:
        """Joins the room, where that is not done yet. What was known of other settings does not count here."""
        self.facts = {}
        vars(self).pop("_home", None)
        user = str(self._ask("GET", "v3/account/whoami", need="user_id")["user_id"])
        room = self._joined()
        self._insist_on_plain_text(room)
        self.facts = facts = {"base_url": self._home, "room_id": room, "user_id": user}
        return Account(f"{self._named()} as {user}", self._link(), facts)

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        told = announcement(article, Allowance(MAX_BODY_BYTES, "bytes", most_tags=0), self.label)
        content = {
            "msgtype": f"m.{chat.chosen(self, options, 'sort')}",
            "body": told.text,
            "format": "org.matrix.custom.html",
            "formatted_body": chat.html(told, article, "strong").replace("\n", "<br>"),
            "m.mentions": {},  # whoever the words name, nobody is called
        }
        if len(dumps(_edit(content, "$" * 44))) > MOST_EVENT:
            raise Rejected("The text is too long for a Matrix event: shorten it.")
        return Payload(content, told.warnings)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        room = self._room()
        event = self._send(room, payload.body, keys)
        return Receipt(f"{room}/{event}", self._link(event), event)

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        room, event = self._copy(receipt)
        if receipt.version is not None:
            last = self._last(room, event)
            is_ours = last["content"].get(OPERATION) == keys["operation"]  # its answer was lost
            if last.get("event_id") != receipt.version and not is_ours:
                raise Conflict("It was changed on Matrix in the meantime. Retry to write over it.")
        return replace(receipt, version=self._send(room, _edit(payload.body, event), keys))

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        """Its changes go first: they are events of their own, and would be left with what they say."""
        room, event = self._copy(receipt)
        for gone in (*self._changes(room, event), event):
            # A server takes an id once in a room, whatever is done with it: each redaction needs one of its own.
            own_id = f"{keys['operation']}.{gone.strip('$')}"
            self._ask("PUT", f"v3/rooms/{_q(room)}/redact/{_q(gone)}/{_q(own_id)}", {}, need="event_id")

    def look(self, keys: Keys, receipt: Receipt) -> Receipt:
        return replace(receipt, version=str(self._last(*self._copy(receipt)).get("event_id")))

    def stats(self, receipt: Receipt) -> Figures:
        room, event = self._copy(receipt)
        return Figures(likes=len(self._related(room, event, "m.annotation")))

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        words = said(answer, self.secrets())
        if answer.status == 401:
            return Disconnected(f"Matrix does not accept the access token: reconnect.{words}", field="token")
        if answer.status == 403:
            advice = "The account may not do this in the room: invite it there, and let it send messages."
            return Disconnected(advice + words, field="room")
        if b'"M_UNRECOGNIZED"' in answer.body:
            return Misconfigured("There is no Matrix server at this address: check it.", field="homeserver")
        return super().fault(answer, call)

    def _ask(self, method: str, path: str, json: Any = None, need: str | None = None) -> dict[str, Any]:
        """The token goes to the homeserver alone, not where we ask for it. Every request may be repeated."""
        token = {"Authorization": f"Bearer {self.settings.get('token', '').strip()}"}
        value = self.call(method, path, json=json, headers=token, safe=True, need=need).json()
        return value if isinstance(value, dict) else {}

    def _send(self, room: str, content: Mapping[str, Any], keys: Keys) -> str:
        path = f"v3/rooms/{_q(room)}/send/m.room.message/{_q(keys['operation'])}"
        return str(self._ask("PUT", path, {**content, OPERATION: keys["operation"]}, need="event_id")["event_id"])

    def _related(self, room: str, event: str, how: str) -> list[dict[str, Any]]:
        found = self._ask("GET", f"v1/rooms/{_q(room)}/relations/{_q(event)}/{how}?limit={MOST_RELATED}").get("chunk")
        return [_dict(one) for one in found] if isinstance(found, list) else []

    def _changes(self, room: str, event: str) -> list[str]:
        ids = [str(one.get("event_id")) for one in self._related(room, event, "m.replace")]
        return [one for one in ids if one.startswith("$")]

    def _last(self, room: str, event: str) -> dict[str, Any]:
        """What the copy says now: the event, or the last that replaced it. Raises Gone where it was redacted."""
        found = self._ask("GET", f"v3/rooms/{_q(room)}/event/{_q(event)}", need="event_id")
        unsigned = _dict(found.get("unsigned"))
        if unsigned.get("redacted_because") or not _dict(found.get("content")).get("body"):
            raise Gone("The event was redacted on Matrix.")
        last = _dict(_dict(unsigned.get("m.relations")).get("m.replace")) or found
        return {**last, "content": _dict(last.get("content"))}

    @cached_property
    def _home(self) -> str:
        """The address of the homeserver, as it was found, given or is found by the server's name."""
        if known := self.facts.get("base_url"):
            return str(known)
        given = self.settings.get("homeserver", "").strip().rstrip("/")
        if given.startswith(("https://", "http://")):
            return given
        if not SERVER_NAME.fullmatch(given):
            raise Misconfigured("Name the homeserver like example.org, or by its https:// address.", field="homeserver")
        return self._discovered(given)

    def _discovered(self, name: str) -> str:
        try:
            answer = self.call("GET", f"https://{name}/.well-known/matrix/client", expect_json=False)
        except Gone:
            return f"https://{name}"
        try:
            home = _dict(_dict(answer.json()).get("m.homeserver")).get("base_url")
        except ValueError:
            home = None
        if not isinstance(home, str) or not home.startswith("https://"):
            detail = f"{name} does not say where its Matrix server is: give its https:// address."
            raise Misconfigured(detail, field="homeserver")
        return home.rstrip("/")

    def _named(self) -> str:
        room = self.settings.get("room", "").strip()
        if not ROOM_NAME.fullmatch(room):
            raise Misconfigured("Name the room by its address, #blog:example.org, or its ID, !…", field="room")
        return room

    def _room(self) -> str:
        """The room's ID, which stays when its address does not."""
        if known := self.facts.get("room_id"):
            return str(known)
        name = self._named()
        if name.startswith("!"):
            return name
        return str(self._ask("GET", f"v3/directory/room/{_q(name)}", need="room_id")["room_id"])

    def _joined(self) -> str:
        try:
            return str(self._ask("POST", f"v3/join/{_q(self._named())}", {}, need="room_id")["room_id"])
        except Gone:
            raise Misconfigured("Matrix knows no such room: check its address.", field="room") from None

    def _insist_on_plain_text(self, room: str) -> None:
        with suppress(Gone):
            self._ask("GET", f"v3/rooms/{_q(room)}/state/m.room.encryption")
            raise Misconfigured("The room is encrypted, and announcements are not: choose another one.", field="room")

    def _copy(self, receipt: Receipt) -> tuple[str, str]:
        named = replace(receipt, remote_id=unquote(receipt.remote_id))
        found = chat.which(COPY_ADDRESS, named, self.label)
        return (found["room"] if found["room"].startswith("!") else self._room()), found["event"]

    def _link(self, event: str = "") -> str:
        """By the room's address where it has one; an ID alone leads nowhere without a server to ask."""
        server = str(self.facts.get("user_id") or "").partition(":")[2]
        via = f"?via={server}" if server and not self._named().startswith("#") else ""
        return f"https://matrix.to/#/{_q(self._named())}{f'/{_q(event)}' if event else ''}{via}"


def _edit(content: Mapping[str, Any], event: str) -> dict[str, Any]:
    """The event that replaces another. What stands outside `m.new_content` is for apps that know no edits."""
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
