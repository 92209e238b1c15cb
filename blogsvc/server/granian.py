"""The server: Granian in this very process, with threads, and the clock beside it."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import NoReturn

from flask import Flask
from granian.constants import Interfaces, Loops
from granian.server import mt

from blogsvc.auth import setup
from blogsvc.config import BadSetting, Config
from blogsvc.context import Tools
from blogsvc.errors import Busy, StateConflict
from blogsvc.models import ApiKey
from blogsvc.scheduler import Scheduler
from blogsvc.server.rsgi import WsgiBridge

log = logging.getLogger(__name__)


# Connections that may be open at once, beside those that are worked on: listeners, mostly.
MOST_WAITING = 1024
# How long streams may take to end when they are told to, in seconds.
STREAMS_PATIENCE = 5.0


class Interrupt(Event):
    """What the main thread waits for. The system may hand a signal to any thread, but Python runs its handler in
    the main one, once that wakes: so it wakes now and then."""

    EVERY = 0.5  # seconds

    def wait(self, timeout: float | None = None) -> bool:
        if timeout is not None:
            return super().wait(timeout)
        while not super().wait(self.EVERY):
            pass
        return True


class SingleProcessServer(mt.MTServer):
    """Granian with its worker in a thread of this process.

    Granian offers that for free-threaded Python only and starts a second process otherwise, which
    would outlive a `kill -9` of the first and go on serving. Our threads take the GIL like any
    others, so one process serves as well.
    """

    def __init__(self, config: Config, bridge: WsgiBridge) -> None:
        super().__init__(
            "blogsvc",
            address=config.host,
            port=config.port,
            interface=Interfaces.RSGI,
            loop=Loops.asyncio,
            workers=1,
            backpressure=config.threads * 32 + MOST_WAITING,
            workers_kill_timeout=max(1, int(config.grace_seconds)),
            log_enabled=False,
        )
        self.bridge = bridge
        self.main_loop_interrupt = Interrupt()
        vars(mt)["_new_cbscheduler"] = bridge.scheduler  # Granian has no other way to choose one

    def _check_gil(self) -> None:
        pass

    def _stop_workers(self) -> None:
        self.bridge.stop_streams(STREAMS_PATIENCE)  # they would never end by themselves
        super()._stop_workers()  # type: ignore[no-untyped-call]


def open_port(host: str, port: int) -> int:
    """Return the port if nothing listens on it, else a free one."""
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    for wanted in (port, 0):
        with socket.socket(family, socket.SOCK_STREAM) as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address[0], wanted))
            return int(probe.getsockname()[1])
    raise BadSetting(f"Cannot listen on {host}. Set HOST to an address of this machine.")


def _demand_free_port(config: Config) -> None:
    """Raises BadSetting where somebody listens already. Granian would share the port, and each get half the calls."""
    family, _, _, _, address = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            raise BadSetting(
                f"PORT={config.port} on {config.host} cannot be had: {error.strerror}. Set another."
            ) from error


async def _unused(_scope: object, _proto: object) -> None:
    """Granian demands an RSGI application; the bridge's scheduler stands before it."""
    raise NotImplementedError


def _say_what_is_first(config: Config) -> None:
    """On an instance without people, the link that makes its owner; whoever reads this log may follow it."""
    with suppress(StateConflict, Busy):
        log.info("set up this blog at %s/setup/%s", config.public_url, setup.make_setup_link())
    if not ApiKey.all():
        log.info("there is no API key yet; `%s key create NAME` makes one", sys.argv[0])


def serve(app: Flask, on_stop: Callable[[], object] = lambda: None) -> NoReturn:
    """Serve until SIGTERM or SIGINT; then finish what is in flight, call `on_stop`, and end the process.

    Raises BadSetting where the port is taken.
    """
    tools: Tools = app.extensions["toolbox"]
    config = tools.config
    server = SingleProcessServer(config, WsgiBridge(app, config.threads))
    _demand_free_port(config)
    clock = Scheduler(app, tools) if config.clock else None
    if clock is not None:
        clock.start()
    log.info("open %s", config.public_url)
    log.info("listening on http://%s:%d, data in %s", config.host, config.port, config.instance)
    with app.app_context():
        _say_what_is_first(config)
    try:
        server.serve(target_loader=lambda: _unused, wrap_loader=False)
    finally:
        if clock is not None:
            clock.stop(config.grace_seconds)
        log.info("stopped")
        on_stop()
    # Not by way of Python's own end: it would wait for threads that still send, whose rows say what was in
    # flight, and Granian's threads do not survive to be told of it.
    logging.shutdown()
    os._exit(0)
