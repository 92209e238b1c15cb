"""Wake-ups between the processes of a cluster: each tells the others through Redis what its commits have changed.

They are hints, such as to look for due work, or that readers of the event stream have something to read. One that is
lost costs the time until the next look. Without Redis, every process looks twice a second.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from math import inf
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from blogsvc.context import InMemory, Tools
from blogsvc.models.setting import site_has_changed
from blogsvc.models.transactions import ANOTHER_PROCESS, became_due, has_recorded

if TYPE_CHECKING:
    from redis import Redis

log = logging.getLogger(__name__)

SIGNALS = {"due": became_due, "recorded": has_recorded, "site": site_has_changed}
# What changes within this time is one message. Seconds.
GATHER_FOR = 0.02
# Without any message in this time, a process sends an empty one, and hears by that whether messages arrive. Seconds.
SPEAK_EVERY = 5.0
# Without any message in this time, messages do not arrive. Seconds.
SILENT_AFTER = 12.0
# How long to wait for Redis, and before the next try. Seconds.
TIMEOUT, TRY_AGAIN_AFTER = 2.0, 1.0


class Relay:
    """Sends and receives the wake-ups of a process, in two threads."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        # Redis has one space of channels for all its databases.
        self.channel = f"blogsvc:{tools.vault.fingerprint()}"
        self._lock = Lock()
        self._wanted: set[str] = set()
        self._is_wanted, self._is_over = Event(), Event()
        self._heard_at = -inf
        self._failing: set[str] = set()  # what does not work, as the log says
        self._senders = {name: self._sender_of(name) for name in SIGNALS}
        self._threads: list[Thread] = []

    @property
    def is_working(self) -> bool:
        """Return True if the messages of other processes arrive."""
        return self._tools.steady() - self._heard_at < SILENT_AFTER

    def start(self, *, hears: bool = True) -> None:
        """Start, if processes on other machines may use the database, and there is Redis.

        Args:
            hears: False for a process that nothing has to wake.
        """
        config = self._tools.config
        if not (config.redis_url and config.is_on_postgresql):
            return
        self._is_over.clear()
        for name, signal in SIGNALS.items():
            signal.connect(self._senders[name])
        work = [self._speak_until_over, *([self._hear_until_over] if hears else [])]
        self._threads = [Thread(target=each, name="relay", daemon=True) for each in work]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop. What was not sent yet may be lost."""
        for name, signal in SIGNALS.items():
            signal.disconnect(self._senders[name])
        self._is_over.set()
        self._is_wanted.set()
        for thread in self._threads:
            thread.join()
        self._threads = []
        self._heard_at = -inf

    def _sender_of(self, name: str) -> Callable[[object], None]:
        """Return what is called when a signal is sent in this process."""

        def want(sender: object) -> None:
            if sender is not ANOTHER_PROCESS:
                with self._lock:
                    self._wanted.add(name)
                self._is_wanted.set()

        return want

    def _speak_until_over(self) -> None:
        while not self._is_over.is_set():
            with self._noting("sent"), closing(self._client()) as client:
                while not self._is_over.is_set():
                    if self._is_wanted.wait(SPEAK_EVERY):
                        self._is_over.wait(GATHER_FOR)
                        self._is_wanted.clear()
                    self._speak(client)

    def _speak(self, client: Redis) -> None:
        with self._lock:
            wanted, self._wanted = self._wanted, set()
        if not wanted and self._tools.steady() - self._heard_at < SPEAK_EVERY:
            return
        try:
            client.publish(self.channel, " ".join((self._tools.process.name, *sorted(wanted))))
        except Exception:
            with self._lock:
                self._wanted |= wanted
            self._is_wanted.set()
            raise
        self._failing.discard("sent")

    def _hear_until_over(self) -> None:
        while not self._is_over.is_set():
            with self._noting("received"), closing(self._client()) as client:
                self._hear(client)

    def _hear(self, client: Redis) -> None:
        """Receive messages until the end, or until none arrive any more."""
        steady = self._tools.steady
        with closing(client.pubsub(ignore_subscribe_messages=True)) as messages:  # type: ignore[no-untyped-call]
            messages.subscribe(self.channel)
            self._is_wanted.set()  # to hear soon that messages arrive
            began_at = steady()
            while not self._is_over.is_set() and steady() - max(began_at, self._heard_at) < SILENT_AFTER:
                if (message := messages.get_message(timeout=TRY_AGAIN_AFTER)) is not None:
                    self._failing.discard("received")
                    self._pass_on(message["data"].decode())

    def _pass_on(self, message: str) -> None:
        self._heard_at = self._tools.steady()
        process, *names = message.split()
        if process != self._tools.process.name:
            for name in names:
                if (signal := SIGNALS.get(name)) is not None:  # a newer version may send others
                    signal.send(ANOTHER_PROCESS)

    def _client(self) -> Redis:
        from redis import Redis

        return Redis.from_url(self._tools.config.redis_url, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT)

    @contextmanager
    def _noting(self, what: str) -> Iterator[None]:
        """Log an error the first time, whether of the client or of the network, and wait before the next try."""
        try:
            yield
        except Exception as error:
            if what not in self._failing:
                log.warning("wake-ups through Redis are not %s, so processes look for changes: %s", what, error)
            self._failing.add(what)
            self._is_over.wait(TRY_AGAIN_AFTER)


relay = InMemory(Relay)
