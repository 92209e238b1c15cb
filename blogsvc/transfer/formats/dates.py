"""Parse dates in the many formats of exports."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from typing import Any

_WORDS_OF_MONTHS = ("%b %d, %Y", "%b %d %Y", "%B %d, %Y", "%B %d %Y", "%d %b %Y", "%d %B %Y", "%m/%d/%Y")
MAX_DATE_LENGTH = 100  # characters
# A date in numbers, also without zeros, as in 2020-1-5; and the year -1, which WordPress writes for zeros.
_NUMBERS, _NEGATIVE_YEAR = re.compile(r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?=[T ]|$)"), re.compile(r"\s-\d{4}\s")


def moment(value: object, zone: tzinfo) -> datetime | None:
    """Parse a date in one of many formats, None if it is invalid. Local times are in `zone`.

    A number is a Unix timestamp in seconds or, if larger than 10**11, in milliseconds, as in old exports of
    Ghost.
    """
    if isinstance(value, bool) or value is None:
        return None
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000 if abs(value) > 10**11 else value, UTC)
        if isinstance(value, datetime):
            return _aware(value, zone)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=zone).astimezone(UTC)
        return _read(str(value).strip(), zone)
    except (ValueError, OverflowError, OSError, TypeError):
        return None


def _read(text: str, zone: tzinfo) -> datetime | None:
    if not 0 < len(text) <= MAX_DATE_LENGTH or _NEGATIVE_YEAR.search(text):
        return None
    text = re.sub(r"(?<!\s)\s++UTC$", "Z", text)
    # Jekyll and Ruby write a space before the offset.
    text = re.sub(r"(?<=\d)\s+(?=[+-]\d\d:?\d\d$)", "", text)
    text = _NUMBERS.sub(lambda found: f"{found[1]}-{found[2]:0>2}-{found[3]:0>2}", text)
    text = re.sub(r"^(\d{4}-\d\d-\d\d[T ]\d):", r"\1:", re.sub(r"^(\d{4}-\d\d-\d\d[T ])(\d:)", r"\g<1>0\2", text))
    for read in (datetime.fromisoformat, parsedate_to_datetime, *map(_date_parser, _WORDS_OF_MONTHS)):
        try:
            return _aware(read(text), zone)
        except (ValueError, TypeError):
            continue
    return None


def _date_parser(form: str) -> Any:
    return lambda text: datetime.strptime(text, form)  # noqa: DTZ007 (made aware by who asks)


def _aware(at: datetime, zone: tzinfo) -> datetime:
    if at.year == 1:  # the date of Go for none
        raise ValueError
    at = at if at.tzinfo else at.replace(tzinfo=zone)
    return at.astimezone(UTC) - timedelta(microseconds=at.microsecond % 1000)
