"""The server: Granian in this very process, with threads, and the clock beside it."""

from __future__ import annotations

import logging
import os
import socket
import sys

from flask import Flask
from granian.constants import Interfaces, Loops
from granian.server.mt import MTServer

from blogsvc.clock import Clock
from blogsvc.config import BadSetting, Config
from blogsvc.models import ApiKey
from blogsvc.toolbox import Toolbox

log = logging.getLogger(__name__)


class OneProcess(MTServer):
    """Granian with its worker in a thread of this process.

    Granian offers that for free-threaded Python only and starts a second process otherwise, which
    would outlive a `kill -9` of the first and go on serving. A WSGI worker's threads take the GIL
    like any others, so one process serves as well.
    """

    def _check_gil(self) -> None:
        pass


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


def serve(app: Flask) -> None:
    """Serve until SIGTERM or SIGINT; then finish what is in flight, and stop.

    Raises BadSetting where the port is taken.
    """
    tools: Toolbox = app.extensions["toolbox"]
    config = tools.config
    server = OneProcess(
        "blogsvc",
        address=config.host,
        port=config.port,
        interface=Interfaces.WSGI,
        loop=Loops.asyncio,
        workers=1,
        blocking_threads=config.threads,
        backpressure=config.threads * 32,
        workers_kill_timeout=max(1, int(config.grace_seconds)),
        log_enabled=False,
    )
    _demand_free_port(config)
    clock = Clock(app, tools) if config.clock else None
    if clock is not None:
        clock.start()
    log.info("open %s", config.public_url)
    log.info("listening on http://%s:%d, data in %s", config.host, config.port, config.instance)
    with app.app_context():
        if not ApiKey.all():
            log.info("there is no API key yet; `%s key create NAME` makes one", sys.argv[0])
    try:
        server.serve(target_loader=lambda: app, wrap_loader=False)
    finally:
        all_landed = clock is None or clock.stop(config.grace_seconds)
        log.info("stopped")
    if not all_landed:
        # Python would wait for the threads that send. Their rows say what was in flight; the next start settles it.
        logging.shutdown()
        os._exit(0)
