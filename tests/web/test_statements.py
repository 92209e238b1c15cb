"""Pages with lists need as many statements for many posts as for few."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import event

from blogsvc.analytics.page_views import record_view
from blogsvc.models import Post, db
from blogsvc.posts import publishing, queue_slots
from tests.clock import Time
from tests.web.page_walk import Pages

PAGES = (
    "/desk",
    "/desk?in=drafts",
    "/desk?in=scheduled",
    "/desk?in=published",
    "/desk?q=post",
    "/desk/calendar",
    "/desk/calendar?view=list",
    "/desk/queue",
    "/desk/analytics",
)


@contextmanager
def counted() -> Iterator[list[str]]:
    """Collect the statements that are executed meanwhile."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append(statement)

    event.listen(db.engine, "before_cursor_execute", note)
    yield asked
    event.remove(db.engine, "before_cursor_execute", note)


@pytest.fixture
def add_posts(a_post: Callable[..., Post], time: Time) -> Callable[[int], None]:
    """Return a function that adds so many drafts, scheduled posts and published posts with a reader."""

    def add(count: int) -> None:
        for number in range(count):
            a_post(tags=[f"tag {number}"])
            publishing.schedule(a_post(), time() + timedelta(hours=number + 1), time())
            record_view(a_post(live=True).id, "192.0.2.1", "a browser", "news.example", True, time())

    return add


@pytest.mark.parametrize("page", PAGES)
def test_a_page_needs_no_statement_for_each_post(pages: Pages, add_posts: Callable[[int], None], page: str) -> None:
    queue_slots.add_slot(0, "09:00")
    add_posts(2)
    pages.get(page)
    with counted() as for_few:
        pages.get(page)
    add_posts(8)
    with counted() as for_many:
        body = pages.get(page).text
    assert body.count("A post") >= 8
    assert len(for_many) == len(for_few) > 0
