"""Requests that only read are answered while another process holds the write lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from blogsvc.analytics import page_views
from blogsvc.auth import accounts
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.models import ApiKey, PageView, Post, Session, User, db, transaction
from tests.api_client import Api
from tests.clock import Time
from tests.conftest import Visitor
from tests.databases import another
from tests.kill.server import Server
from tests.running_server import started

# A request that waits for the lock takes longer than the test allows it.
pytestmark = pytest.mark.settings(busy_timeout_seconds=300)
PATIENCE = 60
READS = {"User-Agent": "A browser"}
Get = Callable[[str], TestResponse]


@pytest.fixture
def owner(app: Flask, time: Time) -> User:
    with transaction():
        return User.of("ann@blog.example", "Ann", "owner", "no password", "UTC", time())


@pytest.fixture
def get(app: Flask, owner: User, new_key: Callable[..., str], tools: Tools) -> Get:
    """Return a function that requests a path: signed in, or for the API with a key."""
    browser = Visitor(app)
    _, token = accounts.begin_session(owner, "a browser", "127.0.0.1", tools.now())
    with browser.session_transaction() as cookie:
        cookie["token"] = token
    key = {"Authorization": f"Bearer {new_key()}"}

    def request(path: str) -> TestResponse:
        return browser.get(path, headers=READS | (key if path.startswith("/api") else {}))

    return request


@pytest.fixture
def locked(get: Get, config: Config) -> Get:
    """Return a function that requests a path while another process holds the write lock."""

    def request(path: str) -> TestResponse:
        with ThreadPoolExecutor(1) as pool, another(config.rows_url, writes=True):
            return pool.submit(get, path).result(timeout=PATIENCE)

    return request


@pytest.mark.parametrize(
    "path",
    [
        *("/health", "/ready", "/", "/one", "/feed.xml", "/api/v1/posts", "/api/v1/events", "/api/v1/analytics"),
        *("/desk", "/desk/calendar", "/desk/analytics", "/desk/queue", "/desk/media"),
    ],
)
def test_a_read_is_answered_while_another_process_writes(
    locked: Get,
    a_post: Callable[..., Post],
    time: Time,
    tick: Callable[[], None],
    path: str,
) -> None:
    a_post(live=True, slug="one")
    tick()
    time.passes(minutes=1)  # no use of the session or the key was noted lately
    assert locked(path).status_code == 200


def test_what_a_read_could_not_note_is_noted_by_the_next_one(
    get: Get, locked: Get, a_post: Callable[..., Post], time: Time
) -> None:
    a_post(live=True, slug="one")
    began = time()
    time.passes(minutes=6)

    def noted() -> tuple[object, object, int]:
        db.session.rollback()
        db.session.expire_all()
        views = db.session.query(PageView).count()
        return db.session.query(Session).one().seen_at, db.session.query(ApiKey).one().last_used_at, views

    for path in ("/one", "/api/v1/posts", "/desk"):
        assert locked(path).status_code == 200
    assert noted() == (began, None, 0)
    for path in ("/one", "/api/v1/posts", "/desk"):
        assert get(path).status_code == 200
    assert noted() == (time(), time(), 2)


def test_a_read_does_not_wait_for_a_write_of_its_own_process_that_waits(
    app: Flask, get: Get, config: Config, a_post: Callable[..., Post], api: Api, time: Time
) -> None:
    a_post(live=True, slug="one")
    time.passes(minutes=6)
    with ThreadPoolExecutor(2) as pool, another(config.rows_url, writes=True) as rows:
        writing = pool.submit(lambda: api.post("/posts", title="Another"))
        answers = [pool.submit(get, path).result(timeout=PATIENCE) for path in ("/health", "/one", "/desk")]
        is_waiting = not writing.done()
        rows.rollback()
        assert writing.result().status_code == 201
    assert is_waiting
    assert [answer.status_code for answer in answers[1:]] == [200, 200]
    page_views.flush_views()
    assert db.session.query(PageView).count() == 1


def test_waiting_writes_leave_a_thread_for_reads(tmp_path: Path, blank_database_url: str) -> None:
    settings = {"BLOGSVC_THREADS": "4", "BLOGSVC_BUSY_TIMEOUT_SECONDS": "300", "BLOGSVC_SCHEDULER": "0"}
    server = Server(tmp_path / "instance", blank_database_url, settings=settings)
    with started(server) as served, closing_all() as connections:
        headers = {"Authorization": f"Bearer {served.key}", "Content-Type": "application/json"}
        with another(server.config.rows_url, writes=True):
            for number in range(8):
                connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
                connections.append(connection)
                connection.request("POST", "/api/v1/posts", f'{{"title": "Post {number}"}}', headers)
            for path in ("/ready", "/", "/api/v1/posts"):
                reading = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
                connections.append(reading)
                reading.request("GET", path, headers=headers)
                assert reading.getresponse().status == 200
        assert [connection.getresponse().status for connection in connections[:8]] == [201] * 8


@contextmanager
def closing_all() -> Iterator[list[HTTPConnection]]:
    """Yield a list of connections, which are closed at the end."""
    connections: list[HTTPConnection] = []
    try:
        yield connections
    finally:
        for connection in connections:
            connection.close()
