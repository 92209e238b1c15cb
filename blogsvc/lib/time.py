"""Time: UTC datetimes internally, RFC 3339 in text, and local times with PEP 495 folds."""

import re
import time
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo, available_timezones

ONE_YEAR_SECONDS = 31_536_000

# RFC 3339, and what else ISO 8601 allows for an instant: no seconds, no separators, a short offset.
_INSTANT = re.compile(
    r"\d{4}(?:-\d\d-\d\d|\d{4})[Tt ]\d\d(?::\d\d(?::\d\d(?:[.,]\d+)?)?|\d\d(?:\d\d(?:[.,]\d+)?)?)"
    r"(?:[Zz]|[+-]\d\d(?::?\d\d)?)",
    re.ASCII,
)


class UnknownZone(ValueError):
    """Raised for an unknown time zone. `matches` are similar names."""

    def __init__(self, name: str, matches: list[str]) -> None:
        self.matches = matches
        hint = f"did you mean {' or '.join(matches)}?" if matches else "Use a name such as Europe/Berlin."
        super().__init__(f"{name[:64]!r} is not a time zone: {hint}")


class UnclearTime(ValueError):
    """A local time that a clock change skips or repeats. `earlier` and `later` are its two readings, in UTC."""

    happened = ""
    # The `fold` of the earlier and of the later reading.
    folds = (0, 1)

    def __init__(self, local: datetime, zone_name: str, earlier: datetime, later: datetime) -> None:
        self.local, self.zone_name, self.earlier, self.later = local, zone_name, earlier, later
        walls = " or ".join(f"{wall(at, zone_name).isoformat()} ({stamp(at)})" for at in (earlier, later))
        super().__init__(f"{local.isoformat()} {self.happened} in {zone_name}; choose {walls}.")


class SkippedTime(UnclearTime):
    """A local time that a clock change skips. By PEP 495, fold 0 means `later` and fold 1 `earlier`."""

    happened = "does not exist"
    folds = (1, 0)


class RepeatedTime(UnclearTime):
    """A local time that a clock change repeats. By PEP 495, fold 0 means `earlier` and fold 1 `later`."""

    happened = "happens twice"


def utc_now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)


def steady_seconds() -> float:
    """Return the seconds of a clock that nobody can set. On Linux, it also runs while the machine sleeps."""
    boot_time = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot_time is None else time.clock_gettime(boot_time)


def parse(text: str) -> datetime:
    """Parse an instant in RFC 3339 or ISO 8601, such as 20261121T0900Z, and return it in UTC.

    Raises ValueError if it has no offset.
    """
    try:
        if not _INSTANT.fullmatch(text):
            raise ValueError(text)
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            f"{text[:64]!r} is not a valid time. Use a format like 2026-11-21T09:00:00Z or 2026-11-21T10:00:00+01:00."
        ) from None


def stamp(at: datetime) -> str:
    """Format a time as RFC 3339 in UTC with "Z" and always three fractional digits, so that texts sort as times."""
    if at.tzinfo is None:
        raise ValueError("The time needs a UTC offset.")
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def zone(name: str) -> ZoneInfo:
    """Return the IANA time zone with this name. Raises UnknownZone with suggestions."""
    # Check the name first: ZoneInfo reads it as a path, and raises IsADirectoryError for "Europe".
    if name not in _zone_names():
        raise UnknownZone(name, _similar_zones(name))
    return ZoneInfo(name)


@cache
def zone_names() -> tuple[str, ...]:
    """Return the names of time zones to choose from: UTC, and regions with a city, sorted.

    Former spellings, such as Asia/Calcutta, are not among them. The source is `zone.tab` of the time zone database.
    """
    rows = resources.files("tzdata").joinpath("zoneinfo", "zone.tab").read_text("utf-8").splitlines()
    listed = {row.split("\t")[2] for row in rows if row and not row.startswith("#")}
    return ("UTC", *sorted(listed & _zone_names()))


def resolve(local: datetime, zone_name: str, fold: int | None = None) -> datetime:
    """Return the instant (UTC) of the naive local time `local` in a time zone.

    If a clock change skips or repeats the local time, raises SkippedTime or RepeatedTime unless `fold` is
    given. As in PEP 495, fold 0 uses the offset before the change and fold 1 the offset after it. So for a
    repeated time, fold 0 is the earlier and fold 1 the later instant; for a skipped time, fold 0 is after the
    gap and fold 1 before it.
    """
    if local.tzinfo is not None:
        raise ValueError("A wall time has no offset of its own: the zone gives it one.")
    if fold not in (None, 0, 1):
        raise ValueError("fold is 0 or 1.")
    before, after = readings(local, zone_name)
    if fold is not None:
        return after if fold else before
    if before < after:
        raise RepeatedTime(local, zone_name, before, after)
    if before > after:
        raise SkippedTime(local, zone_name, after, before)
    return before


def readings(local: datetime, zone_name: str) -> tuple[datetime, datetime]:
    """Return the instants of a naive local time with fold 0 and 1. They differ only at a clock change."""
    tz = zone(zone_name)
    return _instant(local, tz, 0), _instant(local, tz, 1)


def wall(at: datetime, zone_name: str) -> datetime:
    """Return the local time at an instant, naive, with `fold` 1 in the second of two repeated hours."""
    return at.astimezone(zone(zone_name)).replace(tzinfo=None)


def utc_offset(at: datetime, zone_name: str) -> str:
    """Return the UTC offset of a time zone at an instant: UTC, UTC+1, UTC−3:30."""
    minutes = (at.astimezone(zone(zone_name)).utcoffset() or timedelta()) // timedelta(minutes=1)
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'−' if minutes < 0 else '+'}{hours}{f':{rest:02}' if rest else ''}" if minutes else "UTC"


def _instant(local: datetime, tz: ZoneInfo, fold: int) -> datetime:
    try:
        return local.replace(tzinfo=tz, fold=fold).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{local.isoformat()} is outside of the calendar.") from None


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones())


def _similar_zones(name: str) -> list[str]:
    """Return up to three time zones with a similar name or city."""
    typed = name.lower().replace(" ", "_")[:64]
    spelled = {full.lower(): full for full in sorted(_zone_names())}
    cities = {key.rpartition("/")[2]: full for key, full in spelled.items() if "/" in full}
    candidates = cities | spelled
    found = (candidates[key] for key in get_close_matches(typed, candidates, n=6, cutoff=0.75))
    return list(dict.fromkeys(found))[:3]
