"""Notice that the system time was set, or is wrong: compare it with a clock that can't be set, and with other servers.

The clock that can't be set runs from the start of the machine (CLOCK_BOOTTIME), so readings of it can be compared only
within one boot. A boot has an id.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache
from math import inf
from pathlib import Path
from secrets import token_hex
from threading import Lock

from blogsvc.lib.net.ip_rules import is_loopback
from blogsvc.lib.time import steady_seconds

# A smaller difference is an ordinary correction.
MIN_LEAP = timedelta(minutes=1)
MAX_SERVERS = 16
# How often servers are asked for the time, in seconds.
ASK_AGAIN = 600.0
# What an id begins with that is not one of the system.
OF_PROCESS = "process-"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_TIME_ERROR = 5  # the result of adjtimex(2) for a clock that is not synchronised


@cache
def boot_id() -> str:
    """Return the id of the running system, which changes when the machine starts. Without one, of this process."""
    with suppress(OSError):
        return _BOOT_ID.read_text("ascii").strip()
    return f"{OF_PROCESS}{token_hex(8)}"


def is_synchronised() -> bool | None:
    """Return False if the system says that its time is not synchronised (adjtimex(2)); None if it doesn't say."""
    if sys.platform != "linux":
        return None
    with suppress(AttributeError, OSError):
        status = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.create_string_buffer(1024))
        return None if status < 0 else bool(status != _TIME_ERROR)
    return None


@dataclass(frozen=True)
class Reading:
    """The system time and the seconds of the clock that can't be set, read at the same moment of one boot."""

    boot: str
    at: datetime
    seconds: float

    def leap_until(self, later: Reading) -> timedelta:
        """Return how far the system time was set ahead between two readings of one boot; negative for back."""
        return (later.at - self.at) - timedelta(seconds=later.seconds - self.seconds)


@dataclass(eq=False)
class ServerDates:
    """What other servers say the time is: the `Date` of their last responses (RFC 9110, section 6.6.1). Thread-safe.

    It is kept beside the clock that can't be set, so that it stays right when the system time is set.
    """

    steady: Callable[[], float] = steady_seconds
    # For each host, the time that it said, and the seconds of `steady` at that moment.
    said: dict[str, tuple[datetime, float]] = field(default_factory=dict)
    asked_at: float = -inf
    _lock: Lock = field(default_factory=Lock, repr=False)

    def note(self, host: str, date: str | None) -> None:
        """Note the `Date` of a response. Servers of this machine have its clock, so theirs are ignored."""
        if date is None or is_loopback(host):
            return
        with suppress(ValueError, TypeError, OverflowError):
            self.add({host: (parsedate_to_datetime(date).astimezone(UTC), self.steady())})

    def add(self, said: Mapping[str, tuple[datetime, float]]) -> None:
        """Add what other processes noted in the same boot. The newer time of a host counts."""
        with self._lock:
            newest = sorted([*said.items(), *self.said.items()], key=lambda one: one[1][1])[-2 * MAX_SERVERS :]
            self.said = dict(list(dict(newest).items())[-MAX_SERVERS:])

    def ahead(self, now: datetime) -> timedelta | None:
        """Return how far the system time `now` is ahead of the other servers; negative if it is behind.

        The server that agrees best counts, because a response from a cache has an old date, and some servers are wrong.
        None if no server said the time in this boot.
        """
        seconds = self.steady()
        with self._lock:
            said = list(self.said.values())
        return min((now - date - timedelta(seconds=seconds - at) for date, at in said), key=abs, default=None)

    def is_time_to_ask(self) -> bool:
        """Return False if servers were asked for the time a short while ago."""
        return self.steady() - self.asked_at > ASK_AGAIN
