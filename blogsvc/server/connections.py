"""Bounds on connections, so that clients that don't read, or open many connections, take no memory from others.

What a client has not read yet waits in the memory of the system, up to `SEND_BUFFER` for each connection, and the rest
in that of Granian, which has no limit for an address. The system knows whose a connection is, how much waits in it, and
whether the client has no room for it; so this module looks at all connections of the process, and closes the oldest
beyond a bound.
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

from blogsvc.lib.net.ip_rules import client_address

log = logging.getLogger(__name__)

# The maximum number of connections from one network: an address, or the part of IPv6 that one client has.
MAX_OF_NETWORK = 1024
# How many of them are closed at one look: most clients come back at once, which costs more than keeping them.
MAX_CLOSED = 256
# How much the system keeps for a client that does not read, in bytes. By default, it is up to 4 MiB.
SEND_BUFFER = 128 * 1024
# If less than this waits in a connection, in bytes, nothing of its response is left in our memory. Otherwise, it may be
# up to 256 KiB.
BACKLOG = 16 * 1024
# The maximum number of connections with a backlog, of one network and of all: of clients that have stopped reading
# (24 and 96 MiB), and of all clients (64 and 192 MiB). An office or a mobile carrier may share one address.
MAX_STOPPED_OF_NETWORK, MAX_STOPPED = 96, 384
MAX_BEHIND_OF_NETWORK, MAX_BEHIND = 256, 768
# The maximum number of responses of a network that wait until they are sent. Others are refused.
MAX_HELD = 256
# How often the connections are looked at, in seconds; and how many bytes of responses are sent until the next look.
EVERY_SECONDS, BYTES_PER_LOOK = 1.0, 16 * 1024 * 1024
# The pause between two looks, in seconds: until what was sent waits in its connections, and longer after some were
# closed, because their clients come back at once.
PAUSE, PAUSE_AFTER_CLOSING = 0.05, 0.25

# The tables of this system's connections (proc(5)). Only Linux has them.
TABLES = ("/proc/self/net/tcp", "/proc/self/net/tcp6")
OPEN_FILES = "/proc/self/fd"
ESTABLISHED, FIN_WAIT1, CLOSE_WAIT, LAST_ACK = "01", "04", "08", "09"
PROBING = "04"  # the timer that runs while the client has no room for more
# How an IPv4 address begins that is written as IPv6.
MAPPED = "0000000000000000FFFF0000"

Act = Callable[[], None]


class Connection(NamedTuple):
    """A connection. The inode distinguishes it from all others of the system; it is 0 if we have closed it already."""

    inode: int
    network: str  # an address, or the first 64 bits of IPv6: one client can have all of these. As the table writes it.
    is_behind: bool  # it has a backlog
    has_stopped: bool  # and the client has no room for it


class ConnectionLimits:
    """Closes connections beyond the bounds, and sends no more until they were looked at again."""

    def __init__(self, port: int, *, per_network: bool) -> None:
        """`per_network` is False if a proxy connects for all clients."""
        self.port, self.per_network = port, per_network
        self.known: list[int] = []  # the inodes of the last look, the oldest first
        self.blocked: set[str] = set()  # networks that have left too many responses unread
        self.room = BYTES_PER_LOOK
        self.held: dict[str, deque[tuple[int, Act]]] = {}  # by network, the next one first
        self.lock, self.is_due = Lock(), Event()

    def start(self) -> None:
        """Look at the connections from now on. Other systems than Linux can't: they send everything at once."""
        if not os.path.exists(TABLES[0]):
            self.room = sys.maxsize
            return
        Thread(target=self._run, name="connections", daemon=True).start()

    def send(self, address: str, size: int, act: Act, decline: Act) -> None:
        """Call `act`, which sends a response of this size to an address: now, or once there is room for it.

        Calls `decline` instead if too many responses wait for the network of the address.
        """
        if size < BACKLOG:
            act()
            return
        network = _network_of(address)
        if network in self.blocked:
            decline()
        elif size <= SEND_BUFFER:  # the system takes all of it
            self._count(size)
            act()
        elif self._hold(network, size, act):
            self._send_held()
        else:
            decline()

    def _count(self, size: int) -> None:
        with self.lock:
            self.room -= size
        if self.room <= 0:
            self.is_due.set()

    def _hold(self, network: str, size: int, act: Act) -> bool:
        """Add a response to those that wait. Returns False if its network has too many."""
        with self.lock:
            held = self.held.setdefault(network, deque())
            if self.per_network and len(held) >= MAX_HELD:
                return False
            held.append((size, act))
            return True

    def _send_held(self) -> None:
        """Send what there is room for, one of each network in turn. If something is left, the next look is due."""
        while self.held:
            with self.lock:
                if self.room <= 0 or not self.held:
                    break
                network, held = next(iter(self.held.items()))
                del self.held[network]
                size, act = held.popleft()
                if held:
                    self.held[network] = held
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
            except Exception:
                pause = PAUSE_AFTER_CLOSING
                log.exception("the connections could not be looked at")
            self.room = BYTES_PER_LOOK
            self._send_held()

    def look(self) -> float:
        """Close what is beyond the bounds. Returns the pause until the next look, in seconds."""
        if len(os.listdir(OPEN_FILES)) <= MAX_STOPPED_OF_NETWORK and self.room > 0:
            self.known.clear()
            self.blocked.clear()
            return 0
        rows = list(_connections(self.port))
        found = {one.inode: one for one in rows if one.inode}
        in_order = {inode: found[inode] for inode in self.known if inode in found} | found
        self.known = list(in_order)
        left = [one for one in rows if not one.inode and one.is_behind]
        self.blocked = (
            {one.network for one in _of_networks(left, MAX_STOPPED_OF_NETWORK)} if self.per_network else set()
        )
        beyond = self._beyond(list(in_order.values()))
        if beyond:
            log.warning("closed %d of %d connections of slow or too many clients", len(beyond), len(found))
            _close(beyond)
        if len(found) <= MAX_STOPPED_OF_NETWORK and not self.blocked:
            return 0
        return PAUSE_AFTER_CLOSING if beyond else PAUSE

    def _beyond(self, connections: list[Connection]) -> set[int]:
        """Return the inodes of the connections to close."""
        behind = [one for one in connections if one.is_behind]
        stopped = [one for one in behind if one.has_stopped]
        beyond = {*_of_all(stopped, MAX_STOPPED), *_of_all(behind, MAX_BEHIND)}
        if self.per_network:
            beyond.update(_of_networks(stopped, MAX_STOPPED_OF_NETWORK), _of_networks(behind, MAX_BEHIND_OF_NETWORK))
            beyond.update(_of_networks(connections, MAX_OF_NETWORK, MAX_CLOSED))
        return {one.inode for one in beyond}


