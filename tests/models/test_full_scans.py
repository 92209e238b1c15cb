"""No request and no tick of the scheduler reads a whole table that grows with the blog."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event

from blogsvc.api.framework.cursors import COLUMNS
from blogsvc.lib.time import utc_now
from blogsvc.models import Post, db
from blogsvc.posts import series
from tests.api_client import Api

pytestmark = pytest.mark.sqlite("reads SQLite's query plans; test_query_plans.py reads those of PostgreSQL")

GROWING = (
    "post", "post_text", "site_words", "post_label", "post_word", "revision", "delivery", "attempt", "event",
    "page_view", "view_hour", "view_day", "view_month", "referrer_day", "referrer_month", "copy_stats", "delivery_day",
    "webhook_delivery", "webhook_attempt", "media", "redirect",
)  # fmt: skip
LISTS = (
    *(f"/posts?sort={order}{name}" for name in COLUMNS for order in ("", "-")),
    "/posts?status=draft",
    "/posts?status=published&sort=title",
    "/posts?tag=rare",
    "/posts?platform=site&status=published",
    "/posts?createdAfter=2017-01-01T00:00:00Z",
    "/posts?q=word",
    "/posts?q=%22two%20words%22%20-other",
    "/events",
    "/media",
    "/analytics",
)
PARTIAL_INDEXES = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'"
PAGES = ("/", "/?page=2", "/feed.xml", "/atom.xml", "/feed.json", "/rss.xml", "/sitemap.xml", "/tags/rare", "/a-post",
         "/search?q=post", "/tags", "/archive", "/archive/2026", "/a-post/", "/2020/01/old/", "/category/rare/",
         "/2020/", "/?p=13", "/series/boats", "/feed/series/boats")  # fmt: skip


@pytest.fixture
def full_scans() -> Callable[[], Any]:
    """Return a context manager that collects the statements that read a growing table without an index."""

    @contextmanager
    def collect() -> Iterator[list[str]]:
        asked: list[tuple[str, Any]] = []
        found: list[str] = []

        def note(_connection: object, _cursor: object, statement: str, parameters: Any, *_rest: object) -> None:
            if statement.lstrip().startswith(("SELECT", "WITH", "UPDATE", "DELETE")):
                asked.append((statement, parameters))

        event.listen(db.engine, "before_cursor_execute", note)
        yield found
        event.remove(db.engine, "before_cursor_execute", note)
        with db.engine.connect() as connection:
            partial = set(connection.exec_driver_sql(PARTIAL_INDEXES).scalars())
            for statement, parameters in asked:
                plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
                steps = [row.detail for row in plan]
                found += [f"{step}: {statement}" for step in steps if _is_full_scan(step, statement, partial)]

    return collect


def _is_full_scan(step: str, statement: str, partial: set[str]) -> bool:
    """Return whether a step of a plan reads all rows. A list may walk an index, because its LIMIT ends the walk.

    The events are stored in the order of their positions, so the list of events walks the table itself. A partial index
    is that of the few rows that need something.
    """
    scanned = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", step)
    if scanned is None or scanned[1] not in GROWING or scanned[2] in partial:
        return False
    is_walk = scanned[2] is not None or "ORDER BY event.position" in statement
    return not (is_walk and "LIMIT" in statement)


def test_no_list_of_the_api_reads_a_whole_table(
    api: Api, a_post: Callable[..., Post], full_scans: Callable[[], Any]
) -> None:
    a_post(live=True, tags=["rare"])
    for path in LISTS:
        with full_scans() as found:
            assert api.get(path).status_code == 200
        assert found == [], path


def test_no_page_of_the_blog_reads_a_whole_table(
    client: FlaskClient, a_post: Callable[..., Post], full_scans: Callable[[], Any]
) -> None:
    series.create({"title": "Boats"}, utc_now())
    a_post(live=True, title="A post", tags=["rare"], series="boats")
    for path in PAGES:
        with full_scans() as found:
            client.get(path)
        assert found == [], path


def test_no_tick_of_the_scheduler_reads_a_whole_table(
    a_post: Callable[..., Post], tick: Callable[[], None], full_scans: Callable[[], Any]
) -> None:
    tick()  # with the daily maintenance, which reads whole tables, but not in a transaction that writes
    a_post(live=True)
    with full_scans() as found:
        tick()
    assert found == []
