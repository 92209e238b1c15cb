"""Reports of very many views, and of very many deliveries."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.bench import million
from tests.bench.places import folder
from tests.bench.rows import Row, Rows
from tests.bench.servers import Server, server
from tests.bench.signed_in import signed_in


def analytics(count: int = 10_000_000, deliveries: int = 100_000) -> Rows:
    """Reports of very many views, and of very many deliveries."""
    from tests.bench import views  # it fills roll-ups, which older commits do not have

    for title, views_of, deliveries_of in (("views", count, 0), ("deliveries", 0, deliveries)):
        with folder() as place:
            with server(place):
                pass  # creates the tables
            now = datetime.now(UTC)
            if views_of:
                views.fill(place, views_of, now)
            if deliveries_of:
                views.add_deliveries(place, deliveries_of, now)
            cookie = signed_in(place, now)
            with server(place) as at:
                views.wait_for_rollups(place, now)
                yield from _reports(at, f"{views_of or deliveries_of:,} {title}", cookie)


def _reports(at: Server, blog: str, cookie: str) -> Rows:
    at.milliseconds("/api/v1/posts?limit=1", times=30)
    at.milliseconds("/desk", times=3, cookie=cookie)
    before = at.resident_mib()
    post = f"postId={million.id_of(0)}"
    for query in ("", "timezone=Europe/Berlin", "from=2026-01-01&interval=month", post):
        taken = at.milliseconds(f"/api/v1/analytics?{query}", times=15)
        yield Row(f"{blog}: GET /analytics?{query}", taken, "ms", 50)
    for days in (30, 365):
        taken = at.milliseconds(f"/desk/analytics?days={days}", times=15, cookie=cookie)
        yield Row(f"{blog}: the analytics page, {days} days", taken, "ms", 50)
    yield Row(f"{blog}: resident beyond before", at.resident_mib() - before, "MiB", 10)
