"""Writes that name what they change run side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from datetime import timedelta
from random import Random

import psycopg
import pytest
from flask import Flask
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from blogsvc.config import Config
from blogsvc.errors import Busy
from blogsvc.lib.time import stamp
from blogsvc.models import Connection, Post, Setting, db, transaction
from blogsvc.models.database import Write, as_busy, is_lost
from blogsvc.models.due_drafts import StagingWindow, next_to_stage
from blogsvc.models.transactions import lock_also
from blogsvc.posts import publishing
from tests.api_client import Api
from tests.clock import NOW
from tests.databases import engine_of

SOON = 10  # seconds; more than a busy machine needs


@contextmanager
def elsewhere(config: Config, *nouns: str) -> Iterator[None]:
    """Another process writes what the nouns name."""
    options = Write(nouns).options
    with engine_of(config.rows_url).connect().execution_options(**options) as connection, connection.begin():
        yield


def can_write(*nouns: str) -> bool:
    """Return True if nothing is in the way of a write."""
    try:
        with transaction(*nouns, waits=False):
            return True
    except Busy:
        return False


@pytest.mark.parametrize(
    ("there", "here", "is_beside"),
    [
        pytest.param(["post:1"], ["post:2"], True, id="different nouns"),
        pytest.param(["post:1"], ["post:1"], False, id="the same noun"),
        pytest.param(["lane:1", "post:1"], ["post:1", "lane:2"], False, id="one noun in common"),
        pytest.param([], ["post:1"], False, id="beside one that runs alone"),
        pytest.param(["post:1"], [], False, id="alone beside another one"),
        pytest.param([], [], False, id="both alone"),
    ],
)
def test_writes_run_side_by_side_unless_they_have_a_noun_in_common(
    app: Flask, config: Config, there: list[str], here: list[str], is_beside: bool
) -> None:
    with elsewhere(config, *there):
        assert can_write(*here) is is_beside
    assert can_write(*here)


def test_a_noun_that_is_locked_later_is_locked_until_the_end(app: Flask, config: Config) -> None:
    with transaction("post:1"):
        lock_also("slugs")
        with engine_of(config.rows_url).connect() as connection:
            connection = connection.execution_options(**Write(("slugs",), waits=False).options)
            with pytest.raises(Exception, match="lock timeout"):
                connection.begin()
    with elsewhere(config, "slugs"):
        pass


def test_a_noun_that_another_write_has_locked_makes_this_one_busy(app: Flask, config: Config) -> None:
    with elsewhere(config, "slugs"), pytest.raises(Busy), transaction("post:1", waits=False):
        lock_also("slugs")


def run_in_threads(app: Flask, tasks: list[Future[None]]) -> None:
    done, open_tasks = wait(tasks, SOON * 6)
    assert not open_tasks
    for task in done:
        task.result()


def test_writes_with_several_nouns_never_wait_for_each_other_in_a_circle(app: Flask) -> None:
    counts = dict.fromkeys((f"post:{number}" for number in range(4)), 0)

    def write(seed: int) -> None:
        random = Random(seed)
        with app.app_context():
            for _ in range(25):
                nouns = random.sample(sorted(counts), 2)
                with transaction(*nouns):
                    for noun in nouns:
                        before = counts[noun]
                        db.session.connection()
                        counts[noun] = before + 1
                    lock_also("slugs")

    with ThreadPoolExecutor(6) as pool:
        run_in_threads(app, [pool.submit(write, seed) for seed in range(6)])
    assert sum(counts.values()) == 6 * 25 * 2


@pytest.mark.settings(busy_timeout_seconds=0.5)
def test_a_text_is_changed_beside_a_change_of_another_post(app: Flask, api: Api, config: Config) -> None:
    post, other = (api.post("/posts", json={"title": title}).json["id"] for title in ("One", "Two"))
    change = {"title": "Changed", "slug": "changed", "tags": ["new"]}
    with elsewhere(config, f"post:{other}"):
        assert api.put(f"/posts/{post}", json=change).json["title"] == "Changed"
    for noun in (f"post:{post}", "slugs"):
        with elsewhere(config, noun):
            assert api.put(f"/posts/{post}", json={"title": "Again", "slug": "again"}).status_code == 503
    assert api.get(f"/posts/{post}").json["slug"] == "changed"


@pytest.mark.parametrize(
    "change", [{"publish": True}, {"platforms": []}, {"scheduledAt": stamp(NOW + timedelta(days=1))}]
)
@pytest.mark.settings(busy_timeout_seconds=0.5)
def test_a_change_that_is_not_only_of_the_text_runs_alone(
    app: Flask, api: Api, config: Config, change: dict[str, object]
) -> None:
    post = api.post("/posts", json={"title": "One", "content": "Words."}).json["id"]
    with elsewhere(config, "post:another"):
        assert api.put(f"/posts/{post}", json=change).status_code == 503
    assert api.put(f"/posts/{post}", json=change).status_code == 200


def test_no_change_of_the_same_post_is_lost(app: Flask, api: Api) -> None:
    post = api.post("/posts", json={"title": "One", "content": "Words."}).json["id"]

    def change(field: str) -> None:
        client = Api(app.test_client(), api.key)
        for number in range(20):
            assert client.patch(f"/posts/{post}", json={field: f"{field}-{number}"}).status_code == 200

    fields = ("title", "summary", "content", "slug")
    with ThreadPoolExecutor(len(fields)) as pool:
        run_in_threads(app, [pool.submit(change, field) for field in fields])
    changed = api.get(f"/posts/{post}").json
    assert {field: changed[field] for field in fields} == {field: f"{field}-19" for field in fields}


def test_a_post_to_stage_is_read_again_when_its_text_was_changed_meanwhile(
    app: Flask, api: Api, a_post: Callable[..., Post], connect: Callable[..., str]
) -> None:
    post = publishing.schedule(a_post(platforms=[connect()]), NOW + timedelta(minutes=5), NOW)
    (lane,) = db.session.scalars(select(Connection.id))
    window = StagingWindow(NOW, NOW, NOW + timedelta(hours=1), ["webhook"])

    def change() -> int:
        return Api(app.test_client(), api.key).patch(f"/posts/{post.id}", json={"title": "Changed"}).status_code

    with ThreadPoolExecutor(1) as pool, transaction(f"lane:{lane}"):
        first = next_to_stage(lane, window)
        assert first is not None
        before = first.live_revision_id
        assert pool.submit(change).result(SOON) == 200
        again = next_to_stage(lane, window)
        assert again is not None
        assert again.live_revision_id != before


def test_two_writes_can_store_the_first_value_of_a_setting_side_by_side(app: Flask) -> None:
    def write(number: int) -> None:
        with app.app_context(), transaction(f"post:{number}"):
            Setting.write("blog_title", f"Title {number}")

    with ThreadPoolExecutor(8) as pool:
        run_in_threads(app, [pool.submit(write, number) for number in range(40)])
    assert Setting.read("blog_title").startswith("Title ")


def test_a_connection_that_was_lost_before_a_transaction_begins_counts_as_lost(app: Flask, config: Config) -> None:
    engine = db.engine
    with engine.connect() as connection:
        raw = connection.connection.dbapi_connection
        with engine_of(config.rows_url).connect() as other:
            other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": raw.info.backend_pid})
        with suppress(psycopg.OperationalError):
            raw.execute("SELECT 1")
        with pytest.raises(DBAPIError) as lost:
            connection.begin()
        assert is_lost(lost.value)
        assert isinstance(as_busy(lost.value), Busy), "the request answers 503 and not 500"
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1
