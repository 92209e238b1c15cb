"""TIDs, the record keys of the AT Protocol: timestamps in 13 sortable characters."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from datetime import UTC, datetime, timedelta

_DIGITS = "234567abcdefghijklmnopqrstuvwxyz"
_TID = re.compile(f"[{_DIGITS[:16]}][{_DIGITS}]{{12}}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CLOCK_BITS = 10
# TIDs made from a text use timestamps from 2000 to 2022, which no real record has.
_OF_TEXTS = (946_684_800_000_000, 700_000_000_000_000)  # microseconds: the start, and the length


def mint() -> str:
    """Return a new TID for the current time."""
    return _encode(time.time_ns() // 1000, secrets.randbits(_CLOCK_BITS))


def of(text: str) -> str:
    """Return the TID of a text, always the same one for the same text."""
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
    first, span = _OF_TEXTS
    return _encode(first + (number >> _CLOCK_BITS) % span, number % 2**_CLOCK_BITS)


def is_one(text: str) -> bool:
    return _TID.fullmatch(text) is not None


def moment(tid: str) -> datetime:
    """Return the time of a TID. Raises ValueError if it is malformed."""
    if not is_one(tid):
        raise ValueError(f"{tid[:20]!r} is no TID.")
    number = 0
    for digit in tid:
        number = number << 5 | _DIGITS.index(digit)
    return _EPOCH + timedelta(microseconds=number >> _CLOCK_BITS)


def _encode(microseconds: int, clock: int) -> str:
    number = microseconds << _CLOCK_BITS | clock
    return "".join(_DIGITS[number >> shift & 31] for shift in range(60, -1, -5))
