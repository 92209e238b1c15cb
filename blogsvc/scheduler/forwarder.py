"""Tell workers at once about what this process has made due, whether or not it runs a scheduler."""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Thread
from typing import Any

from flask import Flask

from blogsvc.context import Tools
from blogsvc.models.transactions import ANOTHER_PROCESS, became_due
from blogsvc.scheduler.lane_messages import lane_messages
from blogsvc.scheduler.traffic import TRAFFIC_OF_WORKERS

# How often to look whether there are workers, so that the first message is not slower than others. Seconds.
GET_READY_EVERY = 5.0


class Forwarder:
    """Sends messages for due lanes, in a thread of its own. What it misses, the scheduler that leads finds."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.is_wanted, self.is_over = Event(), False
        self.thread: Thread | None = None

    def start(self) -> None:
        """Start, if there is a broker."""
        tools: Tools = self.app.extensions["tools"]
        if not tools.config.broker:
            return
        self.is_over = False
        became_due.connect(self.wake)
        self.thread = Thread(target=self._forward_until_over, name="forwarder", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        if self.thread is not None:
            became_due.disconnect(self.wake)
            self.is_over = True
            self.is_wanted.set()
            self.thread.join()
            self.thread = None

    def wake(self, sender: Any = None) -> None:
        if sender is not ANOTHER_PROCESS:  # which tells the workers itself
            self.is_wanted.set()

    def _forward_until_over(self) -> None:
        while not self.is_over:
            is_wanted = self.is_wanted.wait(GET_READY_EVERY)
            self.is_wanted.clear()
            with self.app.app_context(), suppress(Exception):  # the scheduler says that the database is away
                if lane_messages().can_send() and is_wanted and not self.is_over:
                    self._forward()

    def _forward(self) -> None:
        """Hand over what is due. What workers can't do is left to the scheduler that leads."""
        for traffic in TRAFFIC_OF_WORKERS.values():
            lane_messages().hand_over(traffic)
