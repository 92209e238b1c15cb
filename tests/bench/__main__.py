"""Run all benchmarks, or those named: `make bench`, or `python -m tests.bench NAME ...`.

Absolute figures depend on the machine; the ratios count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.bench import million, views
from tests.bench.listening import QUIET, Crowd
from tests.bench.servers import Place, Server, connect, server
from tests.databases import databases
from tests.receiver import Receiver

chosen_database = "sqlite"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
WORDS = "Some *words* of a post, neither long nor short, with a [link](https://example.org/). "


def call(at: Server, method: str, path: str, body: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {at.key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(at.url + "/api/v1" + path, data, headers, method=method)
    return json.load(urllib.request.urlopen(request))


@contextmanager
def folder() -> Iterator[Place]:
    """Yield an empty instance directory with a database."""
    with tempfile.TemporaryDirectory(prefix="bench") as name, databases(chosen_database) as lent:
        yield Place(Path(name), lent.lend(is_blank=True))


def say(what: str, figure: str, goal: str) -> None:
    print(f"  {what:<58} {figure:>22}   goal: {goal}", flush=True)


def throughput() -> None:
    """Requests per second, relative to a constant response on the same server."""
    with folder() as place, server(place) as at:
        for number in range(40):
            post = call(at, "POST", "/posts", {"title": f"Post {number}", "content": WORDS * 40})
            call(at, "POST", f"/posts/{post['id']}/publish")
        bare, view = at.rate("/constant/bare"), at.rate("/constant/view")
        say("a constant, bare WSGI / a Flask view", f"{bare:,.0f} / {view:,.0f} per s", "-")
        rows = (
            ("GET one post", f"/api/v1/posts/{post['id']}", "30 % of the view"),
            ("GET 20 posts", "/api/v1/posts", "15 % of the view"),
        )
        for what, path, goal in rows:
            rate = at.rate(path)
            say(what, f"{rate:,.0f} per s = {rate / view:.0%}", goal)
        rate = at.rate("/api/v1/posts", method="POST", body='{"title": "A post", "content": "Words."}')
        say("POST (each one synced to the disk)", f"{rate:,.0f} per s = {rate / view:.0%}", "-")


def public() -> None:
    """Public pages and files per second, relative to a constant response of the same server without Flask."""
    with folder() as place, server(place) as at:
        post = call(at, "POST", "/posts", {"title": "Post", "content": WORDS * 40})
        call(at, "POST", f"/posts/{post['id']}/publish")
        tag = urllib.request.urlopen(at.url + "/post").headers["ETag"]
        browser = {"User-Agent": BROWSER}
        rows = (
            ("GET a page of the blog", "/post", browser, "50 %"),
            ("the same, compressed", "/post", browser | {"Accept-Encoding": "gzip, deflate, br, zstd"}, "50 %"),
            ("the same, unchanged (304)", "/post", browser | {"If-None-Match": tag}, "50 %"),
            ("the same, from a bot", "/post", {}, "50 %"),
            ("GET a feed", "/feed.xml", browser, "50 %"),
            ("GET a style sheet", "/static/blog.css", browser, "50 %"),
        )
        for what, path, headers, goal in rows:
            rate, share = _beside_bare(at, path, headers)
            say(what, f"{rate:,.0f} per s = {share:.0%}", goal)


def _beside_bare(at: Server, path: str, headers: dict[str, str]) -> tuple[float, float]:
    """Return requests per second, and their share of a constant, as medians of turns on a machine that may be busy."""
    turns = []
    for _ in range(5):
        bare = at.rate("/constant/bare", seconds=1)
        rate = at.rate(path, headers=headers, seconds=1)
        turns.append((rate, rate / bare))
    rates, shares = zip(*turns, strict=True)
    return statistics.median(rates), statistics.median(shares)


def at_rest() -> None:
    """Startup time and idle resource usage."""
    with folder() as place:
        with server(place):
            pass  # the first start fills the caches
        with server(place) as at:
            time.sleep(3)
            before = at.cpu_seconds()
            time.sleep(20)
            idle = (at.cpu_seconds() - before) / 20
            say("start to first answer", f"{at.seconds_to_first_answer:.2f} s", "1.5 s")
            say("idle, of one core", f"{idle:.2%}", "0.5 %")
            say("idle, resident", f"{at.resident_mib():.0f} MiB", "120 MiB")


def lateness(posts: int = 1000) -> None:
    """How late posts are published when a thousand are due in the same second."""
    with folder() as place, server(place) as at:
        due = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=max(15, posts // 40))
        for number in range(posts):
            call(at, "POST", "/posts", {"title": f"P {number}", "content": WORDS, "scheduledAt": due.isoformat()})
        late = _latenesses(at, posts, due)
        say(f"lateness of {posts} posts due at once, median", f"{statistics.median(late):.2f} s", "-")
        say(f"lateness of {posts} posts due at once, p99", f"{sorted(late)[int(posts * 0.99) - 1]:.2f} s", "1 s")


def _latenesses(at: Server, posts: int, due: datetime) -> list[float]:
    """Return when each post became visible, by polling: the time in the row may precede its commit."""
    seen: list[float] = []
    while len(seen) < posts and datetime.now(UTC) < due + timedelta(seconds=60):
        if datetime.now(UTC) < due:
            time.sleep(0.005)
            continue
        count = million.count(at.place, "post", "state = 'published'")
        now = (datetime.now(UTC) - due).total_seconds()
        seen += [now] * (count - len(seen))
        time.sleep(0.005)
    return seen


def fan_out(posts: int = 100, places: int = 10) -> None:
    """Deliveries to platforms that take 100 ms each, relative to the ideal of one lane each."""
    with folder() as place, ExitStack() as stack:
        for number in range(places):
            receiver = stack.enter_context(Receiver(moment=0.1))
            receiver.always("slow")
            connect(place, "webhook", f"hook-{number}", [f"url={receiver.url}"])
        names = [f"hook-{number}" for number in range(places)]
        with server(place, BLOGSVC_LANES=places) as at:
            began = time.perf_counter()
            for number in range(posts):
                post = call(at, "POST", "/posts", {"title": f"P {number}", "content": WORDS, "platforms": names})
                call(at, "POST", f"/posts/{post['id']}/publish")
            while million.count(place, "delivery", "state = 'delivered'") < posts * places:
                time.sleep(0.05)
            taken = time.perf_counter() - began
        ideal = posts * 0.1
        say(
            f"{posts * places} deliveries, {places} lanes of 100 ms",
            f"{taken:.1f} s = {taken / ideal:.2f} x ideal",
            "1.5 x",
        )


def cached() -> None:
    """A cached page is not rendered again, and an unchanged one returns 304."""
    with folder() as place, server(place) as at:
        small = call(at, "POST", "/posts", {"title": "Small", "content": "Words."})
        large = call(at, "POST", "/posts", {"title": "Large", "content": WORDS * 5000})
        for post in (small, large):
            call(at, "POST", f"/posts/{post['id']}/publish")
        first = at.milliseconds("/large", times=1)
        again = at.milliseconds("/large")
        request = urllib.request.Request(at.url + "/large")
        tag = urllib.request.urlopen(request).headers["ETag"]
        request.add_header("If-None-Match", tag)
        try:
            status = urllib.request.urlopen(request).status
        except urllib.error.HTTPError as error:
            status = error.code
        say("a page of 400 KB asked for again, against the first time", f"{again / first:.2f}", "no rendering")
        say("the same with its ETag", str(status), "304")


def pages(posts: int = 1_000_000) -> None:
    """The first page against the last one, and the millionth post against the thousandth."""
    with folder() as place:
        with server(place):
            pass
        million.fill(place, 1000)
        with server(place) as at:
            few = _creating(at)
        million.fill(place, posts)
        with server(place) as at:
            many = _creating(at)
            say(f"creating post {posts:,} against post 1,000", f"{many / few:.2f} x", "1.5 x")
            for what in million.QUESTIONS:
                first = at.milliseconds(f"/api/v1/posts?{what}")
                last = at.milliseconds(f"/api/v1/posts?{what}&cursor={million.last_cursor(place, what)}")
                say(f"last page against page 1: {what}", f"{last / first:.2f} x ({first:.1f} ms)", "1.5 x")


def _creating(at: Server) -> float:
    taken = []
    for number in range(60):
        began = time.perf_counter()
        call(at, "POST", "/posts", {"title": f"New {number}", "content": WORDS, "tags": ["new"]})
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def listeners(count: int = 200) -> None:
    """The cost of listeners to the event stream, and how soon all of them receive an event."""
    with folder() as place, server(place) as at:
        before = at.resident_mib()
        crowd = Crowd(at, count)
        posts = ({"title": f"Post {number}"} for number in range(20))
        quiet, waits = asyncio.run(crowd.measure(lambda: call(at, "POST", "/posts", next(posts)), 20))
        say(f"{count} listeners, quiet, of one core", f"{quiet / QUIET:.2%}", "0.5 %")
        say(f"{count} listeners, resident beyond idle", f"{at.resident_mib() - before:.0f} MiB", "-")
        say(f"an event, until the last of {count} is told", f"{statistics.median(waits) * 1000:.0f} ms", "-")


def analytics(count: int = 10_000_000, deliveries: int = 100_000) -> None:
    """Reports of very many views, and of very many deliveries."""
    for title, views_of, deliveries_of in (("views", count, 0), ("deliveries", 0, deliveries)):
        with folder() as place:
            with server(place):
                pass  # creates the tables
            now = datetime.now(UTC)
            if views_of:
                views.fill(place, views_of, now)
            if deliveries_of:
                views.add_deliveries(place, deliveries_of, now)
            cookie = views.signed_in(place, now)
            with server(place) as at:
                _reports(at, f"{views_of or deliveries_of:,} {title}", cookie)


def _reports(at: Server, blog: str, cookie: str) -> None:
    at.milliseconds("/api/v1/posts?limit=1", times=30)
    at.milliseconds("/desk", times=3, cookie=cookie)
    before = at.resident_mib()
    post = f"postId={million.id_of(0)}"
    for query in ("", "timezone=Europe/Berlin", "from=2026-01-01&interval=month", post):
        taken = at.milliseconds(f"/api/v1/analytics?{query}", times=15)
        say(f"{blog}: GET /analytics?{query}", f"{taken:.0f} ms", "50 ms")
    for days in (30, 365):
        taken = at.milliseconds(f"/desk/insights?days={days}", times=15, cookie=cookie)
        say(f"{blog}: the insights page, {days} days", f"{taken:.0f} ms", "50 ms")
    say(f"{blog}: resident beyond before", f"{at.resident_mib() - before:.1f} MiB", "10 MiB")


PARTS: tuple[Callable[[], None], ...] = (
    throughput,
    public,
    at_rest,
    cached,
    lateness,
    fan_out,
    listeners,
    pages,
    analytics,
)


def main() -> None:
    names = {part.__name__: part for part in PARTS}
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"what to measure; by default all of: {', '.join(names)}")
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    asked = parser.parse_args()
    global chosen_database
    chosen_database = asked.database
    chosen = asked.parts or list(names)
    if {"throughput", "public"} & {*chosen} and shutil.which("wrk") is None:
        sys.exit("throughput is measured with wrk; install it (Debian: apt-get install wrk) and run this again.")
    for name in chosen:
        print(f"{name}: {names[name].__doc__}", flush=True)
        names[name]()


if __name__ == "__main__":
    main()
