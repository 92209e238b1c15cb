"""Logging of every attempt to send a request."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Callable

logger = logging.getLogger("blogsvc_client")


@dataclass(frozen=True)
class LogEntry:
    """One attempt to send a request. Contains no headers and no body, so neither the API key nor post content."""

    method: str
    path: str
    """The path with its query."""
    attempt: int
    """The number of the attempt, starting at 1."""
    status: int | None
    """The HTTP status, or None if there was no response."""
    error: str | None
    """The class name of the error if there was no response."""
    milliseconds: int
    """The duration of the attempt."""
    request_id: str | None
    retry_in: float | None
    """Seconds until the retry, or None if there is none."""

    def __str__(self) -> str:
        outcome = self.error or self.status
        retry = "" if self.retry_in is None else f", retry in {self.retry_in:.2f} s"
        return f"{self.method} {self.path} attempt {self.attempt}: {outcome} in {self.milliseconds} ms{retry}"


Log = Callable[[LogEntry], object]


def log_attempt(log: Log | None, entry: LogEntry) -> None:
    """Log an attempt to the logger `blogsvc_client` at DEBUG and to `log`, if given."""
    logger.debug("%s", entry)
    if log:
        log(entry)
