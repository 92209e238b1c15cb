"""The HTTP server: Granian with threads, in one process with the scheduler."""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, NoReturn

from flask import Flask
from granian._granian import SocketHolder
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.server import mt

from blogsvc.auth import plain_http
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.health.checks import examine
from blogsvc.lib.setting_checks import BadSetting
from blogsvc.server.background import Background
from blogsvc.server.connections import SEND_BUFFER, ConnectionLimits
from blogsvc.server.first_steps import log_first_steps
from blogsvc.server.rsgi import WsgiBridge

log = logging.getLogger(__name__)

OWN_ADDRESS = "Set HOST to an address of this machine, such as 127.0.0.1, or to 0.0.0.0 for all of them."

# The maximum number of open connections. Those beyond wait until another one ends.
MAX_CONNECTIONS = 12_288
MIN_CONNECTIONS = 128
# The maximum number of connections that the system accepts before the server does.
MAX_BACKLOG = 1024
# Files that the process may open for other purposes, such as the database and deliveries.
OTHER_FILES = 512
# The maximum size of the headers of a request, in bytes. It is also the memory that a slow client can take.
MAX_HEADERS = 16 * 1024
# The maximum time for streaming responses to end when the server stops, in seconds.
STREAMS_PATIENCE = 5.0
# The option of `mallopt` in glibc for the maximum number of arenas (malloc.h).
M_ARENA_MAX = -8
# How long a thread may run Python code while others wait for their turn, in seconds. With Python's default of 5 ms, the
# work on one long text makes each small request, which takes several turns, wait for tens of milliseconds.
TURN_SECONDS = 0.0005


class Interrupt:
    """What the main thread waits for, in place of Granian's `Event`: a plain flag that it polls.

    Signal handlers set it. They take no lock, because a second signal can interrupt the handler of the first one in the
    same thread, which would then wait for itself. The thread polls because the system may deliver a signal to any
    thread, but Python runs the handler in the main thread, the next time that it wakes up.
    """

    EVERY = 0.1  # seconds

    def __init__(self) -> None:
        self.is_pending = False

    def set(self) -> None:
        self.is_pending = True

    def clear(self) -> None:
        self.is_pending = False

    def wait(self) -> None:
        while not self.is_pending:
            time.sleep(self.EVERY)


class SingleProcessServer(mt.MTServer):
    """Granian with its worker in a thread of this process.

    Granian offers this only for free-threaded Python. Otherwise it starts a second process, which would survive a
    `kill -9` of the first one and keep serving. It also works with the GIL.
    """

    def __init__(self, config: Config, bridge: WsgiBridge) -> None:
        super().__init__(
            "blogsvc",
            address=config.host,
            port=config.port,
            interface=Interfaces.RSGI,
            loop=Loops.asyncio,
            # No proxy needs HTTP/2 without TLS, and browsers don't use it. Nothing here uses WebSockets.
            http=HTTPModes.http1,
            websockets=False,
            # The time applies to headers and to idle connections.
            http1_settings=HTTP1Settings(
                header_read_timeout=int(config.client_patience * 1000), max_buffer_size=MAX_HEADERS
            ),
            workers=1,
            backlog=MAX_BACKLOG,
            backpressure=max(MIN_CONNECTIONS, _allow_open_files() - OTHER_FILES),
            workers_kill_timeout=max(1, int(config.grace_seconds)),
            log_enabled=False,
        )
        self.bridge, self.receive_seconds = bridge, 3 * config.client_patience
        self.main_loop_interrupt = Interrupt()  # type: ignore[assignment]
        vars(mt)["_new_cbscheduler"] = bridge.scheduler  # Granian has no option for it

    def _check_gil(self) -> None:
        pass

    def _init_shared_socket(self) -> None:
        """Create a socket with limits for clients that don't receive, which Granian doesn't have."""
        if sys.platform != "linux":
            super()._init_shared_socket()  # type: ignore[no-untyped-call]
            return
        family, address = _address_of(self.bind_addr, self.bind_port)
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(self.receive_seconds * 1000))
        listener.bind(address)
        self._shd = SocketHolder(listener.detach(), False, MAX_BACKLOG)  # type: ignore[assignment, call-arg]

    def _stop_workers(self) -> None:
        self.bridge.stop(STREAMS_PATIENCE)  # streams never end on their own
        super()._stop_workers()  # type: ignore[no-untyped-call]


