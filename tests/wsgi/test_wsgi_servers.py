"""Any WSGI server publishes on time and once: one of its processes runs the scheduler, and another takes over."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from blogsvc import create_app
from blogsvc.config import ROOT, Config
from blogsvc.lib.time import stamp, utc_now
from blogsvc.models import PageView, close_connections, db
from blogsvc.posts import editing, publishing
from tests.clock import eventually
from tests.kill.server import environment
from tests.receiver import Receiver, free_port
from tests.running_server import Served, started
from tests.tiers import exhaustive, matrix
from tests.wsgi.servers import BIN, COMMANDS, WsgiServer, is_running, open_databases

# Far less than the 30 seconds that the scheduler sleeps at most.
SOON = 15.0

each_server = matrix("name", COMMANDS)  # gunicorn is the first
each_with_workers = matrix("name", ["gunicorn", "gunicorn --preload"])


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def served(name: str, tmp_path: Path, blank_database_url: str, receiver: Receiver) -> Iterator[Served]:
    with started(server_in(tmp_path, blank_database_url, name), {"hook": receiver.url}) as served:
        yield served


def server_in(folder: Path, database_url: str, name: str, **settings: str) -> WsgiServer:
    """Return a server whose requests to platforms have time, also on a busy machine."""
    settings = {"BLOGSVC_SEND_TIMEOUT_SECONDS": "20", **settings}
    return WsgiServer(folder / "instance", database_url, name=name, settings=settings)


def server_of(served: Served) -> WsgiServer:
    assert isinstance(served.server, WsgiServer)
    return served.server


def status_of(served: Served, post: dict[str, str]) -> str:
    status: str = served.call("GET", f"/posts/{post['id']}").json["status"]
    return status


def published(receiver: Receiver) -> list[str]:
    """Return the ids of the posts that arrived, one for each message.

    A message that was on its way when the server was killed comes again with its id, as webhooks promise.
    """
    messages = {request.headers["webhook-id"]: request.json() for request in list(receiver.accepted)}
    return [message["data"]["id"] for message in messages.values() if message["type"] == "post.published"]


@each_server
def test_posts_are_published_on_time_and_once_although_the_process_with_the_scheduler_is_killed(
    served: Served, receiver: Receiver
) -> None:
    server = server_of(served)
    killed = server.leader()
    begin = utc_now()
    times = [begin + timedelta(seconds=seconds) for seconds in (4, 4, 9, 9, 10)]
    posts = [served.make(platforms=["site", "hook"], scheduledAt=stamp(at)) for at in times]
    eventually(lambda: {status_of(served, post) for post in posts[:2]} == {"published"}, seconds=60)
    server.kill_leader()
    server.wait_until_ready()
    eventually(lambda: server.leader() != killed, seconds=SOON)
    eventually(lambda: {status_of(served, post) for post in posts} == {"published"}, seconds=60)
    assert sorted(published(receiver)) == sorted(post["id"] for post in posts)
    for post in posts:
        assert lateness(served, post) >= 0
    for post in posts[:2]:  # the others may have waited for a server that started again
        assert lateness(served, post) < SOON


def lateness(served: Served, post: dict[str, str]) -> float:
    """Return how many seconds after its time a post was published."""
    found = served.call("GET", f"/posts/{post['id']}").json
    late = datetime.fromisoformat(found["publishedAt"]) - datetime.fromisoformat(found["scheduledAt"])
    return late.total_seconds()


@each_with_workers
def test_a_change_by_another_process_wakes_the_scheduler(served: Served, receiver: Receiver) -> None:
    server = server_of(served)
    server.leader()
    for _ in range(3):
        post_id = publish_here(server.config)
        eventually(lambda post_id=post_id: post_id in published(receiver), seconds=SOON)  # type: ignore[misc]


def publish_here(config: Config) -> str:
    """Publish a post in this process, which runs no scheduler, and return its id."""
    app = create_app(config)
    with app.app_context():
        now = app.extensions["tools"].now()
        post = editing.create({"title": "Now", "content": "Words."}, ["hook"], now)
        publishing.publish(post, now)
        post_id = post.id
        close_connections()
    return post_id


@exhaustive
@pytest.mark.parametrize("name", ["gunicorn", "waitress", "flask run"])
def test_a_process_that_is_asked_to_stop_finishes_its_delivery_and_begins_no_other(
    served: Served, receiver: Receiver
) -> None:
    server = server_of(served)
    leader = server.leader()
    receiver.moment = 3.0
    receiver.always("slow")
    connected = len(receiver.requests)
    posts = [served.make(platforms=["hook"]) for _ in range(3)]
    for post in posts:
        served.call("POST", f"/posts/{post['id']}/publish")
    assert receiver.wait_for(connected + 1, seconds=60)
    os.kill(leader, signal.SIGTERM)
    eventually(lambda: not is_running(leader), seconds=60)
    if not server.has_workers:
        assert len(published(receiver)) == 1
        server.kill()
        server.start()
        server.wait_until_ready()
    eventually(lambda: {status_of(served, post) for post in posts} == {"published"}, seconds=60)
    assert sorted(published(receiver)) == sorted(post["id"] for post in posts)


@pytest.mark.sqlite("it looks for the open file of the database")
@exhaustive
@pytest.mark.parametrize("name", ["gunicorn --preload", "flask run --debug"])
def test_a_process_that_only_starts_others_runs_no_scheduler_and_keeps_no_database_open(served: Served) -> None:
    server = server_of(served)
    assert server.process is not None
    leader = server.leader()
    assert leader != server.process.pid
    assert open_databases(leader)
    assert open_databases(server.process.pid) == []


@exhaustive
@pytest.mark.parametrize("name", ["gunicorn", "gunicorn --preload"])
def test_views_are_counted_by_workers_that_do_not_run_the_scheduler(served: Served) -> None:
    post = served.make(title="Read", slug="read", platforms=["site"])
    served.call("POST", f"/posts/{post['id']}/publish")
    eventually(lambda: status_of(served, post) == "published", seconds=60)
    app = create_app(server_of(served).config)
    for number in range(20):
        assert get(served, "/read", {"User-Agent": f"Reader {number}"}) == 200

    def counted() -> int:
        with app.app_context():
            count = db.session.scalar(select(func.count()).select_from(PageView)) or 0
            close_connections()
            return count

    eventually(lambda: counted() == 20)


def get(served: Served, path: str, headers: dict[str, str]) -> int:
    """Return the status of a page."""
    connection = http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=60)
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("name", ["gunicorn", "waitress", "flask run"])
def test_the_headers_of_a_trusted_proxy_arrive(name: str, tmp_path: Path, blank_database_url: str) -> None:
    server = server_in(tmp_path, blank_database_url, name, BLOGSVC_TRUSTED_PROXIES="1")
    with started(server, {}) as served:
        assert get(served, "/login", {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}) in (200, 303)
        assert get(served, "/login", {"X-Forwarded-For": "203.0.113.7"}) == 403
        assert get(served, "/login", {}) == 403


@pytest.fixture
def blank(tmp_path: Path, blank_database_url: str) -> dict[str, str]:
    return environment(tmp_path / "instance", free_port(), blank_database_url)


@pytest.mark.parametrize("name", ["flask run"])
def test_a_fresh_instance_gets_its_database_and_says_where_to_set_it_up(
    name: str, tmp_path: Path, blank_database_url: str
) -> None:
    server = server_in(tmp_path, blank_database_url, name)
    server.start()
    try:
        server.wait_until_ready()
        eventually(lambda: "set up this blog at http://" in server.log.read_text())
    finally:
        server.kill()
    assert server.tracebacks() == []


def test_a_command_that_serves_nothing_starts_no_scheduler(blank: dict[str, str]) -> None:
    command = [str(BIN / "flask"), "--app", "app", "shell"]
    waits = "import time; time.sleep(4)\nprint('The end.')\n"  # longer than a server needs to start the scheduler
    ran = subprocess.run(command, cwd=ROOT, env=blank, input=waits, capture_output=True, text=True, timeout=120)
    assert "The end." in ran.stdout
    assert not Config.load(blank).scheduler_lock.exists()


@exhaustive
@pytest.mark.parametrize("name", ["gunicorn"])
def test_without_a_scheduler_nothing_is_sent(
    name: str, tmp_path: Path, blank_database_url: str, receiver: Receiver
) -> None:
    server = server_in(tmp_path, blank_database_url, name, BLOGSVC_SCHEDULER="0")
    with started(server, {"hook": receiver.url}) as served:
        post = served.make(platforms=["hook"])
        served.call("POST", f"/posts/{post['id']}/publish")
        assert served.call("GET", f"/posts/{post['id']}", headers={"Prefer": "wait=3"}).json["status"] == "publishing"
        assert not server.config.scheduler_lock.exists()
