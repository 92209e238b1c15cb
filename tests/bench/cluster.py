"""Servers, schedulers and workers on one PostgreSQL, with a broker: processes of this machine, as of several."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from tests.bench.receivers import ClockedReceiver
from tests.bench.rows import Row, Rows
from tests.bench.servers import WORDS
from tests.bench.work import latenesses
from tests.cluster.brokers import OwnBroker, own_broker
from tests.cluster.fleet import SCHEDULER, SERVER, WORKER, Fleet, Member
from tests.cluster.machines import clock_off_by, compiled_clock
from tests.kill.server import Server
from tests.own_postgres import own_postgres

BROKER = "redis"
LANES = 10  # of each worker
CONNECTIONS = 64
MOMENT = 0.5  # seconds that the platform takes


@contextmanager
def fleet() -> Iterator[tuple[Fleet, OwnBroker]]:
    """Yield a fleet without processes, with a database and a broker."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-cluster")))
        broker = stack.enter_context(own_broker(BROKER))
        found = Fleet(folder, stack.enter_context(own_postgres()).url)
        found.settings |= {"BLOGSVC_REDIS_URL": broker.url, "BLOGSVC_MEDIA_URL": (folder / "media").as_uri()}
        (folder / "media").mkdir()
        stack.callback(found.end)
        yield found, broker


def workers() -> Rows:
    """Deliveries by 1, 2 and 4 workers to a platform that takes 500 ms, through 64 connections."""
    per_second = {count: _throughput(count) for count in (1, 2, 4)}
    for count, (rate, cpu) in per_second.items():
        ideal = count * LANES / MOMENT
        what = f"{count} worker{'s' if count > 1 else ''} of {LANES} lanes, platform of 500 ms: share of the ideal"
        yield Row(what, rate / ideal * 100, "%", 85, f"{rate:.1f} a second, {cpu:.0%} CPU")
    share = per_second[4][0] / (4 * per_second[1][0]) * 100
    yield Row("4 workers, of four times what one delivers", share, "%", 85)


def hand_over(posts: int = 200) -> Rows:
    """From the request to publish at a server until a worker sends the message; without a broker, the scheduler."""
    with fleet() as (found, broker), ClockedReceiver() as receiver:
        at = found.server("server", "--no-scheduler")
        found.start("scheduler", SCHEDULER)
        worker = found.worker("worker")
        found.connect(at, "hook", receiver.url)
        while not _sent_by(worker):  # until the scheduler knows of it
            _publish(found, at, "first", receiver)
        before = _sent_by(worker)
        for state, goal in (("a broker", 0.25), ("its broker away", 5.0)):
            if state != "a broker":
                broker.kill()
            taken = sorted(_publish(found, at, f"{state} {number}", receiver) for number in range(posts))
            if state == "a broker":
                assert _sent_by(worker) - before >= posts - 1  # the last line of the log may follow
            what = f"publish at a server, message from another process, with {state}"
            yield Row(f"{what}: median", statistics.median(taken), "s")
            yield Row(f"{what}: p99", taken[int(posts * 0.99) - 1], "s", goal)


def _sent_by(member: Member) -> int:
    """Return how many messages a process has sent."""
    return member.log.read_text().count("outcome=delivered")


def _publish(found: Fleet, at: Server, title: str, receiver: ClockedReceiver) -> float:
    """Publish a post, and return how long its message took, in seconds."""
    post = found.call(at, "POST", "/posts", {"title": title, "content": WORDS, "platforms": ["hook"]})
    began = time.monotonic()
    count = len(receiver.times)
    found.call(at, "POST", f"/posts/{post['id']}/publish")
    receiver.wait_for_messages(count + 1)
    return receiver.times[count] - began


def due_elsewhere(posts: int = 1000) -> Rows:
    """How late posts are published that are due in the same second, with the scheduler in a process of its own."""
    with fleet() as (found, _):
        servers = [found.server(f"server-{number}", "--no-scheduler") for number in range(2)]
        found.start("scheduler", SCHEDULER)
        due = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=max(15, posts // 15))
        for number in range(posts):
            schedule(found, servers[number % 2], f"P {number}", due, ["site"])
        assert datetime.now(UTC) < due
        with create_engine(found.database_url, isolation_level="AUTOCOMMIT").connect() as rows:
            count = text("SELECT count(*) FROM post WHERE state = 'published'")
            late = sorted(latenesses(lambda: int(rows.execute(count).scalar_one()), posts, due))
        what = f"lateness of {posts} posts due at once, scheduler elsewhere"
        yield Row(f"{what}, median", statistics.median(late), "s")
        yield Row(f"{what}, p99", late[int(posts * 0.99) - 1], "s", 1)


def wrong_clocks(posts: int = 150, per_second: int = 5) -> Rows:
    """How late posts are published by processes whose clocks are up to 90 s ahead or behind."""
    with fleet() as (found, _), ClockedReceiver() as receiver:
        library = compiled_clock(found.folder)
        servers = [_with_clock(found, f"server{seconds:+}", SERVER, seconds, library) for seconds in (90, -90)]
        for seconds in (60, -60):
            _with_clock(found, f"scheduler{seconds:+}", SCHEDULER, seconds, library)
        for seconds in (90, -90):
            _with_clock(found, f"worker{seconds:+}", WORKER, seconds, library)
        for server in servers:
            server.wait_until_ready()
        found.connect(servers[0], "hook", receiver.url)
        first = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=20 + posts / 20)
        due = {f"P {number}": first + timedelta(seconds=number / per_second) for number in range(posts)}
        for number, (title, moment) in enumerate(due.items()):
            schedule(found, servers[number % 2], title, moment, ["hook"])
        assert datetime.now(UTC) < first
        receiver.wait_for_posts(posts)
        late = sorted(receiver.latenesses(due))
        what = "clocks off by 60 to 90 s in both directions: lateness"
        yield Row(f"{what}, earliest", late[0], "s")
        yield Row(f"{what}, p99", late[int(posts * 0.99) - 1], "s", 1)


