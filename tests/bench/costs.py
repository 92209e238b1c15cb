"""CPU time per request, beside that of a constant response of the same server in the same seconds.

The CPU time of the server counts, not the number of responses per second: neither the clients nor other programs of
the machine change it much. A share of 50 % means that a request takes twice the CPU time of the constant.
"""

from __future__ import annotations

import statistics
import urllib.request
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.bench import by_hand, million, views
from tests.bench.places import folder
from tests.bench.rows import Row, Rows
from tests.bench.servers import WORDS, Server, call, server
from tests.bench.signed_in import signed_in

BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
BARE, VIEW = "/constant/bare", "/constant/view"
TURNS = 5
MANY = 10_000
FIRST_VIEWS = 21


def share(at: Server, what: str, constant: str, path: str, goal: float | None, **request: Any) -> Row:
    """Return the CPU time of the constant as a share of that of the request, as the median of turns."""
    turns = []
    for _ in range(TURNS):
        base = at.cost(constant, seconds=0.5)
        turns.append((base, at.cost(path, seconds=0.5, **request)))
    shares = [base / cost * 100 for base, cost in turns]
    microseconds = statistics.median(cost for _, cost in turns)
    return Row(what, statistics.median(shares), "%", goal, f"{microseconds:,.0f} µs")


def api() -> Rows:
    """The JSON API, beside a constant Flask view."""
    with folder() as place, server(place) as at:
        for number in range(40):
            post = call(at, "POST", "/posts", {"title": f"Post {number}", "content": WORDS * 40, "tags": ["a", "b"]})
            call(at, "POST", f"/posts/{post['id']}/publish")
        one = f"/api/v1/posts/{post['id']}"
        tag = _etag_of(at, one)
        yield share(at, "GET one post", VIEW, one, 80)
        yield share(at, "GET one post, unchanged (304)", VIEW, one, 80, headers={"If-None-Match": tag})
        yield share(at, "GET a list of 20 posts", VIEW, "/api/v1/posts", 50)
        yield share(at, "GET a search", VIEW, "/api/v1/posts?q=words", None)
        draft = {"title": "A post", "content": WORDS * 40, "tags": ["a", "b"]}
        yield share(at, "POST a post", VIEW, "/api/v1/posts", 12, method="POST", body=draft)
        # Each write differs from the one before: an equal document would not be stored.
        other = call(at, "POST", "/posts", draft)
        turns = [_puts(at, f"/posts/{other['id']}", draft, turn) for turn in range(TURNS)]
        yield Row("PUT a post", statistics.median(turns), "%", 10)
        if not at.place.database_url:
            yield from by_hand.rows(at, other["id"], draft)


def _puts(at: Server, path: str, draft: dict[str, Any], turn: int, times: int = 100) -> float:
    base = at.cost(VIEW, seconds=0.5)
    before = at.cpu_seconds()
    for number in range(times):
        call(at, "PUT", path, draft | {"title": f"Title {turn} {number}"})
    return base / ((at.cpu_seconds() - before) / times * 1e6) * 100


def _etag_of(at: Server, path: str) -> str:
    request = urllib.request.Request(at.url + path, headers={"Authorization": f"Bearer {at.key}"})
    return str(urllib.request.urlopen(request).headers["ETag"])


def public() -> Rows:
    """Public pages and files, beside a constant response of the same server without Flask."""
    with folder() as place, server(place) as at:
        post = call(at, "POST", "/posts", {"title": "Post", "content": WORDS * 40})
        call(at, "POST", f"/posts/{post['id']}/publish")
        tag = urllib.request.urlopen(at.url + "/post").headers["ETag"]
        rows = (
            ("GET a page of the blog", "/post", BROWSER),
            ("GET a page, compressed", "/post", BROWSER | {"Accept-Encoding": "gzip, deflate, br, zstd"}),
            ("GET a page, unchanged (304)", "/post", BROWSER | {"If-None-Match": tag}),
            ("GET a page, from a bot", "/post", {}),
            ("GET a feed", "/feed.xml", BROWSER),
            ("GET a style sheet", "/static/blog.css", BROWSER),
        )
        for what, path, headers in rows:
            yield share(at, what, BARE, path, 50, headers=headers)


def dashboard() -> Rows:
    """Pages of the dashboard of a blog with 10,000 posts, each after a commit, and the report of the API."""
    with folder() as place:
        with server(place):
            pass  # creates the tables
        now = datetime.now(UTC)
        year = timedelta(days=365)
        million.fill(place, MANY, start=now - year, apart=2 * year / MANY)
        with server(place) as at:
            yield share(at, f"GET /analytics, {MANY:,} posts", VIEW, "/api/v1/analytics", 10)
        million.schedule(place, now + timedelta(hours=1))
        views.add_readers(place, MANY, now)
        cookie = signed_in(place, now)
        with server(place) as at:
            for what, path in (
                ("the dashboard", "/desk"),
                ("the list of posts", "/desk?in=published"),
                ("the calendar", "/desk/calendar"),
                ("the queue", "/desk/queue"),
                ("analytics", "/desk/analytics"),
            ):
                constant = at.cost(VIEW, seconds=0.5) / 1000
                taken = _first_view(at, path, cookie)
                detail = f"{taken / constant:.0f} constant views"
                yield Row(f"first view of {what}, {MANY:,} posts", taken, "ms", 50, detail)


def _first_view(at: Server, path: str, cookie: str) -> float:
    """Return the CPU time of a view after a commit in milliseconds, as the median of several."""
    request = urllib.request.Request(at.url + path, headers={"Cookie": cookie})
    urllib.request.urlopen(request).read()  # compiles the template and the statements
    taken = []
    for _ in range(FIRST_VIEWS):
        million.touch(at.place)
        before = at.cpu_seconds()
        urllib.request.urlopen(request).read()
        taken.append((at.cpu_seconds() - before) * 1000)
    return statistics.median(taken)
