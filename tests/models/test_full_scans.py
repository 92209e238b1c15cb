"""No request and no tick of the scheduler reads a whole table that grows with the blog."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event

from blogsvc.api.framework.cursors import COLUMNS
from blogsvc.auth import accounts
from blogsvc.context import Tools
from blogsvc.lib.time import utc_now
from blogsvc.models import Post, User, db, transaction
from blogsvc.models.post_conditions import FEW
from blogsvc.posts import series
from tests.api_client import Api
from tests.bench import million
from tests.bench.servers import Place

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
STORED_ORDER = re.compile(r"ORDER BY (event\.position|post_text\.number|site_words\.number)\b")
PARTIAL_INDEXES = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'"
PAGES = ("/", "/?page=2", "/feed.xml", "/atom.xml", "/feed.json", "/rss.xml", "/sitemap.xml", "/tags/rare", "/a-post",
         "/search?q=post", "/tags", "/archive", "/archive/2026", "/a-post/", "/2020/01/old/", "/category/rare/",
         "/2020/", "/?p=13", "/series/boats", "/feed/series/boats")  # fmt: skip


# Why a statement may sort what it has found, by a part of it. Other statements read the rows in order from an index.
SORTS_OF_FEW = {
    "post.id IN (SELECT": "at most `FEW` posts are looked up, which were counted",
    "post.id IN (?": "the posts on a page of search results",
    "post.state IN (?, ?) AND post.scheduled_at IS NOT NULL": "the posts that are planned",
    "delivery.post_id IN (": "the deliveries of the posts on a page",
    "? = delivery.post_id": "the deliveries of a post",
    "SELECT post_label.value": "the tags of the posts that were changed last",
}


@pytest.fixture
def full_scans() -> Callable[[], Any]:
    """Return a context manager that collects the statements that read a growing table without an index.

    It also collects those that sort rows of such a table, unless `SORTS_OF_FEW` gives a reason.
    """

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
            of_few = set(connection.exec_driver_sql(PARTIAL_INDEXES).scalars())
            for statement, parameters in asked:
                plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
                steps = [row.detail for row in plan]
                found += [f"{step}: {statement}" for step in steps if _is_full_scan(step, statement, of_few)]
                found += [f"{step}: {statement}" for step in steps if _is_sort(step, statement)]

    return collect


def _is_sort(step: str, statement: str) -> bool:
    """Return whether a step of a plan sorts rows of a growing table that may be many."""
    reads = set(re.findall(r"(?:FROM|JOIN) (\w+)", statement))
    is_sort = step == "USE TEMP B-TREE FOR ORDER BY" and not reads.isdisjoint(GROWING)
    return is_sort and not any(part in statement for part in SORTS_OF_FEW)


def _is_full_scan(step: str, statement: str, of_few: set[str]) -> bool:
    """Return whether a step of a plan reads all rows. A list may walk an index, because its LIMIT ends the walk.

    Some tables are stored in the order that is asked for, so the list walks the table itself. A partial index is that
    of the few rows that need something.
    """
    scanned = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", step)
    if scanned is None or scanned[1] not in GROWING or scanned[2] in of_few:
        return False
    is_walk = scanned[2] is not None or STORED_ORDER.search(statement) is not None
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


def test_no_list_of_many_posts_reads_or_sorts_them_all(
    api: Api, client: FlaskClient, tools: Tools, full_scans: Callable[[], Any]
) -> None:
    place = Place(tools.config.instance, "")
    million.fill(place, FEW + 500)
    with transaction():
        user = User.of("ann@blog.example", "Ann", "owner", "no password", "Europe/Berlin", tools.now())
    _, token = accounts.begin_session(user, "a test", "127.0.0.1", tools.now())
    with client.session_transaction() as cookie:
        cookie["token"] = token
    lists = [f"/posts?{question}" for question in million.QUESTIONS]
    lists += [f"/posts?{question}&cursor={million.last_cursor(place, question)}" for question in million.QUESTIONS]
    reads = {path: partial(api.get, path) for path in lists}
    reads |= {path: partial(client.get, path) for path in (*million.DASHBOARD, *million.BLOG)}
    slow = {}
    for path, read in reads.items():
        with full_scans() as found:
            assert read().status_code == 200, path
        if found:
            slow[path] = found
    assert slow == {}


def test_no_tick_of_the_scheduler_reads_a_whole_table(
    a_post: Callable[..., Post], tick: Callable[[], None], full_scans: Callable[[], Any]
) -> None:
    tick()  # with the daily maintenance, which reads whole tables, but not in a transaction that writes
    a_post(live=True)
    with full_scans() as found:
        tick()
    assert found == []
