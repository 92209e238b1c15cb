"""Lanes: the work of one kind, in a few threads, each lane by one of them at a time."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from threading import Lock, Thread, current_thread
from time import monotonic, sleep

from flask import Flask

from blogsvc.context import Tools
from blogsvc.models.background_errors import log_failure
from blogsvc.scheduler.lane_messages import LaneMessages
from blogsvc.scheduler.traffic import Traffic, Turn

log = logging.getLogger(__name__)

STUMBLE = timedelta(seconds=1)


def leave_to_others(traffic: Traffic, due: Collection[str], said: set[str], tools: Tools) -> frozenset[str]:
    """Return the lanes that only other processes can work on. Log what is missing here, once."""
    found = traffic.lanes_of_others(due, tools)
    for missing in sorted(set(found.values()) - said):
        log.warning("this process leaves %s to others, because it does not have %s", traffic.name, missing)
        said.add(missing)
    return frozenset(found)


class Lanes:
    """Runs at most one worker per lane, so that a slow platform or subscriber delays only its own lane.

    The threads are daemons: Python ends the process without them, as it does not with a ThreadPoolExecutor, and the
    database shows which deliveries were in progress.
    """

    def __init__(self, traffic: Traffic, app: Flask, tools: Tools, when_free: Callable[[], None]) -> None:
        self.traffic = traffic
        self.app = app
        self.tools = tools
        self.when_free = when_free
        self.is_closing = False
        self.width = traffic.width(tools)
        self.lock = Lock()
        self.lanes: set[str] = set()
        self.of_others: frozenset[str] = frozenset()  # those that had work due, and that this process can't work on
        self.said: set[str] = set()  # what is missing here, as the log says
        self.waiting: deque[str] = deque()
        self.threads: set[Thread] = set()

    def open_due(self, *, expires_leases: bool = True, messages: LaneMessages | None = None) -> None:
        """Start a thread for each lane with due work; with `messages`, hand the lanes over to other processes.

        First settle work whose lease has expired, if told to.
        """
        if expires_leases:
            self.traffic.expire_leases(self.tools)
        due = self.traffic.due_lanes(self.tools) if messages is None else messages.hand_over(self.traffic)
        self.of_others = leave_to_others(self.traffic, due, self.said, self.tools)
        for lane in due:
            if lane not in self.of_others:
                self.open(lane)

    def next_due_at(self, messages: LaneMessages | None = None) -> datetime | None:
        """Return when the next work is due in a lane that is neither running nor left to other processes."""
        handed_over = set() if messages is None else messages.lanes_of(self.traffic)
        return self.traffic.next_due_at(self.running() | handed_over | self.of_others)

    def open(self, lane: str) -> None:
        with self.lock:
            if lane in self.lanes or self.is_closing:
                return
            if len(self.threads) < self.width:
                thread = Thread(target=self._work, name="lane", daemon=True)
                thread.start()
                self.threads.add(thread)
            self.lanes.add(lane)
            self.waiting.append(lane)

    def running(self) -> set[str]:
        with self.lock:
            return set(self.lanes)

    def close(self, grace_seconds: float) -> bool:
        """Open no lane any more, and wait for those that are open. Returns True if all of them ended in time."""
        with self.lock:
            self.is_closing = True
            self.waiting.clear()
            threads = list(self.threads)
        end = monotonic() + grace_seconds
        for thread in threads:
            thread.join(max(0.0, end - monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def wait(self) -> None:
        """Wait until all lanes have ended, also those that wait for a thread."""
        while threads := self._threads():
            for thread in threads:
                thread.join()

    def _threads(self) -> list[Thread]:
        with self.lock:
            return list(self.threads)

    def _work(self) -> None:
        while (lane := self._next()) is not None:
            self._work_lane(lane)

    def _next(self) -> str | None:
        """Return the lane that has waited longest, or None at the end of this thread."""
        with self.lock:
            if self.waiting:
                return self.waiting.popleft()
            self.threads.discard(current_thread())
            return None

    def _work_lane(self, lane: str) -> None:
        try:
            with self.app.app_context():
                self.traffic.work(lane, self.tools, Turn(lambda: self.is_closing))
        except BaseException as error:
            with self.app.app_context():
                log_failure(log, error, "the work of lane %s failed; the scheduler tries it again", lane)
            sleep(STUMBLE.total_seconds())
        finally:
            with self.lock:
                self.lanes.discard(lane)
            self.when_free()
