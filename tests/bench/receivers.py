"""A receiver that notes when each message came."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from tests.receiver import Received, Receiver

TITLE = re.compile(rb'"title": ?"([^"]*)"')


class ClockedReceiver(Receiver):
    """`times` are those of all messages about a post, `came` when the first one about each came, by its title."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self.times: list[float] = []
        self.came: dict[str, datetime] = {}

    def remember(self, received: Received) -> None:
        if (title := TITLE.search(received.body)) is not None:
            self.came.setdefault(title[1].decode(), datetime.now(UTC))
            self.times.append(time.monotonic())
        super().remember(received)

    def wait_for_posts(self, count: int) -> None:
        self._wait(lambda: len(self.came) >= count)

    def wait_for_messages(self, count: int) -> None:
        self._wait(lambda: len(self.times) >= count)

    def latenesses(self, due: Mapping[str, datetime]) -> list[float]:
        """Return how late the message of each post came, in seconds. Raises KeyError if one did not come."""
        return [(self.came[title] - moment).total_seconds() for title, moment in due.items()]

    def _wait(self, condition: Callable[[], bool], seconds: float = 300) -> None:
        with self._arrived:
            assert self._arrived.wait_for(condition, seconds)
