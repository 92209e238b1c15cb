"""What became of each attempt."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Callable

logger = logging.getLogger("blogsvc_client")


@dataclass(frozen=True)
class LogEntry:
    """One attempt to send a request. It never holds a header or a body, so neither a key nor words of a post."""

    method: str
    path: str
    """With its query."""
    attempt: int
    """From 1."""
    status: int | None
    error: str | None
    """The class of the error, where no answer came."""
    milliseconds: int
    request_id: str | None
    retry_in: float | None
    """Seconds until it is tried again, or None where it is not."""

    def __str__(self) -> str:
        outcome = self.error or self.status
        again = "" if self.retry_in is None else f", again in {self.retry_in:.2f} s"
        return f"{self.method} {self.path} attempt {self.attempt}: {outcome} in {self.milliseconds} ms{again}"


Log = Callable[[LogEntry], object]


def tell(log: Log | None, entry: LogEntry) -> None:
    """Tell of an attempt: the logger `blogsvc_client` at DEBUG, and `log`, where there is one."""
    logger.debug("%s", entry)
    if log:
        log(entry)
