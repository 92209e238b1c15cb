"""Parse dates in the many formats of exports."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

_FORMS = ("%b %d %Y", "%B %d %Y", "%d %b %Y", "%d %B %Y", "%Y %b %d", "%Y %B %d", "%m/%d/%Y", "%d.%m.%Y", "%Y-%m-%d")
MAX_DATE_LENGTH = 100  # characters
# A date in numbers, also without zeros, as in 2020-1-5; and the year -1, which WordPress writes for zeros.
_NUMBERS, _NEGATIVE_YEAR = re.compile(r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?=[T ]|$)"), re.compile(r"\s-\d{4}\s")
_TIME = re.compile(r"(?<!\d)(\d{1,2})(?::(\d\d))?(?::(\d\d)(?:\.\d{1,9}+)?)?\s?(?:([ap])\.?m\b\.?)?", re.IGNORECASE)
_ZONE = re.compile(r"(?<=[\d.m])\s*([A-Z]{3,4}|[A-Z][A-Za-z]{2,20}/[\w/+-]{2,40})$")
# What is beside the parts of a date in words: the day of the week, "at", commas, the endings of "5th" and "Jan.".
_BESIDE = re.compile(
    r"^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?|\bat\b|\bof\b|,|(?<=\d)(?:st|nd|rd|th)\b"
    r"|(?<=[a-z])\.",
    re.IGNORECASE,
)
_OFFSETS = {"UTC": 0, "GMT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}
_OFFSETS |= {"WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "JST": 9, "KST": 9}
_OFFSETS |= {"AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13}


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
    except (ValueError, OverflowError, OSError, TypeError, KeyError):
        return None


def _read(text: str, zone: tzinfo) -> datetime | None:
    if not 0 < len(text) <= MAX_DATE_LENGTH or _NEGATIVE_YEAR.search(text):
        return None
    text = re.sub(r"(?<!\s)\s++UTC$", "Z", text)
    text = re.sub(r"(?<=\d)\s++GMT([+-]\d{4})(?:\s++\([^()]{1,60}\))?$", r" \1", text)  # JavaScript
    # Jekyll and Ruby write a space before the offset.
    text = re.sub(r"(?<=\d)\s+(?=[+-]\d\d:?\d\d$)", "", text)
    text = _NUMBERS.sub(lambda found: f"{found[1]}-{found[2]:0>2}-{found[3]:0>2}", text)
    text = re.sub(r"^(\d{4}-\d\d-\d\d[T ]\d):", r"\1:", re.sub(r"^(\d{4}-\d\d-\d\d[T ])(\d:)", r"\g<1>0\2", text))
    for read in (datetime.fromisoformat, _read_words, parsedate_to_datetime):
        try:
            return _aware(read(text), zone)
        except (ValueError, TypeError):
            continue
    return None


def _read_words(text: str) -> datetime:
    """Read a date in words or in the order of a country, and what may follow it: a time and a zone."""
    zone: tzinfo | None = None
    if (named := _ZONE.search(text)) and named[1].upper() not in ("AM", "PM"):
        hours = _OFFSETS.get(named[1])
        zone = ZoneInfo(named[1]) if hours is None else timezone(timedelta(hours=hours))
        text = text[: named.start()]
    clock = time()
    if found := next((one for one in _TIME.finditer(text) if one[2] or one[4]), None):
        hour = int(found[1])
        if found[4]:
            if not 1 <= hour <= 12:
                raise ValueError(text)
            hour = hour % 12 + (12 if found[4] in "pP" else 0)
        clock = time(hour, int(found[2] or 0), int(found[3] or 0), tzinfo=zone)
        text = f"{text[: found.start()]} {text[found.end() :]}"
    day = " ".join(_BESIDE.sub(" ", text.strip()).split()).removesuffix("T")
    for form in _FORMS:
        with suppress(ValueError):
            return datetime.combine(datetime.strptime(day, form), clock, zone)  # noqa: DTZ007 (made aware by who asks)
    raise ValueError(text)


def _aware(at: datetime, zone: tzinfo) -> datetime:
    if at.year == 1:  # the date of Go for none
        raise ValueError
    at = at if at.tzinfo else at.replace(tzinfo=zone)
    return at.astimezone(UTC) - timedelta(microseconds=at.microsecond % 1000)
