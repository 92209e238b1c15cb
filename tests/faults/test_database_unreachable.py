"""The database server restarts or is unreachable: clear responses, no partial changes, and recovery."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from io import BytesIO
from logging import WARNING
from time import sleep

import pytest
from flask import Flask
from sqlalchemy import func, make_url, select, text
from sqlalchemy.exc import SQLAlchemyError

from blogsvc.analytics import page_views
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.errors import Busy, Unsure
from blogsvc.lib.time import utc_now
from blogsvc.models import PageView, Post, Setting, db, transaction
from blogsvc.models.import_job import ImportJob
from blogsvc.scheduler.loop import Scheduler
from blogsvc.server.view_flusher import ViewFlusher
from blogsvc.transfer import importing
from tests.api_client import Api
from tests.clock import Time, wait_until
from tests.databases import another
from tests.faults.conftest import Beside
from tests.faulty_platform import FaultyPlatform
from tests.images import png
from tests.raw_http import Wire

COMMIT = b"COMMIT\0"  # as sent on the wire; READ COMMITTED at the start is not one
pytestmark = pytest.mark.postgres("a file is never away; that it is locked or full is tested elsewhere")


@pytest.fixture
def server(database_url: str) -> str:
    """The URL of the database server itself, without the proxy."""
    return database_url


@pytest.fixture
def wire(database_url: str) -> Iterator[Wire]:
    place = make_url(database_url)
    with Wire(place.host or "127.0.0.1", place.port or 5432) as wire:
        yield wire


@pytest.fixture
def config(config: Config, wire: Wire) -> Config:
    """With the database behind the proxy."""
    place = make_url(config.rows_url).set(host="127.0.0.1", port=wire.port)
    return replace(config, database_url=place.render_as_string(hide_password=False))


def terminate_all(server: str) -> int:
    """Terminate every connection, as a restart does. Return their number."""
    query = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database()"
    with another(server) as rows:
        return int(rows.scalar(text(f"{query} AND pid <> pg_backend_pid() AND backend_type = 'client backend'")))


def title(server: str, post_id: str) -> str | None:
    with another(server) as rows:
        found: str | None = rows.scalar(select(Post.title).where(Post.id == post_id))
    return found


def test_idle_connections_closed_by_the_server_are_replaced_silently(api: Api, server: str) -> None:
    post = api.post("/posts", title="Kept").json
    db.session.remove()
    assert terminate_all(server) > 0
    assert api.get(f"/posts/{post['id']}").json["title"] == "Kept"
    assert terminate_all(server) > 0
    assert api.put(f"/posts/{post['id']}", title="Changed").status_code == 200


def test_a_connection_lost_after_the_last_query_of_a_request_does_not_spoil_its_response(
    app: Flask, server: str
) -> None:
    with app.app_context():
        assert Setting.read("blog_title") == "A blog"
        assert terminate_all(server) > 0
    with app.app_context():
        assert Setting.read("blog_title") == "A blog"
        assert terminate_all(server) > 0
        with transaction():  # it reads everything again
            Setting.write("blog_title", "Written on a new connection")
    with app.app_context():
        assert Setting.read("blog_title") == "Written on a new connection"


def test_a_row_that_was_read_on_a_lost_connection_is_changed_on_the_next_one(
    app: Flask, server: str, a_post: Callable[..., Post]
) -> None:
    post = a_post(title="Before")
    assert post.title == "Before"
    db.session.rollback()
    assert post.title == "Before"
    assert terminate_all(server) > 0
    with transaction():
        post.title = "After"
    assert title(server, post.id) == "After"


def test_an_interrupted_write_changes_nothing(app: Flask, server: str) -> None:
    def write() -> None:
        with transaction():
            Setting.write("blog_title", "Half done")
            db.session.flush()
            assert terminate_all(server) > 0
            Setting.write("blog_author", "Nobody")

    with pytest.raises(Busy, match="nothing was changed"):
        write()
    assert Setting.read("blog_title") == "A blog"
    with transaction():
        Setting.write("blog_title", "Done")
    assert Setting.read("blog_title") == "Done"


@pytest.mark.parametrize("path", ["/api/v1/posts", "/", "/feed.xml"])
def test_every_page_returns_503_while_the_database_is_down_and_works_again_afterwards(
    api: Api, wire: Wire, path: str
) -> None:
    headers = {"Authorization": f"Bearer {api.key}"}
    assert api.client.get(path, headers=headers).status_code == 200
    db.session.remove()
    wire.cut()
    # Public pages come from memory for the moment in which another process may not have changed them.
    wait_until(lambda: api.client.get(path, headers=headers).status_code == 503)
    assert api.client.get(path, headers=headers).headers["Retry-After"] == "1"
    assert api.client.get("/ready").status_code == 503
    wire.mend()
    assert api.client.get(path, headers=headers).status_code == 200
    assert api.client.get("/ready").status_code == 200


def test_a_write_while_the_database_is_down_returns_503_with_retry_after(api: Api, wire: Wire) -> None:
    post = api.post("/posts", title="Kept").json
    db.session.remove()
    wire.cut()
    refused = api.put(f"/posts/{post['id']}", title="Changed")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    wire.mend()
    assert api.put(f"/posts/{post['id']}", title="Changed").status_code == 200


@pytest.mark.parametrize(("is_heard", "outcome"), [(True, "Changed"), (False, "Kept")])
def test_a_commit_without_a_response_returns_500_with_an_unknown_outcome(
    api: Api, wire: Wire, server: str, is_heard: bool, outcome: str
) -> None:
    post = api.post("/posts", title="Kept").json
    wire.cut_at(COMMIT, is_heard=is_heard)
    answer = api.put(f"/posts/{post['id']}", title="Changed")
    assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (500, "outcome-unknown")
    assert "Retry-After" not in answer.headers, "retrying without a lookup may create it twice"
    wait_until(lambda: title(server, post["id"]) == outcome)
    assert api.get(f"/posts/{post['id']}").json["title"] == outcome


def test_a_write_that_was_saved_is_never_answered_with_503(api: Api, wire: Wire, server: str) -> None:
    post = api.post("/posts", title="Kept", content="Words", platforms=["site", "mastodon"]).json
    wire.cut_after(COMMIT)
    answer = api.put(f"/posts/{post['id']}", title="Changed", publish=True)
    assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (500, "outcome-unknown")
    assert "may have been saved" in answer.json["detail"]
    assert title(server, post["id"]) == "Changed"
    wire.mend()
    assert api.get(f"/posts/{post['id']}").json["title"] == "Changed"


def test_a_request_that_waits_is_answered_with_its_first_response_if_the_database_is_lost_meanwhile(
    api: Api, wire: Wire
) -> None:
    post = api.post("/posts", title="Kept", content="Words", platforms=["site"]).json
    wire.cut_after(COMMIT)
    answer = api.post(f"/posts/{post['id']}/publish", headers={"Prefer": "wait=5"})
    assert answer.status_code == 202
    wire.mend()
    assert api.get(f"/posts/{post['id']}").json["status"] != "draft"


@pytest.mark.parametrize("is_heard", [True, False])
def test_the_response_to_an_unknown_outcome_says_how_to_find_out(api: Api, wire: Wire, is_heard: bool) -> None:
    api.get("/posts")  # its connection is open
    headers = {"Idempotency-Key": "first"}
    wire.cut_at(COMMIT, is_heard=is_heard)
    answer = api.post("/posts", title="Once", headers=headers)
    assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (500, "outcome-unknown")
    assert "again with the same Idempotency-Key" in answer.json["detail"]
    again = api.post("/posts", title="Once", headers=headers)
    assert (again.status_code, again.headers.get("Idempotency-Replayed")) == (201, "true" if is_heard else None)
    assert [post["title"] for post in api.get("/posts").json["data"]] == ["Once"]

    wire.cut_at(COMMIT, is_heard=is_heard)
    answer = api.post("/posts", title="Another")
    assert "Read the list before" in answer.json["detail"]


@pytest.mark.parametrize(
    ("word", "status", "slug", "retry_after"),
    [(COMMIT, 500, "outcome-unknown", None), (b"UPDATE post", 503, "unavailable", "1")],
)
def test_a_database_that_is_gone_during_a_write_is_reported_as_such(
    api: Api, wire: Wire, word: bytes, status: int, slug: str, retry_after: str | None
) -> None:
    post = api.post("/posts", title="Kept").json
    db.session.remove()
    wire.cut_at(word, is_for_all=True)
    answer = api.put(f"/posts/{post['id']}", title="Changed")
    assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (status, slug)
    assert answer.headers.get("Retry-After") == retry_after
    wire.mend()
    assert api.get(f"/posts/{post['id']}").json["title"] == "Kept"


@pytest.mark.parametrize("is_heard", [True, False])
def test_the_response_of_a_platform_is_stored_although_the_commit_was_interrupted(
    link: Callable[..., object],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    beside: Beside,
    wire: Wire,
    delivery: Callable[[Post, str], object],
    is_heard: bool,
) -> None:
    link("faulty-none")
    post = a_post(live=True, platforms=["faulty-none"])
    platform.will("slow")
    beside.tick()
    assert platform.wait_for(lambda: platform.account("faulty-none").calls)
    wire.cut_at(COMMIT, is_heard=is_heard)
    beside.wait()
    found = delivery(post, "faulty-none")
    assert (found.state, len(found.attempts)) == ("delivered", 1)
    assert len(platform.account("faulty-none").calls) == 1


def test_a_post_that_is_imported_while_the_database_goes_away_is_imported_when_it_is_back(
    app: Flask, tools: Tools, wire: Wire, time: Time
) -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("one.md", "---\ntitle: One\ndate: 2020-01-02\n---\n![a](a.png)")
        archive.writestr("a.png", png())
    file.seek(0)
    import_id = importing.receive(file, "a.zip", None, tools).id
    assert not importing.step(import_id, tools)
    importing.begin(import_id, tools, blog=True)
    wire.cut_at(b"FROM imported_image", is_for_all=True)
    with pytest.raises(SQLAlchemyError):
        importing.step(import_id, tools)
    wire.mend()
    db.session.remove()
    time.passes(minutes=10)  # its lease ends
    while importing.step(import_id, tools):
        pass
    job = ImportJob.get(import_id)
    assert (job.state, job.counts()["made"]) == ("finished", 1)


@pytest.fixture
def scheduler(app: Flask, tools: Tools) -> Iterator[Scheduler]:
    scheduler = Scheduler(app, replace(tools, now=utc_now))
    scheduler.start()
    yield scheduler
    scheduler.stop(10)


@pytest.fixture
def view_flusher(app: Flask) -> Iterator[None]:
    flusher = ViewFlusher(app)
    flusher.start()
    yield
    flusher.stop()


def test_the_scheduler_resumes_when_the_database_is_back(
    api: Api, scheduler: Scheduler, wire: Wire, server: str, time: Callable[..., object]
) -> None:
    time.now = utc_now()  # type: ignore[attr-defined]
    at = (utc_now() + timedelta(seconds=1.5)).isoformat()
    post = api.post("/posts", title="Due", content="Words.", scheduledAt=at).json
    db.session.remove()
    wire.cut()
    sleep(2)  # its scheduled time passes
    wire.mend()
    wait_until(lambda: api.get(f"/posts/{post['id']}").json["status"] == "published")


def test_an_outage_is_one_line_in_the_log_when_it_begins_and_one_when_it_is_over(
    api: Api,
    scheduler: Scheduler,
    view_flusher: None,
    wire: Wire,
    link: Callable[..., object],
    platform: FaultyPlatform,
    time: Callable[..., object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    time.now = utc_now()  # type: ignore[attr-defined]
    link("faulty-key")
    link("faulty-none")
    platform.always("late")  # so that the lanes are at work
    post = api.post("/posts", title="Now", content="Words.", platforms=["site", "faulty-key", "faulty-none"]).json
    assert api.post(f"/posts/{post['id']}/publish").status_code == 202
    wait_until(lambda: len(platform.account("faulty-key").calls) + len(platform.account("faulty-none").calls) == 2)
    assert api.client.get("/now", headers={"User-Agent": "A person"}).status_code == 200
    db.session.remove()
    caplog.clear()
    wire.cut()
    platform.behaves()
    platform.goes_on()
    wait_until(lambda: api.put(f"/posts/{post['id']}", title="Changed").status_code == 503)
    sleep(3)  # three attempts of each of the background threads
    wire.mend()
    wait_until(lambda: api.get(f"/posts/{post['id']}").json["status"] == "published")
    wait_until(lambda: "is back" in caplog.text)
    said = [(record.levelname, record.message[:42]) for record in caplog.records if record.levelno >= WARNING]
    assert said == [
        ("ERROR", "the connection to the database is lost: co"),
        ("WARNING", "the connection to the database is back aft"),
    ]


def test_views_that_could_not_be_written_are_written_when_the_database_is_back(
    api: Api,
    view_flusher: None,
    wire: Wire,
    server: str,
    a_post: Callable[..., Post],
    caplog: pytest.LogCaptureFixture,
) -> None:
    def written() -> int:
        with another(server) as rows:
            return rows.scalar(select(func.sum(PageView.views))) or 0

    a_post(live=True, slug="one")
    db.session.remove()
    for _ in range(2):
        assert api.client.get("/one", headers={"User-Agent": "A person"}).status_code == 200
    wait_until(lambda: written() == 2)
    assert api.client.get("/one", headers={"User-Agent": "A person"}).status_code == 200
    wire.cut()
    wait_until(lambda: "the connection to the database is lost" in caplog.text)
    wire.mend()
    wait_until(lambda: written() == 3)
    page_views.flush_views()
    assert written() == 3


@pytest.mark.parametrize("is_heard", [True, False])
def test_views_are_written_once_although_the_commit_was_interrupted(
    api: Api, wire: Wire, server: str, time: Callable[[], datetime], is_heard: bool
) -> None:
    def written() -> int:
        with another(server) as rows:
            return rows.scalar(select(func.count()).select_from(PageView)) or 0

    with page_views.views_waiting.connected_to(lambda _: None):
        for number in range(3):
            page_views.record_view(None, "203.0.113.7", f"reader {number}", None, True, time())
        wire.cut_at(COMMIT, is_heard=is_heard)
        with pytest.raises(Unsure):
            page_views.flush_views()
        wait_until(lambda: written() == (3 if is_heard else 0))
        page_views.record_view(None, "203.0.113.7", "one more", None, True, time())
        page_views.flush_views()
    assert written() == 4
