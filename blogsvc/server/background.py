"""What each server process does besides answering requests: write page views, and run the scheduler if it is its turn.

Of the processes that share a data directory, the one that holds the lock on a file there runs the scheduler. The system
releases the lock when the process ends, even after `kill -9`, and another process takes over.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from threading import Event, Thread, main_thread
from time import sleep
from typing import Literal

from flask import Flask

from blogsvc import context
from blogsvc.context import Tools
from blogsvc.lib.process_lock import held
from blogsvc.models import close_connections
from blogsvc.models.background_errors import log_failure
from blogsvc.scheduler.forwarder import Forwarder
from blogsvc.scheduler.loop import MAX_SLEEP, Scheduler
from blogsvc.scheduler.presence import Presence
from blogsvc.scheduler.relay import relay
from blogsvc.server.view_flusher import ViewFlusher

log = logging.getLogger(__name__)

# How often a process tries to get the lock, and looks whether it ends itself. Seconds.
TRY_EVERY = 0.5
# A server that forks its worker processes does so within this time after it has loaded the application. Seconds.
FORKS_WITHIN = 1.0


class Background:
    """The background work of one process, for as long as its main thread runs or until `stop`."""

    def __init__(
        self, app: Flask, on_lead: Callable[[], None] = lambda: None, role: Literal["server", "scheduler"] = "server"
    ) -> None:
        """Prepare the work. `on_lead` is called each time that this process begins to run the scheduler."""
        self.app, self.on_lead = app, on_lead
        self.scheduler: Scheduler | None = None  # while it runs here
        self.presence = Presence(app, role, lambda: self.scheduler.lane_count() if self.scheduler else 0)
        self.is_ended = Event()
        self.views, self.forwarder = ViewFlusher(app), Forwarder(app)
        self.thread: Thread | None = None

    @property
    def tools(self) -> Tools:
        tools: Tools = self.app.extensions["tools"]
        return tools

    def start(self, wait_seconds: float = 0.0) -> None:
        """Start, and try to get the lock after this time."""
        self.is_ended.clear()
        self.views.start()
        # Python waits for this thread before it ends the process.
        self.thread = Thread(target=self._run, args=(wait_seconds,), name="background")
        self.thread.start()

    def stop(self) -> None:
        """Stop the scheduler if it runs here, wait for running deliveries, and write the views that wait."""
        if self.thread is not None:
            self.is_ended.set()
            self.thread.join()
            self.thread = None

    def move_to_forks(self) -> None:
        """Leave the work to the processes that are forked from this one, such as those of `gunicorn --preload`.

        A fork has only one of the threads, and must not use the database connections of its parent. So this process
        stops its work before its first fork, for good, and closes what it has open.
        """
        os.register_at_fork(before=self._stop_before_fork, after_in_child=self.start)

    def _stop_before_fork(self) -> None:
        if self.thread is None:
            return
        self.stop()
        with self.app.app_context():
            close_connections()
        context.attach(self.app, replace(self.tools))  # without the name of this process

    def _run(self, wait_seconds: float) -> None:
        self.presence.start()
        self.forwarder.start()
        wake_ups = relay.of(self.app)
        wake_ups.start()
        try:
            while not self._has_ended(wait_seconds):
                wait_seconds = TRY_EVERY
                if self.tools.config.scheduler:
                    self._lead_unless_it_fails()
        finally:
            wake_ups.stop()
            self.forwarder.stop()
            self.presence.stop()
            self.views.stop()

    def _lead_unless_it_fails(self) -> None:
        try:
            self._lead()
        except Exception as error:
            with self.app.app_context():
                log_failure(log, error, "the scheduler could not run; this process tries again")

    def _lead(self) -> None:
        """Run the scheduler until the end, unless another process runs it."""
        config = self.tools.config
        with ExitStack() as lock:
            try:
                _name_this_process(lock.enter_context(held(config.scheduler_lock)))
            except BlockingIOError:
                return
            except OSError as error:  # a second scheduler only wastes time; without one, nothing is published
                log.warning("the scheduler runs without its lock: %s", error)
            self.scheduler = scheduler = Scheduler(self.app, self.tools)
            try:
                scheduler.start()
                self.on_lead()
                while scheduler.ticker.is_alive() and not self._has_ended(TRY_EVERY):
                    pass
            finally:
                scheduler.stop_claiming()
        if scheduler.wait_for_lanes(config.grace_seconds):
            self.scheduler = None

    def _has_ended(self, seconds: float) -> bool:
        """Wait. Return True if the work is to end."""
        return self.is_ended.wait(seconds) or not main_thread().is_alive()


def _name_this_process(lock_file: int) -> None:
    """Write the id of this process to the file that it has locked."""
    with suppress(OSError):  # the disk is full
        os.ftruncate(lock_file, 0)
        os.write(lock_file, f"{os.getpid()}\n".encode())


def run_scheduler(app: Flask) -> None:
    """Run the scheduler of an application, without a server, until SIGTERM or SIGINT."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    background = Background(app, lambda: log.info("the scheduler runs"), "scheduler")
    background.start()
    try:
        while True:
            sleep(MAX_SLEEP.total_seconds())
    finally:
        background.stop()
        log.info("stopped")
