"""How soon the scheduler publishes and delivers, and what the server takes while it has nothing to do."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from secrets import token_hex

from tests.bench import million
from tests.bench.listening import QUIET, STREAMS, Crowd
from tests.bench.places import folder
from tests.bench.receivers import ClockedReceiver
from tests.bench.rows import Row, Rows
from tests.bench.servers import WORDS, Server, call, connect, server
from tests.receiver import Receiver


def at_rest() -> Rows:
    """Startup time and idle resource usage."""
    with folder() as place:
        with server(place):
            pass  # the first start fills the caches
        with server(place) as at:
            time.sleep(3)
            before = at.cpu_seconds()
            time.sleep(20)
            idle = (at.cpu_seconds() - before) / 20
            yield Row("start to first answer", at.seconds_to_first_answer, "s", 0.6)
            yield Row("idle, milliseconds of CPU time per second", idle * 1000, "ms", 5)
            yield Row("idle, resident", at.resident_mib(), "MiB", 90)


def memory(few: int = 1_000, many: int = 100_000) -> Rows:
    """Memory after many requests of all kinds, beside that after a few."""
    with folder() as place, server(place) as at:
        for number in range(40):
            post = call(at, "POST", "/posts", {"title": f"Post {number}", "content": WORDS * 40, "tags": ["a", "b"]})
            call(at, "POST", f"/posts/{post['id']}/publish")
        _mixed(at, post["id"], few)
        before = at.resident_mib()
        _mixed(at, post["id"], many - few)
        after = at.resident_mib()
        what = f"memory after {many:,} requests, beside {few:,}"
        yield Row(what, after / before, "x", 1.1, f"{before:.0f} to {after:.0f} MiB")


def _mixed(at: Server, post_id: str, count: int) -> None:
    """Read pages, posts, lists and files. Every tenth request is a search of its own, every hundredth a write."""
    api = f"/api/v1/posts/{post_id}"
    headers = {"Authorization": f"Bearer {at.key}", "Content-Type": "application/json"}
    with closing(HTTPConnection("127.0.0.1", at.port)) as connection:
        for number in range(count):
            reads = (
                "/",
                "/post-1",
                "/feed.xml",
                f"/post-1?n={number}",
                "/static/blog.css",
                "/none",
                "/api/v1/posts",
                api,
            )
            path, method, body = reads[number % len(reads)], "GET", None
            if number % 100 == 0:
                path, method, body = api, "PUT", json.dumps({"title": f"Title {number}"})
            elif number % 10 == 0:
                path = f"/api/v1/posts?limit=5&q=words+{number}"
            connection.request(method, path, body, headers)
            connection.getresponse().read()


def lateness(posts: int = 1000) -> Rows:
    """How late posts are published when a thousand are due in the same second."""
    with folder() as place, server(place) as at:
        post = {"title": "First", "content": WORDS, "scheduledAt": (datetime.now(UTC) + timedelta(days=1)).isoformat()}
        began = time.monotonic()
        for _ in range(20):
            call(at, "POST", "/posts", post)
        needed = (time.monotonic() - began) / 20 * posts
        due = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=15 + needed * 1.5)
        for number in range(posts):
            call(at, "POST", "/posts", {"title": f"P {number}", "content": WORDS, "scheduledAt": due.isoformat()})
        assert datetime.now(UTC) < due
        late = sorted(latenesses(lambda: million.count(at.place, "post", "state = 'published'"), posts, due))
        yield Row(f"lateness of {posts} posts due at once, median", statistics.median(late), "s")
        yield Row(f"lateness of {posts} posts due at once, p99", late[int(posts * 0.99) - 1], "s", 1)


def latenesses(published: Callable[[], int], posts: int, due: datetime) -> list[float]:
    """Return when each post became visible, by polling: the time in the row may precede its commit.

    Raises AssertionError if one was published early.
    """
    seen: list[float] = []
    while len(seen) < posts and datetime.now(UTC) < due + timedelta(seconds=60):
        if datetime.now(UTC) < due:
            assert not published() or datetime.now(UTC) >= due
            time.sleep(0.005)
            continue
        count = published()
        now = (datetime.now(UTC) - due).total_seconds()
        seen += [now] * (count - len(seen))
        time.sleep(0.005)
    return seen


def fan_out(posts: int = 100, places: int = 10) -> Rows:
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
        yield Row(f"{posts * places} deliveries, {places} lanes of 100 ms", taken / (posts * 0.1), "x", 1.2)


def steady_load(platforms: int = 6, per_second: int = 10, seconds: int = 20) -> Rows:
    """How late copies arrive at platforms that take 20 ms each, while posts are due again and again."""
    with folder() as place, ExitStack() as stack:
        receivers = [stack.enter_context(ClockedReceiver(moment=0.02)) for _ in range(platforms)]
        for number, receiver in enumerate(receivers):
            receiver.always("slow")
            connect(place, "webhook", f"hook-{number}", [f"url={receiver.url}"])
        with server(place) as at:
            names = [f"hook-{number}" for number in range(platforms)]
            posts = per_second * seconds
            first = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=5 + posts // 40)
            due = {f"P {number}": first + timedelta(seconds=number / per_second) for number in range(posts)}
            for title, moment in due.items():
                post = {"title": title, "content": WORDS, "platforms": names, "scheduledAt": moment.isoformat()}
                call(at, "POST", "/posts", post)
            assert datetime.now(UTC) < first
            before = at.cpu_seconds_of_all_threads()
            for receiver in receivers:
                receiver.wait_for_posts(posts)
            used = at.cpu_seconds_of_all_threads() - before
            late = sorted(seconds for receiver in receivers for seconds in receiver.latenesses(due))
            what = f"{per_second} posts a second to {platforms} platforms of 20 ms"
            yield Row(f"{what}: lateness, median", statistics.median(late), "s", 1)
            yield Row(f"{what}: lateness, p99", late[int(len(late) * 0.99) - 1], "s")
            yield Row(f"{what}: CPU time of a delivery", used / len(late) * 1000, "ms")


def listeners(count: int = 200) -> Rows:
    """The cost of listeners to the event stream, and how soon all of them receive an event."""
    with folder() as place, server(place) as at:
        before = at.resident_mib()
        names = [{"name": f"Listener {number}", "scopes": ["posts:read"]} for number in range(-(-count // STREAMS))]
        crowd = Crowd(at, [call(at, "POST", "/keys", name)["key"] for name in names for _ in range(STREAMS)][:count])
        drafts = ({"title": f"Post {number}"} for number in range(20))
        quiet, waits = asyncio.run(crowd.measure(lambda: call(at, "POST", "/posts", next(drafts)), 20))
        yield Row(f"{count} listeners, milliseconds of CPU time per second", quiet / QUIET * 1000, "ms", 5)
        yield Row(f"{count} listeners, resident beyond idle", at.resident_mib() - before, "MiB")
        yield Row(f"an event, until the last of {count} is told", statistics.median(waits) * 1000, "ms")


def soak(minutes: int = 18, per_second: int = 10) -> Rows:
    """Little traffic for long, with a webhook that never answers: a fifth of the requests are writes."""
    with folder() as place, server(place) as at:
        post = call(at, "POST", "/posts", {"title": "Post 1", "content": WORDS * 40})
        call(at, "POST", f"/posts/{post['id']}/publish")
        call(at, "POST", "/webhooks", {"url": "http://127.0.0.1:9/", "events": ["*"]})
        _steady(at, post["id"], 60 * per_second, per_second)
        curve, used, began = [at.resident_mib()], at.cpu_seconds(), time.monotonic()
        for minute in range(1, minutes + 1):
            _steady(at, post["id"], 60 * per_second, per_second)
            curve.append(at.resident_mib())
            print(f"    after {minute} minutes: {curve[-1]:.1f} MiB", file=sys.stderr, flush=True)
        busy = (at.cpu_seconds() - used) / (time.monotonic() - began)
        lines = [line for line in (place.instance / "log").open() if " INFO " not in line]  # with tracebacks
        print(*lines, sep="", end="", file=sys.stderr, flush=True)
        warnings = [line for line in lines if " WARNING " in line or " ERROR " in line]
        what = f"memory after {minutes} minutes, beside one"
        yield Row(what, curve[-1] / curve[0], "x", 1.1, f"{curve[-1]:.0f} MiB")
        yield Row(f"CPU time at {per_second} requests per second", busy * 1000, "ms", 100)
        yield Row("warnings in the log", len(warnings), "", 0)


def _steady(at: Server, post_id: str, count: int, per_second: int) -> None:
    """Send this many requests, evenly spread over time."""
    api = f"/api/v1/posts/{post_id}"
    headers = {"Authorization": f"Bearer {at.key}", "Content-Type": "application/json"}
    began = time.monotonic()
    with closing(HTTPConnection("127.0.0.1", at.port)) as connection:
        for number in range(count):
            time.sleep(max(0, began + number / per_second - time.monotonic()))
            if number % 5 == 0:
                connection.request("PUT", api, json.dumps({"title": f"Title {token_hex(4)}"}), headers)
            else:
                path = ("/", "/post-1", api, "/api/v1/posts")[number % 5 - 1]
                connection.request("GET", path, headers=headers)
            connection.getresponse().read()