def _with_clock(found: Fleet, name: str, words: tuple[str, ...], seconds: int, library: Path) -> Member:
    _ = found.key  # the schema is there before the first process
    member = found.member(name, words)
    member.settings |= clock_off_by(seconds, library)
    member.start()
    return member


def side_by_side(writers: int = 16, seconds: float = 10) -> Rows:
    """The cost of a write when writers to different posts use four servers, beside one."""
    costs = {}
    for count in (1, 4):
        with fleet() as (found, _):
            servers = [found.server(f"server-{number}", "--no-scheduler") for number in range(count)]
            costs[count] = _cost_of_writes(found, servers, writers, seconds)
    (alone, rate_alone), (shared, rate) = costs[1], costs[4]
    detail = f"{rate_alone:.0f} and {rate:.0f} a second"
    yield Row(f"{writers} writers, 4 servers beside 1: CPU time of a write", shared / alone, "x", 1.2, detail)


def _cost_of_writes(found: Fleet, servers: list[Server], writers: int, seconds: float) -> tuple[float, float]:
    """Return the CPU time of a write in this machine's unit, without that of the writers, and the writes per second."""
    posts = [found.call(servers[0], "POST", "/posts", {"title": "P", "content": WORDS})["id"] for _ in range(writers)]

    def write(number: int) -> int:
        until, count = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            body = {"title": f"{number} {count}"}
            found.call(servers[number % len(servers)], "PUT", f"/posts/{posts[number]}", body)
            count += 1
        return count

    own, before = os.times(), _busy_and_all()[0]
    with ThreadPoolExecutor(writers) as pool:
        counts = list(pool.map(write, range(writers)))
    used = _busy_and_all()[0] - before - (sum(os.times()[:2]) - sum(own[:2])) * os.sysconf("SC_CLK_TCK")
    for number, post_id in enumerate(posts):  # no update is lost
        title = found.call(servers[-1], "GET", f"/posts/{post_id}")["title"]
        assert title == f"{number} {counts[number] - 1}", title
    return used / sum(counts), sum(counts) / seconds


def _throughput(count: int) -> tuple[float, float]:
    """Return how many messages come in a second, and the share of this machine's CPU time that is used meanwhile."""
    with fleet() as (found, _), ClockedReceiver(moment=MOMENT) as receiver:
        at = found.server("server", "--no-scheduler")
        scheduler = found.start("scheduler", SCHEDULER, lanes="1")  # it works on lanes that wait for long
        for number in range(count):
            found.worker(f"worker-{number}", lanes=str(LANES))
        receiver.always("slow")
        names = [f"hook-{number}" for number in range(CONNECTIONS)]
        for name in names:
            found.connect(at, name, receiver.url)
        posts = 10 * count
        due = datetime.now(UTC) + timedelta(seconds=5 + posts / 2)
        for number in range(posts):
            schedule(found, at, f"P {number}", due, names)
        assert datetime.now(UTC) < due
        expected = posts * CONNECTIONS
        receiver.wait_for_messages(expected // 10)
        before = _busy_and_all()
        receiver.wait_for_messages(expected * 9 // 10)
        busy, total = (after - earlier for after, earlier in zip(_busy_and_all(), before, strict=True))
        times = sorted(receiver.times)
        first, last = times[expected // 10 - 1], times[expected * 9 // 10 - 1]
        receiver.wait_for_messages(expected)
        by_workers = 1 - _sent_by(scheduler) / expected
        return by_workers * (expected * 9 // 10 - expected // 10) / (last - first), busy / total


def _busy_and_all() -> tuple[float, float]:
    """Return the CPU time of this machine that was used, and all of it, in its own unit."""
    user, nice, system, idle, waiting, *rest = map(float, Path("/proc/stat").read_text().split("\n")[0].split()[1:])
    busy = user + nice + system + sum(rest[:2])
    return busy, busy + idle + waiting


def schedule(found: Fleet, at: Server, title: str, due: datetime, platforms: list[str]) -> Any:
    post = {"title": title, "content": WORDS, "platforms": platforms, "scheduledAt": due.isoformat()}
    return found.call(at, "POST", "/posts", post)
