"""PostgreSQL reads each list from an index in order, so that the last page costs as much as the first."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event, text

from blogsvc.models import Post, db
from blogsvc.posts import publishing
from tests.api_client import Api
from tests.clock import Time

pytestmark = pytest.mark.postgres("on SQLite, `make bench` compares the last page with the first")

SORTS = ("createdAt", "updatedAt", "scheduledAt", "publishedAt", "title")


@pytest.fixture
def plans() -> Callable[[Callable[[], Any]], list[str]]:
    """Return a function that collects the query plans of lists of posts, as for a large table."""

    def explain(ask: Callable[[], Any]) -> list[str]:
        asked: list[tuple[str, Any]] = []

        def note(_connection: object, _cursor: object, statement: str, parameters: Any, *_rest: object) -> None:
            if "ORDER BY post." in statement:
                asked.append((statement, parameters))

        event.listen(db.engine, "before_cursor_execute", note)
        ask()
        event.remove(db.engine, "before_cursor_execute", note)
        assert asked
        with db.engine.connect() as connection:
            connection.execute(text("SET LOCAL enable_seqscan = off"))
            connection.execute(text("SET LOCAL enable_bitmapscan = off"))
            connection.execute(text("SET LOCAL enable_sort = off"))  # so that an index in order is always preferred
            return ["\n".join(connection.exec_driver_sql(f"EXPLAIN {s}", p).scalars()) for s, p in asked]

    return explain


@pytest.mark.parametrize("sort", [*SORTS, *(f"-{sort}" for sort in SORTS)])
def test_a_page_of_every_sort_order_is_read_from_its_index(
    api: Api, a_post: Callable[..., Post], plans: Callable[..., list[str]], sort: str
) -> None:
    for _ in range(3):
        a_post(live=True)
    cursor = api.get(f"/posts?sort={sort}&limit=1").json["nextCursor"]
    for path in (f"/posts?sort={sort}", f"/posts?sort={sort}&limit=1&cursor={cursor}"):
        first, *_ = plans(lambda path=path: api.get(path))
        assert "Sort" not in first
        assert "Index Cond" in first or "cursor" not in path


def test_due_posts_and_blog_posts_have_partial_indexes(
    client: FlaskClient,
    a_post: Callable[..., Post],
    tick: Callable[[], None],
    plans: Callable[..., list[str]],
    time: Time,
) -> None:
    a_post(live=True)
    publishing.schedule(a_post(), time() + timedelta(minutes=1), time())
    time.passes(minutes=1)
    # On a table of two posts, the planner may take the index of the list of scheduled posts, which costs the same.
    assert all("Index Cond: (scheduled_at <= " in plan for plan in plans(tick))
    assert any("ix_post_on_site" in plan for plan in plans(lambda: client.get("/")))
    with db.engine.connect() as connection:
        query = "SELECT indexdef FROM pg_indexes WHERE indexname IN ('ix_post_due', 'ix_post_on_site')"
        assert all(" WHERE " in definition for definition in connection.execute(text(query)).scalars())