def _of_all(connections: list[Connection], limit: int) -> Iterator[Connection]:
    """Yield the oldest of the network that has the most, until the limit is kept."""
    networks = _by_network(connections)
    for _ in range(len(connections) - limit):
        yield max(networks, key=len).pop(0)


def _of_networks(connections: list[Connection], limit: int, most: int | None = None) -> Iterator[Connection]:
    """Yield the oldest of each network beyond its limit, at most so many."""
    for of_network in _by_network(connections):
        yield from of_network[: max(0, len(of_network) - limit)][:most]


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
            _, local, remote, state, waiting, timer, _, _, _, inode, *_ = row.split()
            is_ours = state in (ESTABLISHED, CLOSE_WAIT) and inode != "0"  # otherwise it was not accepted yet
            if (is_ours or state in (FIN_WAIT1, LAST_ACK)) and local.endswith(ours):
                address = remote.partition(":")[0].removeprefix(MAPPED)
                is_behind = int(waiting.partition(":")[0], 16) >= BACKLOG
                yield Connection(int(inode), address[:16], is_behind, is_behind and timer.startswith(PROBING))


def _network_of(address: str) -> str:
    """Return the network of an address as the tables write it: each four bytes in the order of this machine."""
    known = client_address(address)
    if known is None:
        return ""
    words = struct.unpack(f"={len(known.packed) // 4}I", known.packed)
    return "".join(f"{word:08X}" for word in words)[:16]


def _close(inodes: Container[int]) -> None:
    """Close connections at once, without sending what waits in them."""
    for name in os.listdir(OPEN_FILES):
        with suppress(OSError):  # it was closed meanwhile
            if os.fstat(int(name)).st_ino in inodes:
                _reset(int(name), inodes)


def _reset(number: int, inodes: Container[int]) -> None:
    """Close the connection that has a descriptor, unless that is another one's by now. Raises OSError."""
    copy = os.dup(number)  # which stays the same
    found = os.fstat(copy)
    if not stat.S_ISSOCK(found.st_mode) or found.st_ino not in inodes:
        os.close(copy)
        return
    with socket.socket(fileno=copy) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
