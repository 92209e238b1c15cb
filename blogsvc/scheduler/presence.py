"""What each process tells the others that share its database, and how they notice that one is gone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from functools import cache
from importlib.metadata import version
from math import inf
from threading import Event, Lock, Thread
from typing import Literal

from flask import Flask

from blogsvc.connections.elsewhere import missing_connectors
from blogsvc.context import Tools
from blogsvc.health.cluster import ClusterWatch
from blogsvc.health.shared_settings import MEDIA, SharedSettings, SharedValue, shared_settings, shared_storage
from blogsvc.models import Process, transaction
from blogsvc.models.database_time import ahead_of_database
from blogsvc.models.process import UNSEEN_AFTER, forget_processes, is_shared, report

log = logging.getLogger(__name__)

_version = cache(lambda: version("blogsvc"))

Role = Literal["server", "scheduler", "worker"]
# Seconds between reports: several in the time after which a process counts as gone.
REPORT_EVERY = 5.0
# Seconds between looks for what is wrong among the processes: more than until one that ended counts as gone.
WATCH_EVERY = 30.0
# How long a process that stops waits for such a look, which may hang. Seconds.
WAIT_FOR_WATCH = 1.0


class Presence:
    """Reports this process to the others while it runs, from threads of its own. On SQLite, there are no others."""

    def __init__(self, app: Flask, role: Role, lane_count: Callable[[], int] = lambda: 0) -> None:
        self.app, self.role, self.lane_count = app, role, lane_count
        # Whether this process receives the messages that are sent to workers. Call `report` after a change.
        self.is_consuming = False
        self.started_at: datetime | None = None
        self.storage: SharedValue | None = None  # where it keeps images, once that is known
        self.looks_since: float | None = None  # when it began to find out, while it does
        self.is_over = Event()
        self.reporting = Lock()  # a report is never older than the one before
        self.thread: Thread | None = None
        self.watch: Thread | None = None

    @property
    def tools(self) -> Tools:
        tools: Tools = self.app.extensions["tools"]
        return tools

    def start(self) -> None:
        with self.app.app_context():
            if not is_shared():
                return
        self.is_over.clear()
        self.thread = Thread(target=self._report_until_over, name="presence", daemon=True)
        self.thread.start()
        self.watch = Thread(target=self._watch_until_over, name="cluster watch", daemon=True)
        self.watch.start()

    def stop(self) -> None:
        """Stop reporting. Removes the row of this process, unless others have to end what it leaves behind."""
        if self.thread is None or self.watch is None:
            return
        self.is_over.set()
        self.thread.join()
        self.watch.join(WAIT_FOR_WATCH)
        with self.reporting:
            self.thread, self.is_consuming = None, False
            if self.lane_count():
                self._report()
                return
            with self.app.app_context(), suppress(Exception), transaction():
                forget_processes([self.tools.process.name])

    def report(self) -> None:
        """Report what this process is and does. If the database is away, the next report follows soon."""
        with self.reporting:
            if self.thread is not None:
                self._report()

    def _report(self) -> None:
        with self.app.app_context(), suppress(Exception):  # the scheduler and the requests say that it is away
            report(self._row())

    def _report_until_over(self) -> None:
        self.report()
        while not self.is_over.wait(REPORT_EVERY):
            self.report()

    def _watch_until_over(self) -> None:
        watch = ClusterWatch(self.tools)
        self._look_at_storage()
        self.report()
        while not self.is_over.wait(WATCH_EVERY):
            self._look_at_storage()
            with self.app.app_context(), suppress(Exception):  # the scheduler says that the database is away
                watch.look()

    def _look_at_storage(self) -> None:
        """Find out where this process keeps images. That may hang, so reports don't wait for it."""
        self.looks_since = self.tools.steady()
        self.storage = shared_storage(self.tools)
        self.looks_since = None

    def _shared_settings(self) -> SharedSettings:
        tools, looks_since = self.tools, self.looks_since
        settings = shared_settings(tools)
        if looks_since is not None and tools.steady() - looks_since > WATCH_EVERY:
            settings[MEDIA] = SharedValue("no response", f"{tools.config.media_url} (no response)")
        elif self.storage is not None:
            settings[MEDIA] = self.storage
        return settings

    def _row(self) -> Process:
        tools, now = self.tools, self.tools.now()
        self.started_at = self.started_at or now
        ahead = ahead_of_database(tools.now)
        return Process(
            name=tools.process.name,
            role=self.role,
            host=tools.host,
            version=_version(),
            key_fingerprint=tools.vault.fingerprint(),
            seconds_ahead=ahead.total_seconds() if ahead else 0.0,
            lane_count=self.lane_count(),
            is_consuming=self.is_consuming,
            missing=missing_connectors(),
            shared_settings=self._shared_settings(),
            started_at=self.started_at,
            seen_at=now,
        )


class Absences:
    """Notices which processes are gone: those whose reports ended while this process watched.

    A time in which this process could not look or report does not count, because the others could not report either.
    """

    def __init__(self, steady: Callable[[], float], own_name: str) -> None:
        self._steady, self._own_name = steady, own_name
        self._looked_at = -inf
        # When each process was seen last, as reported and as noticed here.
        self._seen: dict[str, tuple[datetime, float]] = {}

    def noticed(self, processes: Iterable[Process]) -> list[str]:
        """Return the names of those of the processes that are gone. Call it about as often as they report."""
        now = self._steady()
        if now - self._looked_at > 2 * REPORT_EVERY:
            self._seen = {}
        self._looked_at = now
        before, self._seen = self._seen, {}
        for process in processes:
            seen = before.get(process.name)
            self._seen[process.name] = seen if seen and seen[0] == process.seen_at else (process.seen_at, now)
        if now - self._seen_at(self._own_name, now) > 2 * REPORT_EVERY:
            self._seen = {}
        return [name for name in self._seen if now - self._seen_at(name, now) >= UNSEEN_AFTER.total_seconds()]

    def _seen_at(self, name: str, default: float) -> float:
        return self._seen[name][1] if name in self._seen else default
