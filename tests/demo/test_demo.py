"""`blogsvc demo`: a temporary blog with posts in every state, which is gone when it stops."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.request import urlopen

import html5lib
import pytest
from flask import Flask

from blogsvc import Config, create_app, make_tools, migrate
from blogsvc.auth import accounts, api_keys
from blogsvc.demo.fill import DESTINATIONS, EMAIL, fill
from blogsvc.demo.samples import ALT_TEXTS, samples
from blogsvc.models import Connection, Post, close_connections, db
from tests.api_client import Api
from tests.clock import NOW, Time
from tests.conftest import Visitor
from tests.outside import Outside

PASSWORD = "a password for tests"
SECONDS = 60.0


@pytest.fixture(scope="module")
def blog(shared_database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The application of a demo, for tests that only read. Fails at the end if a request was sent."""
    outside = Outside()
    config = Config(instance=tmp_path_factory.mktemp("demo"), database_url=shared_database_url)
    app = create_app(tools=replace(make_tools(config), http=outside.http(), now=Time(NOW)))
    migrate(app)
    with app.app_context():
        fill(app, app.extensions["tools"], PASSWORD)
        db.session.expire_all()
        yield app
        close_connections()
    assert not outside.requests
    assert not outside.unexpected


@pytest.fixture(scope="module")
def api(blog: Flask) -> Api:
    return Api(Visitor(blog), api_keys.create("a test", ["all"], None, NOW)[1])


def test_there_are_posts_in_every_state(api: Api) -> None:
    statuses = [post["status"] for post in api.get("/posts?limit=100").json["data"]]
    assert len(statuses) == sum(sample.kind == "post" for sample in samples())
    assert {status: statuses.count(status) for status in set(statuses)} == {
        "published": 10,
        "partial": 2,
        "scheduled": 3,
        "draft": 2,
    }


def test_deliveries_succeed_fail_and_are_uncertain(api: Api) -> None:
    deliveries = [delivery for post in api.get("/posts?limit=100").json["data"] for delivery in post["deliveries"]]
    assert {delivery["state"] for delivery in deliveries} == {"delivered", "failed", "uncertain"}
    assert {delivery["platform"] for delivery in deliveries} == {"site", *DESTINATIONS}


@pytest.mark.usefixtures("blog")
def test_every_destination_is_a_sandbox() -> None:
    assert {connection.connector for connection in Connection.all()} == {"sandbox"}


def test_analytics_have_views_visitors_likes_and_sources(api: Api) -> None:
    found = api.get("/analytics").json
    totals = found["totals"]
    assert totals["views"] > totals["visitors"] > 100
    assert totals["likes"] > 0
    assert {"bluesky", "mastodon"} <= {name for row in found["referrers"] for name in row["destinations"]}


@pytest.mark.usefixtures("blog")
def test_the_owner_can_sign_in_with_the_password() -> None:
    session, _ = accounts.sign_in(EMAIL, PASSWORD, "a browser", "127.0.0.1", NOW)
    assert session.user.role == "owner"


def test_readers_see_the_posts_of_two_years(blog: Flask) -> None:
    archive = Visitor(blog).get("/archive").text
    assert "The last ferry" in archive.partition('id="l-2025"')[0]
    assert "Why I write in Markdown" in archive.partition('id="l-2025"')[2]


def test_readers_see_every_image_of_a_post_with_its_description(blog: Flask) -> None:
    client = Visitor(blog)
    page = html5lib.parse(client.get("/forty-minutes-in-the-steam-box").text, namespaceHTMLElements=False)
    shown = {image.get("alt"): image.get("src") for image in page.iter("img")}
    assert shown.keys() >= set(ALT_TEXTS.values()) - {ALT_TEXTS["ada"], ALT_TEXTS["jonas"]}
    for source in shown.values():
        with client.get(source) as file:
            assert file.status_code == 200


def test_readers_see_a_page_in_the_menu_two_authors_a_cover_and_a_series(blog: Flask) -> None:
    client = Visitor(blog)
    home = client.get("/").text
    assert 'href="/about"' in home.partition("</header>")[0]
    ferry = client.get("/the-last-ferry").text
    assert ferry.index("Ada Lindqvist") < ferry.index("Jonas Berg")
    assert 'class="cover' in ferry
    assert client.get("/series/publishing-step-by-step").status_code == 200


@pytest.mark.usefixtures("blog")
def test_every_published_post_is_in_the_past_and_every_scheduled_post_in_the_future() -> None:
    for post in db.session.query(Post):
        assert post.published_at is None or post.published_at < NOW
        assert post.scheduled_at is None or post.scheduled_at > NOW


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_the_command_serves_on_a_free_port_and_deletes_everything_when_it_stops(
    tmp_path: Path, taken_port: int
) -> None:
    real = tmp_path / "real"
    environ = {name: value for name, value in os.environ.items() if not name.startswith("BLOGSVC_")}
    environ |= {"TMPDIR": str(tmp_path), "PORT": str(taken_port), "BLOGSVC_INSTANCE": str(real)}
    environ |= {"BLOGSVC_DATABASE_URL": f"postgresql+psycopg://nobody@127.0.0.1:{taken_port}/real"}
    log = tmp_path / "log"
    command = [str(Path(sys.executable).parent / "blogsvc"), "demo"]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environ, stdout=output, stderr=output)
    try:
        url = _address_in(log, process)
        assert f":{taken_port}/" not in url
        assert b"The last ferry" in _page(f"{url}archive", process, log)
        assert list(tmp_path.glob("blogsvc-demo-*"))
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 0, log.read_text()
    finally:
        process.kill()
        process.wait()
    assert [path.name for path in tmp_path.iterdir()] == ["log"]
    assert "Traceback" not in log.read_text()


def _address_in(log: Path, process: subprocess.Popen[bytes]) -> str:
    """The address that the command prints. Raises AssertionError if it stops before."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if found := re.search(r"Blog +(http://\S+)", log.read_text()):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def _page(url: str, process: subprocess.Popen[bytes], log: Path) -> bytes:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(url) as response:
                return bytes(response.read())
        except OSError:
            time.sleep(0.1)
    raise AssertionError(log.read_text())
