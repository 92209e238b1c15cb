"""The handler that writes the log: lines of requests together, all others at once."""

from __future__ import annotations

import logging
from collections import deque
from threading import Event, Thread
from time import sleep
from typing import TextIO

# How long lines of requests are gathered, in seconds. If the process is killed, this much of the log is lost.
PAUSE = 0.02


class GatheringHandler(logging.StreamHandler[TextIO]):
    """Writes the records of one logger in a thread of its own, and the records of all others at once.

    With many short requests, a write for each line would take longer than the request: a write releases the GIL, and
    the thread must wait to get it back. The order of all lines is kept.
    """

    def __init__(self, stream: TextIO, gathered: str) -> None:
        super().__init__(stream)
        self._gathered = gathered
        self._waiting: deque[logging.LogRecord] = deque()
        self._is_wanted = Event()
        self._writer: Thread | None = None

    def handle(self, record: logging.LogRecord) -> bool:
        if record.name != self._gathered:
            return bool(super().handle(record))
        self._waiting.append(record)
        if not self._is_wanted.is_set():
            self._is_wanted.set()
            if self._writer is None:
                self._start()
        return True

    def emit(self, record: logging.LogRecord) -> None:
        self._write_waiting()
        super().emit(record)

    def flush(self) -> None:
        self.acquire()
        try:
            self._write_waiting()
            super().flush()
        finally:
            self.release()

    def _start(self) -> None:
        self.acquire()
        try:
            if self._writer is None:
                self._writer = Thread(target=self._write_again_and_again, name="log", daemon=True)
                self._writer.start()
        finally:
            self.release()

    def _write_again_and_again(self) -> None:
        while self._is_wanted.wait():
            sleep(PAUSE)
            self._is_wanted.clear()
            self.flush()

    def _write_waiting(self) -> None:
        """Write the gathered records. Call it with the lock."""
        records = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if not records:
            return
        try:
            self.stream.write("".join([self.format(record) + self.terminator for record in records]))
        except Exception:
            self.handleError(records[-1])
