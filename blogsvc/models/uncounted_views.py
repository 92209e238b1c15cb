"""Page views that were not counted, and why, for `blogsvc doctor`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from blogsvc.lib.time import parse, stamp
from blogsvc.models.setting import Setting

# The limit of a visitor or network, or the ceiling of the table.
Reason = Literal["limit", "ceiling"]
SHOWN_FOR = timedelta(days=1)


class UncountedViews(NamedTuple):
    since: datetime
    last: datetime
    views: int


def uncounted_views(reason: Reason, now: datetime) -> UncountedViews | None:
    """Return the views that were not counted, if the last of them was in the last day."""
    stored = Setting.read("uncounted_views").get(reason)
    if stored is None or now - parse(stored["last"]) > SHOWN_FOR:
        return None
    return UncountedViews(parse(stored["since"]), parse(stored["last"]), stored["views"])


def note_uncounted(reason: Reason, views: int, at: datetime) -> bool:
    """Remember views that were not counted. Returns False if there were others in the last day."""
    known = uncounted_views(reason, at)
    since, earlier = (known.since, known.views) if known else (at, 0)
    noted = {"since": stamp(since), "last": stamp(at), "views": earlier + views}
    Setting.write("uncounted_views", Setting.read("uncounted_views") | {reason: noted})
    return known is None
