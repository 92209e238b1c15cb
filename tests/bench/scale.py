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
from tests.bench.signed_in import signed_in

FEW, MANY = 10_000, 1_000_000
GOAL = 1.5
ROUNDS = 11


def posts() -> Rows:
    """Lists, feeds, searches, writes and what the scheduler asks, with 1,000,000 posts beside 10,000.

    No response comes from memory: a post is changed before each request.
    """
    with folder() as place:
        with server(place):
            pass  # creates the tables
        cookie = signed_in(place, datetime.now(UTC))
        million.fill(place, FEW)
        few = milliseconds(place, cookie)
        million.fill(place, MANY)
        many = milliseconds(place, cookie)
        for what in few:
            yield Row(what, many[what] / few[what], "x", GOAL, f"{few[what]:.1f} to {many[what]:.1f} ms")


def milliseconds(place: Place, cookie: str) -> dict[str, float]:
    """Return the median time of each request and query in milliseconds.

    Args:
        cookie: that of a browser that is signed in.
    """
    with server(place) as at:
        taken = {"POST a post": _creating(at)} | _reading(at, _lists(place))
        taken |= _reading(at, {f"dashboard {path}": path for path in million.DASHBOARD}, cookie=cookie)
        taken |= _reading(at, {f"blog {path}": path for path in million.BLOG}, publishes=True)
    return taken | _of_the_scheduler(place)


def _lists(place: Place) -> dict[str, str]:
    """Return the addresses of the first and last pages of lists, by what they are."""
    paths = {}
    for what in million.QUESTIONS:
        path = f"/api/v1/posts?{what.replace(' ', '+')}"
        paths[f"list {what}, first page"] = path
        paths[f"list {what}, last page"] = f"{path}&cursor={million.last_cursor(place, what)}"
    return paths


def _creating(at: Server) -> float:
    def create() -> None:
        call(at, "POST", "/posts", {"title": "New", "content": WORDS, "tags": ["new"]})

    return _median(create, 60)


def _reading(
    at: Server, paths: dict[str, str], *, publishes: bool = False, cookie: str | None = None
) -> dict[str, float]:
    """Return the median time of a request to each path, when no response is in memory: after a post was changed.

    Each round has an address of its own, because searches of an address are limited.

    Args:
        publishes: publish the change too, as pages of the blog are kept until then.
    """
    post = call(at, "POST", "/posts", {"title": "New", "content": WORDS})
    taken: dict[str, list[float]] = {what: [] for what in paths}
    for number in range(1, ROUNDS + 1):
        for what, path in paths.items():
            call(at, "PUT", f"/posts/{post['id']}", {"title": f"New {number} {what}", "publish": publishes})
            taken[what].append(at.milliseconds(path, times=1, cookie=cookie, address=f"127.0.1.{number}"))
    return {what: statistics.median(times) for what, times in taken.items()}


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
