"""What a blog with 1,000,000 posts costs beside one with 10,000."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from blogsvc import create_app, make_tools
from blogsvc.config import Config
from blogsvc.models import close_connections, due_checks, due_deliveries
from blogsvc.models.due_posts import next_scheduled_at
from blogsvc.posts import publishing
from tests.bench import million
from tests.bench.places import folder
from tests.bench.rows import Row, Rows
from tests.bench.servers import WORDS, Place, Server, call, server

FEW, MANY = 10_000, 1_000_000
GOAL = 1.5


def posts() -> Rows:
    """Lists, feeds, searches, writes and what the scheduler asks, with 1,000,000 posts beside 10,000."""
    with folder() as place:
        with server(place):
            pass  # creates the tables
        million.fill(place, FEW)
        few = _milliseconds(place)
        million.fill(place, MANY)
        many = _milliseconds(place)
        for what in few:
            yield Row(what, many[what] / few[what], "x", GOAL, f"{few[what]:.1f} to {many[what]:.1f} ms")


def _milliseconds(place: Place) -> dict[str, float]:
    """Return the median time of each request and query in milliseconds."""
    with server(place) as at:
        taken = {f"POST a post, {MANY:,} posts": _creating(at)}
        for what in million.QUESTIONS:
            path = f"/api/v1/posts?{what}"
            taken[f"list {what}, first page"] = at.milliseconds(path)
            taken[f"list {what}, last page"] = at.milliseconds(f"{path}&cursor={million.last_cursor(place, what)}")
        for path in ("/", "/feed.xml", "/?page=100"):
            taken[f"blog {path}, after a change"] = _anew(at, path)
    return taken | _of_the_scheduler(place)


def _creating(at: Server) -> float:
    def create() -> None:
        call(at, "POST", "/posts", {"title": "New", "content": WORDS, "tags": ["new"]})

    return _median(create, 60)


def _anew(at: Server, path: str) -> float:
    """Return the time of the first request after a post was published, when no response is in memory."""
    taken = []
    for _ in range(9):
        post = call(at, "POST", "/posts", {"title": "New", "content": WORDS})
        call(at, "POST", f"/posts/{post['id']}/publish")
        taken.append(at.milliseconds(path, times=1))
    return statistics.median(taken)


def _of_the_scheduler(place: Place) -> dict[str, float]:
    """Return the times of the queries of a tick that finds nothing to do."""
    app = create_app(tools=make_tools(Config(instance=place.instance, database_url=place.database_url)))
    now = datetime.now(UTC) - timedelta(days=3000)
    asks: dict[str, Callable[[], object]] = {
        "posts that are due": lambda: publishing.publish_due(now, timedelta(days=1)),
        "the next post that is due": next_scheduled_at,
        "deliveries that are due": lambda: due_deliveries.due_lanes(now),
        "the next delivery that is due": due_deliveries.next_due_at,
        "copies to check": lambda: due_checks.due_connections(now),
        "the next copy to check": due_checks.next_due_at,
    }
    with app.app_context():
        taken = {what: _median(ask, 60) for what, ask in asks.items()}
        close_connections()
    return taken


def _median(do: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        do()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1000
