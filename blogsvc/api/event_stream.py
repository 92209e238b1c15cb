"""The event stream: one database reader for all listeners, on the event loop that sends their responses.

A listener that keeps up costs one coroutine and its connection, but no thread and no query. A listener
that reconnects first reads the events it missed.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from flask import Flask, current_app
from sqlalchemy import select

from blogsvc import context
from blogsvc.api import serializers
from blogsvc.api.framework.problems import Problem
from blogsvc.context import InMemory
from blogsvc.http.streams import Send
from blogsvc.models import ApiKey, Event, db
from blogsvc.models.background_errors import log_failure
from blogsvc.models.event import events_after, last_position
from blogsvc.models.transactions import has_recorded

log = logging.getLogger(__name__)

# How often an idle stream sends a heartbeat and its key is checked again. Seconds.
HEARTBEAT = 15.0
# How often to check the database for events of other processes while someone listens. Seconds.
POLL_SECONDS = 1.0
# Events kept in memory for listeners that are slightly behind.
MAX_RECENT_EVENTS = 1000
MAX_EVENTS_PER_READ = 100
MAX_LISTENERS = 500
MAX_LISTENERS_PER_KEY = 20
# When a client that got no place should try again.
RETRY_SECONDS = 60


@dataclass(frozen=True)
class Message:
    """An event in the format of server-sent events (HTML Living Standard, 9.2.6)."""

    position: int
    type: str
    post_id: str | None
    text: bytes

    @classmethod
    def of(cls, event: Event) -> Message:
        data = serializers.event(event).model_dump_json(by_alias=True)
        text = f"id: {event.id}\nevent: {event.type}\ndata: {data}\n\n"
        return cls(event.position, event.type, event.post_id, text.encode())


@dataclass(eq=False)
class Listener:
    """A client of the stream: its key, its filters and the position of the last event sent to it."""

    key_id: str
    position: int
    types: frozenset[str] = frozenset()
    post_id: str | None = None

    def wants(self, message: Message) -> bool:
        return message.type in (self.types or {message.type}) and self.post_id in (None, message.post_id)


@dataclass
class Feed:
    """Reads events from the database and sends them to listeners. All methods except `read` run on the event loop."""

    app: Flask
    listeners: set[Listener] = field(default_factory=set)
    lately: deque[Message] = field(default_factory=lambda: deque(maxlen=MAX_RECENT_EVENTS))
    position: int = 0
    reader: asyncio.Task[None] | None = None
    places: Counter[str] = field(default_factory=Counter)  # places in use by key
    lock: Lock = field(default_factory=Lock)

    def take_place(self, key_id: str) -> None:
        """Take a place for a listener, which `tell` gives back. Raises Problem if none is left. For any thread."""
        with self.lock:
            if self.places[key_id] >= MAX_LISTENERS_PER_KEY:
                raise Problem(
                    "rate-limited",
                    f"This API key already has {MAX_LISTENERS_PER_KEY} event streams. Close one of them first.",
                    {"Retry-After": str(RETRY_SECONDS)},
                    {"limit": MAX_LISTENERS_PER_KEY, "retryAfter": RETRY_SECONDS},
                )
            if self.places.total() >= MAX_LISTENERS:
                raise Problem(
                    "unavailable",
                    "Too many clients are streaming events. Try again in a minute.",
                    {"Retry-After": str(RETRY_SECONDS)},
                )
            self.places[key_id] += 1

    def _give_place_back(self, key_id: str) -> None:
        with self.lock:
            self.places[key_id] -= 1
            if not self.places[key_id]:
                del self.places[key_id]

    async def tell(self, listener: Listener, send: Send) -> None:
        """Send events to a listener until it disconnects, its key may not read posts any more, or the server stops."""
        self.listeners.add(listener)
        try:
            await self._keep_reading()
            while listener in self.listeners:
                news = self.news
                messages = await self._after(listener)
                if messages:
                    listener.position = messages[-1].position
                    text = b"".join(message.text for message in messages if listener.wants(message))
                    if text:
                        await send(text)
                elif not await _within(HEARTBEAT, news):
                    await send(b":\n\n")
        finally:
            self.listeners.discard(listener)
            self._give_place_back(listener.key_id)

    async def _after(self, listener: Listener) -> list[Message]:
        """Return the next messages for a listener. Removes the listener if its key may not read them any more."""
        position = listener.position
        if position >= self.position:
            return []
        if self.lately and position >= self.lately[0].position - 1:
            return [message for message in self.lately if message.position > position]
        messages = await asyncio.to_thread(self.read, position)
        return messages if await self._remove_refused({listener}) else []

    async def _remove_refused(self, listeners: set[Listener]) -> set[Listener]:
        """Remove the listeners whose key may not read posts any more, and return the others."""
        allowed = await asyncio.to_thread(self._keys_that_may_read, {listener.key_id for listener in listeners})
        refused = {listener for listener in listeners if listener.key_id not in allowed}
        self.listeners -= refused
        return listeners - refused

    async def _keep_reading(self) -> None:
        """Start the reader if it is not running. It stops after the last listener leaves."""
        if self.reader is None or self.reader.done():
            self.news, self.is_ready = asyncio.Event(), asyncio.Event()
            self.reader = asyncio.create_task(self._read_on())
        await self.is_ready.wait()

    async def _read_on(self) -> None:
        loop, woken = asyncio.get_running_loop(), asyncio.Event()

        def wake(_sender: object) -> None:
            with suppress(RuntimeError):  # the loop has closed: the server stops
                loop.call_soon_threadsafe(woken.set)

        has_recorded.connect(wake)
        try:
            self.lately.clear()
            self.position = await asyncio.to_thread(self._last)
            self.is_ready.set()
            await self._read_while_heard(woken)
        except Exception as error:
            with self.app.app_context():
                log_failure(log, error, "the event stream failed; listeners will reconnect")
        finally:
            has_recorded.disconnect(wake)
            self.listeners.clear()
            self.is_ready.set()
            self.news.set()

    async def _read_while_heard(self, woken: asyncio.Event) -> None:
        next_check = monotonic() + HEARTBEAT
        while self.listeners:
            messages = await asyncio.to_thread(self.read, self.position)
            if messages or monotonic() >= next_check:
                next_check = monotonic() + HEARTBEAT
                await self._remove_refused(set(self.listeners))
            self._pass_on(messages)
            if len(messages) < MAX_EVENTS_PER_READ:
                await _within(POLL_SECONDS, woken)
                woken.clear()

    def _pass_on(self, messages: list[Message]) -> None:
        if not messages:
            return
        self.lately.extend(messages)
        self.position = messages[-1].position
        old, self.news = self.news, asyncio.Event()
        old.set()

    def read(self, position: int) -> list[Message]:
        """Return up to MAX_EVENTS_PER_READ events after a position, oldest first."""
        with self.app.app_context():
            return [Message.of(event) for event in events_after(position, MAX_EVENTS_PER_READ)]

    def _last(self) -> int:
        with self.app.app_context():
            return last_position()

    def _keys_that_may_read(self, ids: set[str]) -> set[str]:
        with self.app.app_context():
            now, keys = context.now(), list(db.session.scalars(select(ApiKey).where(ApiKey.id.in_(ids))))
            return {key.id for key in keys if key.is_valid(now) and key.allows("posts:read")}


feed = InMemory(lambda _tools: Feed(current_app._get_current_object()))  # type: ignore[attr-defined]


async def _within(seconds: float, event: asyncio.Event) -> bool:
    """Wait for the event; return False on timeout."""
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True
