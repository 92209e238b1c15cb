"""A blog with very many page views and deliveries, inserted directly."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, delete, insert, inspect, select, text

from blogsvc.models import (
    Attempt,
    Delivery,
    PageView,
    ReferrerDay,
    Setting,
    ViewDay,
    ViewHour,
)
from blogsvc.models.view_rollup import DAY, RollupProgress, day_start
from tests.bench import million
from tests.bench.servers import Place
from tests.databases import another

POSTS = 500  # with views
DAYS = 365  # with views
DAYS_OF_VIEWS = 90  # for which single views and hours are stored
HOSTS = 30  # that readers come from
DESTINATIONS = 10
BATCH = 20_000
ROLLUP_SECONDS = 60


def fill(place: Place, views: int, now: datetime) -> None:
    """Insert this many views, the same number each day: rolled up until yesterday, and the single views of today."""
    today = day_start(now)
    million.fill(place, POSTS)
    per_hour = max(1, views // (DAYS * POSTS * 24))
    per_day = views // (DAYS * POSTS)
    posts = [million.id_of(number) for number in range(POSTS)]
    with another(place.rows_url, writes=True) as rows:
        for days in range(1, DAYS):
            start = today - days * DAY
            total = [(None, POSTS), *((post_id, 1) for post_id in posts)]
            counts = [(post_id, {"views": per_day * n, "visitors": per_day * n // 2}) for post_id, n in total]
            rows.execute(insert(ViewDay), [{"day": start.date(), "post_id": id, **each} for id, each in counts])
            hosts = [{"day": start.date(), "host": f"host-{n}.example", "views": n + 1} for n in range(HOSTS)]
            rows.execute(insert(ReferrerDay), [{"post_id": None, **host} for host in hosts])
            rows.execute(insert(ReferrerDay), [{"post_id": id, **host} for id in posts for host in hosts[:3]])
            if days < DAYS_OF_VIEWS:
                for hour in range(24):
                    counts = [(id, {"views": per_hour * n, "visitors": per_hour * n // 2}) for id, n in total]
                    at = start + timedelta(hours=hour)
                    rows.execute(insert(ViewHour), [{"hour": at, "post_id": id, **each} for id, each in counts])
    for days in range(DAYS_OF_VIEWS):
        _add_views(place, posts, per_day, today - days * DAY, min(now, today - (days - 1) * DAY))
    with another(place.rows_url, writes=True) as rows:
        _add_months(rows)
        _set_progress(rows, today)
        million.analyze(rows)


def add_readers(place: Place, posts: int, now: datetime) -> None:
    """Let each of so many posts be read, `POSTS` of them each day, rolled up until yesterday."""
    today = day_start(now)
    turns = posts // POSTS
    with another(place.rows_url, writes=True) as rows:
        for days in range(1, DAYS_OF_VIEWS):
            start = today - days * DAY
            read = [million.id_of(number) for number in range(days % turns, posts, turns)]
            counts = [{"post_id": post_id, "views": 4, "visitors": 2} for post_id in read]
            counts.append({"post_id": None, "views": 4 * POSTS, "visitors": 2 * POSTS})
            rows.execute(insert(ViewDay), [{"day": start.date(), **count} for count in counts])
            rows.execute(insert(ViewHour), [{"hour": start + timedelta(hours=12), **count} for count in counts])
            hosts = [{"day": start.date(), "host": f"host-{n}.example", "views": n + 1} for n in range(HOSTS)]
            rows.execute(insert(ReferrerDay), [{"post_id": None, **host} for host in hosts])
            rows.execute(insert(ReferrerDay), [{"post_id": id, **hosts[0]} for id in read])
        _add_months(rows)
        _set_progress(rows, today)
        million.analyze(rows)


def _set_progress(rows: Connection, today: datetime) -> None:
    progress = {"since": (today - DAYS_OF_VIEWS * DAY).isoformat(), "until": today.isoformat()}
    assert RollupProgress.__dataclass_fields__.keys() >= progress.keys()
    rows.execute(delete(Setting).where(Setting.name == "view_rollups"))
    rows.execute(insert(Setting).values(name="view_rollups", value=progress))


def _add_months(rows: Connection) -> None:
    """Insert the roll-ups by month, which older commits do not have, from those by day."""
    month = "substr(day, 1, 8) || '01'" if rows.dialect.name == "sqlite" else "CAST(date_trunc('month', day) AS DATE)"
    tables = (("view_month", "view_day", "post_id", "views, visitors", "sum(views), sum(visitors)"),)
    tables += (("referrer_month", "referrer_day", "post_id, host", "views", "sum(views)"),)
    for to, source, keys, columns, sums in tables:
        if inspect(rows).has_table(to):
            days = f"SELECT {month}, {keys}, {sums} FROM {source} GROUP BY {month}, {keys}"
            rows.execute(text(f"INSERT INTO {to} (month, {keys}, {columns}) {days}"))


def _add_views(place: Place, posts: list[str], per_day: int, start: datetime, end: datetime) -> None:
    """Insert the single views of one day."""
    chance = random.Random(start.toordinal())
    views = [
        {
            "post_id": post_id,
            "viewed_at": start + chance.random() * (end - start),
            "visitor": start.toordinal().to_bytes(4) + chance.randrange(per_day * POSTS).to_bytes(12),
            "referrer": f"host-{chance.randrange(HOSTS)}.example" if chance.random() < 0.4 else None,
        }
        for post_id in posts
        for _ in range(per_day)
    ]
    views.sort(key=lambda view: view["viewed_at"])  # type: ignore[arg-type,return-value]
    with another(place.rows_url, writes=True) as rows:
        rows.execute(insert(PageView), views)


def add_deliveries(place: Place, deliveries: int, now: datetime) -> None:
    """Insert this many deliveries of the last 30 days. Every twentieth was retried, every fiftieth failed."""
    million.fill(place, deliveries // DESTINATIONS)
    with another(place.rows_url, writes=True) as rows:
        for start in range(0, deliveries, BATCH):
            numbers = range(start, min(start + BATCH, deliveries))
            rows.execute(insert(Delivery), [_delivery(number, deliveries, now) for number in numbers])
            rows.execute(insert(Attempt), [attempt for number in numbers for attempt in _attempts(number, now)])
        million.analyze(rows)


def wait_for_rollups(place: Place, now: datetime) -> None:
    """Wait until the server has rolled up all full hours of views, if there are any, and past days of deliveries.

    Older commits do not roll up deliveries.
    """
    with another(place.rows_url) as rows:
        days_are_rolled_up = inspect(rows).has_table("stale_delivery_day")
    end = monotonic() + ROLLUP_SECONDS
    hour = (now - timedelta(minutes=10)).replace(minute=0, second=0, microsecond=0)
    while _views_are_rolled_up_until(place) < hour or (
        days_are_rolled_up and million.count(place, "stale_delivery_day", f"day < '{now:%Y-%m-%d}'")
    ):
        assert monotonic() < end, "the figures were not rolled up"
        sleep(0.1)


def _views_are_rolled_up_until(place: Place) -> datetime:
    """Return the time, or the end of time without views."""
    with another(place.rows_url) as rows:
        if rows.scalar(select(PageView.id).limit(1)) is None:
            return datetime.max.replace(tzinfo=UTC)
        progress = rows.scalar(select(Setting.value).where(Setting.name == "view_rollups"))
        return datetime.fromisoformat(progress["until"])


def _delivery(number: int, deliveries: int, now: datetime) -> dict[str, Any]:
    due = now - timedelta(days=30 * (number + 1) / (deliveries + 1))
    is_failed = number % 50 == 0
    late = random.Random(number).expovariate(1 / 5)
    return {
        "id": f"dlv_bench{number:022}",
        "post_id": million.id_of(number // DESTINATIONS),
        "destination": f"place-{number % DESTINATIONS}",
        "state": "failed" if is_failed else "delivered",
        "remote_id": f"{number}",
        "url": f"https://place.example/posts/{number}",
        "extra": {},
        "delivered_at": None if is_failed else due + timedelta(seconds=late),
        "is_drift_accepted": False,
        "keys": {"operation": f"op_bench{number:022}"},
        "is_in_doubt": False,
        "fence": 1,
        "wanted_at": due,
        "due_at": due,
        "failure_count": 0,
        "created_at": due,
        "updated_at": due,
    }


def _attempts(number: int, now: datetime) -> Iterator[dict[str, Any]]:
    outcomes = ["failed"] if number % 50 == 0 else ["retried", "succeeded"] if number % 20 == 1 else ["succeeded"]
    for count, outcome in enumerate(outcomes):
        yield {
            "id": f"att_bench{number:021}{count}",
            "delivery_id": f"dlv_bench{number:022}",
            "number": count + 1,
            "operation": "create",
            "started_at": now,
            "finished_at": now,
            "outcome": outcome,
        }
