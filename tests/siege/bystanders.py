"""Other people who use the server during an attack: readers, clients of the API, and a health check."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

PATIENCE = 30.0  # seconds


@dataclass(frozen=True)
class Call:
    """What one bystander does, and how often, in seconds."""

    method: str
    path: str
    every: float
    body: object = None


@dataclass
class Latencies:
    """The seconds of each request, and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    slowest_health: float = 0.0

    def quantile(self, share: float) -> float:
        """Return the time within which this share of the requests was answered; infinite if there was none."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("inf")


class Bystanders:
    """Threads that send requests at a steady pace, each on a connection of its own."""

    def __init__(self, port: int, key: str, post_id: str) -> None:
        self.port, self.key = port, key
        self.calls = [
            Call("GET", "/", 0.05),
            Call("GET", f"/api/v1/posts/{post_id}", 0.05),
            Call("GET", "/health", 0.1),
            Call("POST", "/api/v1/posts", 0.2, {"title": "A post", "content": "Some words."}),
        ]

    def watch(self, until: Callable[[], bool]) -> Latencies:
        """Send requests until the function returns True. Return their latencies."""
        found, lock, over = Latencies(), Lock(), Event()
        threads = [Thread(target=self._repeat, args=(call, found, lock, over)) for call in self.calls]
        for thread in threads:
            thread.start()
        while not until():
            time.sleep(0.05)
        over.set()
        for thread in threads:
            thread.join()
        return found

    def _repeat(self, call: Call, found: Latencies, lock: Lock, over: Event) -> None:
        while not over.is_set():
            began = time.monotonic()
            failure = self._send(call)
            taken = time.monotonic() - began
            with lock:
                found.seconds.append(taken)
                if call.path == "/health":
                    found.slowest_health = max(found.slowest_health, taken)
                if failure:
                    found.failures.append(failure)
            over.wait(max(0.0, call.every - taken))

    def _send(self, call: Call) -> str:
        """Return "", or what went wrong."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {self.key}"} if call.path.startswith("/api/") else {}
        body = None if call.body is None else json.dumps(call.body)
        try:
            connection.request(call.method, call.path, body, {**headers, "Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            return "" if answer.status < 300 else f"{call.method} {call.path} returned {answer.status}"
        except (OSError, http.client.HTTPException) as error:
            return f"{call.method} {call.path}: {error!r}"
        finally:
            connection.close()
