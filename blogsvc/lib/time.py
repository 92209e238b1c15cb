"""Instants, zones and wall times: aware UTC inside, RFC 3339 outside, PEP 495 in between."""

import re
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)


class UnknownZone(ValueError):
    """No such time zone; `matches` are names that come near."""

    def __init__(self, name: str, matches: list[str]) -> None:
        self.matches = matches
        hint = f"did you mean {' or '.join(matches)}?" if matches else "write one such as Europe/Berlin."
        super().__init__(f"{name[:64]!r} is not a time zone: {hint}")


class UnclearTime(ValueError):
    """A wall time that is not one instant; `earlier` and `later` (aware UTC) are what it may mean."""

    happened = ""
    # What `fold` is for the earlier of the two, and for the later.
    folds = (0, 1)

    def __init__(self, local: datetime, zone_name: str, earlier: datetime, later: datetime) -> None:
        self.local, self.zone_name, self.earlier, self.later = local, zone_name, earlier, later
        walls = " or ".join(f"{wall(at, zone_name).isoformat()} ({stamp(at)})" for at in (earlier, later))
        super().__init__(f"{local.isoformat()} {self.happened} in {zone_name}; choose {walls}.")


class SkippedTime(UnclearTime):
    """The clocks jump over this wall time. PEP 495: fold 0 means `later`, fold 1 means `earlier`."""

    happened = "does not exist"
    folds = (1, 0)


class RepeatedTime(UnclearTime):
    """The clocks show this wall time twice. PEP 495: fold 0 means `earlier`, fold 1 means `later`."""

    happened = "happens twice"


def utc_now() -> datetime:
    """The present instant, aware."""
    return datetime.now(UTC)


def parse(text: str) -> datetime:
    """The instant that an RFC 3339 text names, in UTC; ValueError unless it has seconds and an offset."""
    try:
        if not _RFC_3339.fullmatch(text):
            raise ValueError(text)
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            f"{text[:64]!r} is not a time: write it as 2026-11-21T09:00:00Z or 2026-11-21T10:00:00+01:00."
        ) from None


def stamp(at: datetime) -> str:
    """`at` as RFC 3339 in UTC with Z, with milliseconds only where there are any."""
    if at.tzinfo is None:
        raise ValueError("A time without an offset names no instant.")
    precision = "milliseconds" if at.microsecond >= 1000 else "seconds"
    return at.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def zone(name: str) -> ZoneInfo:
    """The IANA zone of that name; UnknownZone with suggestions where there is none."""
    # Looked up in a set first: ZoneInfo takes a path, and answers "Europe" with IsADirectoryError.
    if name not in _zone_names():
        raise UnknownZone(name, _near(name))
    return ZoneInfo(name)


def zone_names() -> list[str]:
    """The names to choose a zone from, sorted: UTC, and those that name a region and a place."""
    old = ("Etc/", "US/", "Canada/", "Brazil/", "Mexico/", "Chile/", "SystemV/")
    return ["UTC", *sorted(name for name in _zone_names() if "/" in name and not name.startswith(old))]


def resolve(local: datetime, zone_name: str, fold: int | None = None) -> datetime:
    """The instant (UTC) at which clocks in the zone show the naive `local`.

    Where a change of the clocks skips or repeats it, SkippedTime or RepeatedTime is raised unless `fold`
    says which is meant, as in PEP 495: 0 reads it by the offset before the change, 1 by the one after.
    So a repeated time is the earlier instant with 0 and the later with 1; a skipped time moves on past
    the gap with 0 and back before it with 1.
    """
    if local.tzinfo is not None:
        raise ValueError("A wall time has no offset of its own: the zone gives it one.")
    if fold not in (None, 0, 1):
        raise ValueError("fold is 0 or 1.")
    before, after = (_read(local, zone(zone_name), side) for side in (0, 1))
    if fold is not None:
        return after if fold else before
    if before < after:
        raise RepeatedTime(local, zone_name, before, after)
    if before > after:
        raise SkippedTime(local, zone_name, after, before)
    return before


def wall(at: datetime, zone_name: str) -> datetime:
    """What clocks in the zone show at the aware instant `at`: naive, its `fold` 1 in a repeated hour."""
    return at.astimezone(zone(zone_name)).replace(tzinfo=None)


def utc_offset(at: datetime, zone_name: str) -> str:
    """How far clocks in the zone are from UTC at the aware instant `at`: UTC, UTC+1, UTC−3:30."""
    minutes = (at.astimezone(zone(zone_name)).utcoffset() or timedelta()) // timedelta(minutes=1)
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'−' if minutes < 0 else '+'}{hours}{f':{rest:02}' if rest else ''}" if minutes else "UTC"


def _read(local: datetime, tz: ZoneInfo, fold: int) -> datetime:
    try:
        return local.replace(tzinfo=tz, fold=fold).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{local.isoformat()} is outside of the calendar.") from None


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones())


def _near(name: str) -> list[str]:
    """Up to three names of zones, like `name` as a whole or in their last part (the city)."""
    wanted = name.lower().replace(" ", "_")[:64]
    spelled = {full.lower(): full for full in sorted(_zone_names())}
    cities = {key.rpartition("/")[2]: full for key, full in spelled.items() if "/" in full}
    candidates = cities | spelled
    found = (candidates[key] for key in get_close_matches(wanted, candidates, n=6, cutoff=0.75))
    return list(dict.fromkeys(found))[:3]
