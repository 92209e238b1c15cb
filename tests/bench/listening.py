"""Many listeners to the event stream in one event loop, so that they cost the measurement little."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from tests.bench.servers import Server

QUIET = 10.0  # seconds without events
PATIENCE = 30.0
STREAMS = 20  # that a key may have


class Crowd:
    def __init__(self, at: Server, keys: list[str]) -> None:
        """One listener for each key in the list."""
        self.at, self.keys, self.count = at, keys, len(keys)
        self.told: list[float] = []

    async def measure(self, cause: Callable[[], object], times: int) -> tuple[float, list[float]]:
        """Return the CPU seconds of an idle period, and the seconds until the last listener received each event."""
        listeners = [asyncio.create_task(self._listen(key)) for key in self.keys]
        await asyncio.sleep(3)
        before = self.at.cpu_seconds()
        await asyncio.sleep(QUIET)
        quiet = self.at.cpu_seconds() - before
        waits = [await self._tell(cause) for _ in range(times)]
        for listener in listeners:
            listener.cancel()
        return quiet, waits

    async def _tell(self, cause: Callable[[], object]) -> float:
        self.told.clear()
        await asyncio.to_thread(cause)
        done = time.monotonic()
        while len(self.told) < self.count:
            assert time.monotonic() < done + PATIENCE, f"{len(self.told)} of {self.count} were told"
            await asyncio.sleep(0.002)
        return max(self.told) - done

    async def _listen(self, key: str) -> None:
        address = urlsplit(self.at.url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        head = f"GET /api/v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n"
        writer.write(head.encode())
        while line := await reader.readline():
            if line.startswith(b"id: "):
                self.told.append(time.monotonic())
