"""Bounds on connections, so that clients that don't read, or open many connections, take no memory from others.

What a client has not read yet waits in the memory of the system, up to `SEND_BUFFER` for each connection, and the rest
in that of Granian, which has no limit for an address. The system knows whose a connection is, and how much waits in it;
so this module looks at all connections of the process, and closes the oldest beyond a bound.
"""

from __future__ import annotations

import logging
import os
import socket
import stat
import struct
import sys
from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from time import sleep
from typing import NamedTuple

log = logging.getLogger(__name__)

# The maximum number of connections from one network: an address, or the part of IPv6 that one client has.
MAX_OF_NETWORK = 1024
# How many of them are closed at one look: most clients come back at once, which costs more than keeping them.
MAX_CLOSED = 256
# How much the system keeps for a client that does not read, in bytes. By default, it is up to 4 MiB.
SEND_BUFFER = 128 * 1024
# If less than this waits in a connection, in bytes, nothing of its response is left in our memory.
MUCH = 16 * 1024
# The maximum number of connections in which much waits: of one network at one look, and of all at two looks, because
# many readers may come at once. Each takes up to 256 KiB of our memory: 24 and 96 MiB.
MAX_SLOW_OF_NETWORK, MAX_SLOW = 96, 384
# How often the connections are looked at, in seconds; and how many bytes of responses are sent until the next look.
EVERY_SECONDS, ROOM = 1.0, 16 * 1024 * 1024
# How long a response takes at most until its bytes wait in the connection, in seconds; and how long those whose
# connection was closed, and who ask again, wait for the next one.
SETTLING, CALMING = 0.05, 0.25

# The table of this system's connections, which has an end and another end, a state, bytes that wait, and an inode
# (proc(5)). Only Linux has it.
TABLES = ("/proc/self/net/tcp", "/proc/self/net/tcp6")
OPEN_FILES = "/proc/self/fd"
ESTABLISHED, CLOSE_WAIT = "01", "08"
# How an IPv4 address begins that is written as IPv6.
MAPPED = "0000000000000000FFFF0000"

Act = Callable[[], None]


class Connection(NamedTuple):
    """An open connection. The inode distinguishes it from all others of the system."""

    inode: int
    network: str  # an address, or the first 64 bits of IPv6: one client can have all of these. As the table writes it.
    is_behind: bool  # much waits for the client


class ConnectionLimits:
    """Closes connections beyond the bounds, and sends no more until they were looked at again."""

    def __init__(self, port: int, *, per_network: bool) -> None:
        """`per_network` is False if a proxy connects for all clients."""
        self.port, self.per_network = port, per_network
        # The connections of the last look, the oldest first, and if much waited in them.
        self.known: dict[int, bool] = {}  # by inode
        self.room, self.held = ROOM, deque[tuple[int, Act]]()
        self.lock, self.is_due = Lock(), Event()

    def start(self) -> None:
        """Look at the connections from now on. Other systems than Linux can't: they send everything at once."""
        if not os.path.exists(TABLES[0]):
            self.room = sys.maxsize
            return
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
        pause = 0.0
        while True:
            if self.is_due.wait(EVERY_SECONDS):
                sleep(pause)
            self.is_due.clear()
            try:
                pause = self.look()
                self.room = ROOM
                self._send_held()
            except Exception:
                log.exception("the connections could not be looked at")

    def look(self) -> float:
        """Close what is beyond the bounds. Returns the time until the next look, in seconds."""
        if len(os.listdir(OPEN_FILES)) <= MAX_SLOW_OF_NETWORK:
            self.known.clear()
            return 0
        found = {one.inode: one for one in _connections(self.port)}
        in_order = [found[inode] for inode in self.known if inode in found]
        in_order += [one for one in found.values() if one.inode not in self.known]
        behind = [one for one in in_order if one.is_behind]
        beyond = {*_beyond([one for one in behind if self.known.get(one.inode)], MAX_SLOW)}
        self.known = {one.inode: one.is_behind for one in in_order}
        if self.per_network:
            for of_network in _by_network(behind):
                beyond.update(of_network[: max(0, len(of_network) - MAX_SLOW_OF_NETWORK)])
            for of_network in _by_network(in_order):
                beyond.update(of_network[: max(0, min(len(of_network) - MAX_OF_NETWORK, MAX_CLOSED))])
        if beyond:
            log.warning("closed %d of %d connections of slow or too many clients", len(beyond), len(found))
            _close({one.inode for one in beyond})
        return CALMING if beyond else SETTLING


def _beyond(slow: list[Connection], limit: int) -> Iterator[Connection]:
    """Yield those to close until the limit is kept: the oldest of the network that has the most."""
    networks = _by_network(slow)
    for _ in range(len(slow) - limit):
        largest = max(networks, key=len)
        yield largest.pop(0)


def _by_network(connections: Iterable[Connection]) -> list[list[Connection]]:
    found: dict[str, list[Connection]] = defaultdict(list)
    for one in connections:
        found[one.network].append(one)
    return list(found.values())


def _connections(port: int) -> Iterator[Connection]:
    """Yield the connections of clients to a port of this system."""
    ours = f":{port:04X}"
    for table in map(Path, TABLES):
        for row in table.read_text().splitlines() if table.exists() else ():
            _, local, remote, state, waiting, _, _, _, _, inode, *_ = row.split()
            is_open = state in (ESTABLISHED, CLOSE_WAIT) and inode != "0"  # otherwise nobody has it yet
            if is_open and local.endswith(ours):
                address = remote.partition(":")[0].removeprefix(MAPPED)
                yield Connection(int(inode), address[:16], int(waiting.partition(":")[0], 16) >= MUCH)


def _close(inodes: Container[int]) -> None:
    """Close connections at once, without sending what waits in them."""
    for name in os.listdir(OPEN_FILES):
        with suppress(OSError):  # it was closed meanwhile
            if os.fstat(int(name)).st_ino in inodes:
                _reset(int(name), inodes)


def _reset(number: int, inodes: Container[int]) -> None:
    copy = os.dup(number)  # which stays the same if the number gets another file now
    try:
        found = os.fstat(copy)
        if stat.S_ISSOCK(found.st_mode) and found.st_ino in inodes:
            line = socket.socket(fileno=copy)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            line.shutdown(socket.SHUT_RDWR)
            line.detach()
    finally:
        os.close(copy)
