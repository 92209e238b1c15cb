"""Bounds on connections, so that clients that don't read, or open many connections, take no memory from others.

What a client has not read yet waits in the memory of the system, up to `SEND_BUFFER` for each connection, and the rest
in that of Granian, which has no limit for an address. The system knows whose a connection is, and how much waits in it;
so this module looks at all connections of the process, and closes the oldest beyond a bound.
"""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import stat
import struct
import termios
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread
from time import sleep

from blogsvc.auth.attempts import network_of

log = logging.getLogger(__name__)

OPEN_FILES = "/proc/self/fd"
# The maximum number of connections from one network: an address, or the part of IPv6 that one client has.
MAX_OF_NETWORK = 1024
# How much the system keeps for a client that does not read, in bytes. By default, it is up to 4 MiB.
SEND_BUFFER = 128 * 1024
# If less than this waits in a connection, in bytes, nothing of its response is left in our memory.
MUCH = 16 * 1024
# The maximum number of connections in which much waits: of one network at one look, and of all at two looks, because
# many readers may come at once. Each takes up to 256 KiB of our memory: 24 and 96 MiB.
MAX_SLOW_OF_NETWORK, MAX_SLOW = 96, 384
# How often the connections are looked at, in seconds; and how many bytes of responses are sent until the next look.
EVERY_SECONDS, ROOM = 1.0, 16 * 1024 * 1024
# How long a response takes at most until its bytes wait in the connection, in seconds.
SETTLING = 0.05

Act = Callable[[], None]
Peer = tuple[str, int]  # address and port


@dataclass(frozen=True)
class Connection:
    """An open connection. `number` is its file descriptor, which another one may have soon."""

    peer: Peer
    number: int
    is_behind: bool  # much waits for the client


class ConnectionLimits:
    """Closes connections beyond the bounds, and sends no more until they were looked at again."""

    def __init__(self, port: int, *, per_network: bool) -> None:
        """`per_network` is False if a proxy connects for all clients."""
        self.port, self.per_network = port, per_network
        # The connections of the last look, the oldest first, and if much waited in them.
        self.known: dict[Peer, bool] = {}
        self.room, self.held = ROOM, deque[tuple[int, Act]]()
        self.lock, self.is_due = Lock(), Event()

    def start(self) -> None:
        Thread(target=self._run, name="connections", daemon=True).start()

    def send(self, size: int, act: Act) -> None:
        """Call `act`, which sends a response of this size: now, or once there is room for it."""
        if size < MUCH:
            act()
        else:
            self.held.append((size, act))
            self._send_held()

    def _send_held(self) -> None:
        """Send what there is room for. If something is left, the next look is due."""
        while self.held:
            with self.lock:
                if self.room <= 0 or not self.held:
                    break
                size, act = self.held.popleft()
                self.room -= size
            act()
        if self.held:
            self.is_due.set()

    def _run(self) -> None:
        are_many = False
        while True:
            if self.is_due.wait(EVERY_SECONDS) and are_many:
                sleep(SETTLING)
            self.is_due.clear()
            try:
                are_many = self.look()
                self.room = ROOM
                self._send_held()
            except Exception:
                log.exception("the connections could not be looked at")

    def look(self) -> bool:
        """Close what is beyond the bounds. Returns False if there are so few connections that none can be."""
        names = os.listdir(OPEN_FILES) if os.path.isdir(OPEN_FILES) else []  # only on Linux
        if len(names) <= MAX_SLOW_OF_NETWORK:
            self.known.clear()
            return False
        found = {one.peer: one for one in _connections(names, self.port)}
        in_order = [found[peer] for peer in self.known if peer in found]
        in_order += [one for one in found.values() if one.peer not in self.known]
        behind = [one for one in in_order if one.is_behind]
        beyond = {*_beyond([one for one in behind if self.known.get(one.peer)], MAX_SLOW)}
        self.known = {one.peer: one.is_behind for one in in_order}
        if self.per_network:
            for limit, those in ((MAX_OF_NETWORK, in_order), (MAX_SLOW_OF_NETWORK, behind)):
                for of_network in _by_network(those):
                    beyond.update(of_network[: max(0, len(of_network) - limit)])
        for one in beyond:
            _close(one, self.port)
        if beyond:
            log.warning("closed %d of %d connections of slow or too many clients", len(beyond), len(found))
        return True


def _beyond(slow: list[Connection], limit: int) -> Iterator[Connection]:
    """Yield those to close until the limit is kept: the oldest of the network that has the most."""
    networks = _by_network(slow)
    for _ in range(len(slow) - limit):
        largest = max(networks, key=len)
        yield largest.pop(0)


def _by_network(connections: Iterable[Connection]) -> list[list[Connection]]:
    found: dict[str, list[Connection]] = defaultdict(list)
    for one in connections:
        found[network_of(one.peer[0])].append(one)
    return list(found.values())


def _connections(names: Iterable[str], port: int) -> Iterator[Connection]:
    """Yield the connections to a port among the open files with these names."""
    for name in names:
        with suppress(OSError), _socket(int(name)) as line:
            if _is_ours(line, port):
                yield Connection(line.getpeername()[:2], int(name), _waiting(line) >= MUCH)


@contextmanager
def _socket(number: int) -> Iterator[socket.socket]:
    """Give a copy of an open socket, which does not close with the original. Raises OSError for another file."""
    copy = os.dup(number)
    try:
        if not stat.S_ISSOCK(os.fstat(copy).st_mode):
            raise OSError("not a socket")
        line = socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        raise
    with line:
        yield line


def _is_ours(line: socket.socket, port: int) -> bool:
    return line.family in (socket.AF_INET, socket.AF_INET6) and line.getsockname()[1] == port


def _waiting(line: socket.socket) -> int:
    """Return how many bytes the client has not received."""
    return int(struct.unpack("i", fcntl.ioctl(line.fileno(), termios.TIOCOUTQ, bytes(4)))[0])


def _close(connection: Connection, port: int) -> None:
    """Close a connection at once, without sending what waits, unless it has been closed already."""
    with suppress(OSError), _socket(connection.number) as line:
        if _is_ours(line, port) and line.getpeername()[:2] == connection.peer:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            line.shutdown(socket.SHUT_RDWR)
