"""Kills, stops and two servers on one instance: nothing is lost or done twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import SystemRandom
from threading import Event, Thread

import pytest

from tests.kill.harness import Harness
from tests.kill.ledger import Writer
from tests.kill.server import Server, call
from tests.own_postgres import own_postgres_or_skip

pytestmark = pytest.mark.exhaustive


def test_twenty_kills_lose_no_post_and_duplicate_no_copy(tmp_path: Path, blank_database_url: str) -> None:
    seed = SystemRandom().randrange(10**6)
    print(f"seed {seed}")  # shown if it fails
    harness = Harness(tmp_path, seed, blank_database_url)
    figures = harness.run(20)
    print(figures)
    assert harness.faults == []
    assert (figures.lost, figures.doubled, figures.early, figures.untrue) == (0, 0, 0, 0)
    assert figures.acknowledged > 20  # on a busy machine
    assert figures.deliveries > 20
    assert figures.repeated > 0


@pytest.mark.sqlite("it starts a PostgreSQL server of its own, whatever the database of the tests")
def test_kills_and_outages_of_postgresql_lose_no_post_and_duplicate_no_copy(tmp_path: Path) -> None:
    seed = SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    with own_postgres_or_skip() as postgres:
        harness = Harness(tmp_path, seed, postgres.url, postgres)
        figures = harness.run(10)
    print(figures)
    assert harness.faults == []
    assert figures.acknowledged > 0
    assert figures.outages > 0


@pytest.fixture
def harness(tmp_path: Path, blank_database_url: str) -> Iterator[Harness]:
    """Yield a run with a ready server."""
    harness = Harness(tmp_path, 1, blank_database_url)
    with harness.world():
        harness.server.start()
        harness.server.wait_until_ready()
        yield harness
        assert harness.tracebacks() == []


@pytest.fixture
def writing(harness: Harness) -> Iterator[list[Writer]]:
    """Run clients that write until the test ends."""
    stop = Event()
    threads = [Thread(target=writer.write_until, args=(stop,)) for writer in harness.writers]
    for writer, thread in zip(harness.writers, threads, strict=True):
        writer.new_posts = 10**6
        thread.start()
    yield harness.writers
    stop.set()
    for thread in threads:
        thread.join()


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition never became true"
        time.sleep(0.02)


def test_a_stop_under_load_answers_or_rejects_each_request_and_finishes_deliveries_in_progress(
    harness: Harness, writing: list[Writer]
) -> None:
    account = harness.platform.account("faulty-none")
    until(lambda: sum(writer.acknowledged for writer in writing) > 50)
    account.always("slow")
    seen = len(account.calls)
    until(lambda: len(account.calls) > seen)
    assert harness.server.terminate() == 0
    until(lambda: all(writer.refused > 3 for writer in writing))
    assert [writer.cut_off for writer in writing] == [0, 0, 0]
    assert [error for writer in writing for error in writer.errors] == []
    assert harness.rows("SELECT 1 FROM delivery WHERE state IN ('sending', 'uncertain')") == []
    assert harness.rows("SELECT 1 FROM attempt WHERE finished_at IS NULL") == []


def test_two_servers_on_one_instance_deliver_everything_once(harness: Harness) -> None:
    other = Server(harness.server.instance, harness.server.database_url)
    other.start()
    try:
        other.wait_until_ready()
        ids = [_publish(harness, (harness.server, other)[n % 2].port, n) for n in range(40)]
        until(lambda: not harness.is_busy(), 60)
    finally:
        other.kill()
    for name in ("faulty-key", "faulty-find", "faulty-none"):
        account = harness.platform.account(name)
        assert sorted(post_id for post_id, _ in account.made) == sorted(ids)
    messages = {received.headers["webhook-id"] for received in harness.receiver.accepted}
    assert len(messages) == len(ids) + 1  # and the ping of connecting
    assert other.tracebacks() == []


def _publish(harness: Harness, port: int, number: int) -> str:
    platforms = ["site", "hook", "faulty-key", "faulty-find", "faulty-none"]
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
    post = {"title": f"Post {number}", "content": "Words.", "platforms": platforms, "scheduledAt": at}
    status, document = call(port, "POST", "/api/v1/posts", harness.key, post)
    assert status == 201
    post_id: str = document["id"]
    return post_id
