"""A proxy between us and a database server that can cut the connection at any time, or at a given word."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock, Thread
from typing import Self

MOST = 65536


class Wire:
    """A proxy on loopback. `wire.port` is the port that stands for the server.

    wire.cut(); wire.mend()
    wire.cut_at(b"COMMIT\\0")                 # the server never receives it
    wire.cut_at(b"COMMIT\\0", is_heard=True)   # it does, and its response is lost
    wire.cut_at(b"COMMIT\\0", is_for_all=True) # the server is away from then on
    wire.cut_after(b"COMMIT\\0")              # its response arrives; the server is away when it is asked next
    """

    def __init__(self, host: str, port: int) -> None:
        self.server = (host, port)
        self.is_whole = True
        self._trap: tuple[bytes, bool, bool] | None = None
        self._trap_after: bytes | None = None
        self._ends: set[socket.socket] = set()
        self._lock = Lock()

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = Thread(target=self._accept, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.cut()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)

    def cut(self) -> None:
        """Close and refuse all connections until `mend`."""
        self.is_whole = False
        with self._lock:
            ends, self._ends = self._ends, set()
        for end in ends:
            _close(end)

    def mend(self) -> None:
        self.is_whole = True

    def cut_at(self, word: bytes, *, is_heard: bool = False, is_for_all: bool = False) -> None:
        """Cut the connection on which this is sent next. Other and new ones continue, or (`is_for_all`) are cut too."""
        self._trap = (word, is_heard, is_for_all)

    def cut_after(self, word: bytes) -> None:
        """Cut all connections at what is sent next after this."""
        self._trap_after = word

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                ours, _ = self._listener.accept()
                if not self.is_whole:
                    ours.close()
                    continue
                theirs = socket.create_connection(self.server)
                with self._lock:
                    self._ends |= {ours, theirs}
                for work in (self._say, self._answer):
                    Thread(target=work, args=(ours, theirs), daemon=True).start()

    def _say(self, ours: socket.socket, theirs: socket.socket) -> None:
        with suppress(OSError):
            while said := ours.recv(MOST):
                if self._trap is not None and self._trap[0] in said:
                    (_, is_heard, is_for_all), self._trap = self._trap, None
                    if is_for_all:
                        self.cut()
                    _close(ours)
                    if is_heard:
                        theirs.sendall(said)
                    break
                if self._trap_after is not None and self._trap_after in said:
                    self._trap, self._trap_after = (b"", False, True), None
                theirs.sendall(said)
            theirs.shutdown(socket.SHUT_WR)  # sent data is still received; then the server closes the connection

    def _answer(self, ours: socket.socket, theirs: socket.socket) -> None:
        with suppress(OSError):
            while answer := theirs.recv(MOST):
                with suppress(OSError):  # nobody is connected any more
                    ours.sendall(answer)
        _close(ours)
        _close(theirs)


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
