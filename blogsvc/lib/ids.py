"""Ids that say what they name and sort by creation: `post_01jd8qk...`, a prefix and a lowercase ULID."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from secrets import randbits
from time import time_ns

from ulid import ULID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Where the standard has 80 random bits, ours begin with a count: ids of one moment sort as they were made,
# whatever other moments ids are made for in between. What is left is random enough for many processes.
_made = count(1)
_COUNT_BITS, _RANDOM_BITS = 32, 48


def new_id(prefix: str, now: datetime | None = None) -> str:
    """A fresh id; those of one process and one `now` sort as they were made."""
    # Whole milliseconds by integers: floats would put some instants a millisecond early.
    at = time_ns() // 1_000_000 if now is None else (now - _EPOCH) // timedelta(milliseconds=1)
    rest = (next(_made) % 2**_COUNT_BITS) << _RANDOM_BITS | randbits(_RANDOM_BITS)
    ulid = ULID.from_bytes(at.to_bytes(6, "big") + rest.to_bytes(10, "big"))
    return f"{prefix}_{str(ulid).lower()}"


def made_at(text: str) -> datetime | None:
    """When an id of ours was made, to the millisecond; None of what is none."""
    try:
        return ULID.from_str(text.rpartition("_")[2].upper()).datetime
    except ValueError:
        return None
