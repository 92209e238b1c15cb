"""Ids with a type prefix that sort by creation time: `post_01jd8qk...`, a lowercase ULID."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from os import register_at_fork, urandom
from time import time_ns

from ulid import ULID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The 80 random bits of a ULID start with a counter, so that ids of the same millisecond sort by creation, too.
# The remaining 48 bits are enough to keep several processes apart.
_made = count(1)
_COUNT_BITS, _RANDOM_BITS = 32, 48

# How many times random bits are fetched at once. A forked process must not use those of its parent.
FETCHED = 256
_random_parts: list[bytes] = []
register_at_fork(after_in_child=_random_parts.clear)

CROCKFORD_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"  # base 32
_PAIRS = [first + second for first in CROCKFORD_DIGITS for second in CROCKFORD_DIGITS]


def new_id(prefix: str, now: datetime | None = None) -> str:
    """Return a new id. Ids of one process with the same `now` sort by creation. A time before 1970 counts as 1970."""
    # Integer arithmetic, because floats would put some instants a millisecond early.
    at = time_ns() // 1_000_000 if now is None else max(0, (now - _EPOCH) // timedelta(milliseconds=1))
    rest = (next(_made) % 2**_COUNT_BITS) << _RANDOM_BITS | _random()
    return f"{prefix}_{_ulid(at << _COUNT_BITS + _RANDOM_BITS | rest)}"


def _ulid(number: int) -> str:
    """Return a ULID in lower case: 128 bits in base 32. Two digits at a time, which is faster than the library."""
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(120, -1, -10)])


def _random() -> int:
    """Return random bits of the system. Many are fetched at once, because a system call gives other threads a turn."""
    size = _RANDOM_BITS // 8
    try:
        return int.from_bytes(_random_parts.pop(), "big")
    except IndexError:
        fetched = urandom(size * FETCHED)
        _random_parts.extend(fetched[start : start + size] for start in range(0, len(fetched), size))
        return int.from_bytes(urandom(size), "big")


def made_at(text: str) -> datetime | None:
    """Return the creation time of an id, to the millisecond; None if it is malformed."""
    try:
        return ULID.from_str(text.rpartition("_")[2].upper()).datetime
    except ValueError:
        return None