def open_port(host: str, port: int) -> int:
    """Return the port if nothing listens on it, else a free one."""
    family, address = _address_of(host, port)
    for wanted in (port, 0):
        with socket.socket(family, socket.SOCK_STREAM) as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address[0], wanted))
            return int(probe.getsockname()[1])
    raise BadSetting(f"Cannot listen on {host}. {OWN_ADDRESS}")


def _address_of(host: str, port: int) -> tuple[socket.AddressFamily, Any]:
    """Return the family and address to listen on. Raises BadSetting if there is no such host."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise BadSetting(f"HOST={host!r} is not an address. {OWN_ADDRESS}") from error
    return family, address


def _require_free_port(config: Config) -> None:
    """Raise BadSetting if the port is in use. Granian would share it, and each server would get half the requests."""
    family, address = _address_of(config.host, config.port)
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise BadSetting(f"Port {config.port} is already in use. Set PORT to another port.") from error
            reason = f"Cannot listen on port {config.port} of {config.host}: {error.strerror}."
            advice = "Set PORT to 1024 or higher." if error.errno == errno.EACCES else OWN_ADDRESS
            raise BadSetting(f"{reason} {advice}") from error


async def _unused(_scope: object, _proto: object) -> None:
    """The RSGI application that Granian requires. It is never called: the bridge's scheduler takes the requests."""
    raise NotImplementedError


def _share_memory_between_threads() -> None:
    """Let all threads use one arena of glibc. By default, each keeps the memory that its largest request took."""
    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def _log_health(app: Flask, tools: Tools) -> None:
    """Log the problems that the quick checks of `blogsvc doctor` find, or that they find none."""
    try:
        with app.app_context():
            problems = [finding for finding in examine(tools, is_start=True) if not finding.is_ok]
    except Exception:
        log.exception("the checks at start failed; `blogsvc doctor` repeats them")
        return
    for problem in problems:
        log.warning("%s: %s", problem.check, problem.message)
    if not problems:
        log.info("the checks at start found no problems")


def _allow_open_files() -> int:
    """Raise the limit of open files to what the server uses at most, and return it. Each connection is a file."""
    wanted = MAX_CONNECTIONS + OTHER_FILES
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    reachable = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < reachable:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (reachable, hard))
            soft = reachable
    return wanted if soft == resource.RLIM_INFINITY else min(wanted, soft)


def serve(app: Flask, on_stop: Callable[[], object] = lambda: None) -> NoReturn:
    """Serve until SIGTERM or SIGINT. Then finish the running requests, call `on_stop` and end the process.

    Raises BadSetting if the port is in use.
    """
    tools: Tools = app.extensions["tools"]
    config = tools.config
    _share_memory_between_threads()
    sys.setswitchinterval(TURN_SECONDS)
    limits = ConnectionLimits(config.port, per_network=not config.trusted_proxies)
    bridge = WsgiBridge(app, config.threads, config.client_patience, config.instance, limits.send)
    server = SingleProcessServer(config, bridge)
    checking = Thread(target=_log_health, args=(app, tools), name="health", daemon=True)
    server.on_startup(checking.start)  # Granian listens by then
    limits.start()
    _require_free_port(config)
    background = Background(app)
    background.start()
    log.info("open %s", config.public_url)
    if (advice := plain_http.advice(config)) is not None:
        log.warning(advice)
    log.info("listening on http://%s:%d, data in %s", config.host, config.port, config.instance)
    log_first_steps(app, sys.argv[0])
    try:
        server.serve(target_loader=lambda: _unused, wrap_loader=False)
    finally:
        background.stop()
        log.info("stopped")
        on_stop()
    # Python's normal exit would wait for threads that are still sending. That is not needed: the database shows which
    # deliveries were in progress.
    logging.shutdown()
    os._exit(0)
