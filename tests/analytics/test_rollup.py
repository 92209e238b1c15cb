"""Roll-ups of page views change no figure, whenever they run, and keep the figures of views that are deleted."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import current_thread, main_thread
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import Connection, delete, event, func, select

from blogsvc.analytics import page_views, rollup
from blogsvc.context import Tools
from blogsvc.models import PageView, Post, ReferrerDay, Setting, ViewDay, ViewHour, db, transaction
from blogsvc.models.page_view import MAX_ROWS
from blogsvc.posts import trash
from blogsvc.scheduler.loop import Scheduler
from tests.api_client import Api
from tests.clock import NOW, Time, wait_until

Posts = Callable[..., Post]
ZONES = ("UTC", "Europe/Berlin", "America/Los_Angeles", "Pacific/Auckland")
DATES = "from=2026-11-15&to=2026-11-24"


def view(
    post: Post | None,
    at: datetime = NOW,
    *,
    by: int | str = "somebody",
    referrer: str | None = None,
    opts_out: bool = False,
) -> None:
    page_views.record_view(post and post.id, "203.0.113.7", str(by), referrer, not opts_out, at)


def rows(table: Any) -> int:
    db.session.rollback()
    return db.session.scalar(select(func.count()).select_from(table)) or 0


@pytest.fixture
def busy_blog(app: Flask, a_post: Posts) -> list[Post]:
    """Ten days of views, in the order of their times."""
    chance = random.Random(5)
    posts = [a_post(live=True, title=f"Post {number}") for number in range(3)]
    pages = [*posts, None]
    with page_views.views_waiting.connected_to(lambda _: None):
        for minutes in sorted(chance.randrange(10 * 1440) for _ in range(1500)):
            view(
                chance.choice(pages),
                NOW - timedelta(days=10) + timedelta(minutes=minutes),
                by=chance.randrange(12),
                referrer=chance.choice((None, "news.example", "friend.example")),
                opts_out=chance.random() < 0.1,
            )
    page_views.flush_views()
    return posts


def figures(api: Api, posts: list[Post]) -> list[dict[str, Any]]:
    """Return the reports of many scopes."""
    both = f"postId={posts[0].id}&postId={posts[1].id}"
    found = [api.get(f"/analytics?{DATES}").json, api.get(f"/analytics?{DATES}&{both}&interval=week").json]
    for zone in ZONES:
        for query in (DATES, f"{DATES}&{both}", "from=2026-11-16T05:00:00Z&to=2026-11-23T21:00:00Z"):
            answer = api.get(f"/analytics?{query}&timezone={zone}").json
            del answer["referrers"]  # they are rolled up by UTC day only
            found.append(answer)
    return found


def test_roll_ups_change_no_figure(api: Api, busy_blog: list[Post]) -> None:
    before = figures(api, busy_blog)
    assert before[0]["totals"]["views"] > 1000
    for hours in (-240, -99, -3, 1):
        while rollup.roll_up(NOW + timedelta(hours=hours), keep_days=90, max_steps=1):
            pass
        assert figures(api, busy_blog) == before
    assert rows(ViewDay) == 4 * 11, "three posts and the whole blog"


def test_a_roll_up_that_was_interrupted_continues(api: Api, busy_blog: list[Post]) -> None:
    before = figures(api, busy_blog)
    steps = 0
    while rollup.roll_up(NOW, keep_days=90, max_steps=1):
        steps += 1
        assert figures(api, busy_blog)[:2] == before[:2]
    assert steps == 11, "one for each day"


@contextmanager
def listening(name: str, listener: Callable[..., None]) -> Iterator[None]:
    """Call the listener at each such event of the database."""
    event.listen(db.engine, name, listener)
    try:
        yield
    finally:
        event.remove(db.engine, name, listener)


def writes(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get("blogsvc_write"))


def test_a_roll_up_calculates_nothing_while_it_holds_the_write_lock(app: Flask, a_post: Posts) -> None:
    posts = [a_post(live=True, title=f"Post {number}") for number in range(45)]
    with page_views.views_waiting.connected_to(lambda _: None):
        for hour in range(24):
            for post in posts:
                view(post, NOW - timedelta(days=2, hours=9) + timedelta(hours=hour), referrer=f"host-{hour}.example")
    page_views.flush_views()
    statements: list[tuple[str, int]] = []

    def note(connection: Connection, _cursor: object, statement: str, rows: Any, _context: object, many: bool) -> None:
        if writes(connection):
            statements.append((statement, len(rows) if many else 1))

    with listening("before_cursor_execute", note):
        rollup.roll_up(NOW, keep_days=90, max_steps=1)
    assert [statement for statement, _ in statements if "sum(" in statement or "GROUP BY" in statement] == []
    assert rows(ViewHour) == 24 * 46
    assert max(count for _, count in statements) == rollup.ROWS_WRITTEN


def test_views_that_arrive_during_a_roll_up_are_counted(api: Api, app: Flask, busy_blog: list[Post]) -> None:
    before = api.get(f"/analytics?{DATES}").json
    late: list[str] = []

    def read_late() -> None:
        with app.app_context():
            view(busy_blog[0], NOW - timedelta(days=3), by=f"late {len(late)}")

    def interrupt(connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        if not writes(connection) and "page_view" in statement and len(late) < 4 and current_thread() is main_thread():
            late.append(statement)
            with ThreadPoolExecutor() as pool:
                pool.submit(read_late).result()

    with listening("before_cursor_execute", interrupt):
        while rollup.roll_up(NOW, keep_days=90, max_steps=1):
            pass
    assert len(late) == 4
    after = api.get(f"/analytics?{DATES}").json
    assert after["totals"]["views"] == before["totals"]["views"] + 4
    assert after["totals"]["visitors"] == before["totals"]["visitors"] + 4
    assert sum(row["views"] for row in after["byPost"]) == sum(row["views"] for row in before["byPost"]) + 4


def test_a_roll_up_that_is_killed_before_any_commit_changes_no_figure(api: Api, busy_blog: list[Post]) -> None:
    before = figures(api, busy_blog)[:4]
    rollup.roll_up(NOW - timedelta(hours=5), keep_days=90, max_steps=1)
    rollup.roll_up(NOW - timedelta(hours=3), keep_days=90)
    for survived in range(8):
        commits = iter(range(survived))

        def kill(connection: Connection, commits: Iterator[int] = commits) -> None:
            if writes(connection) and next(commits, None) is None:
                raise InterruptedError

        view(busy_blog[0], NOW - timedelta(days=3), by="somebody new")  # its day is rolled up again
        before = figures(api, busy_blog)[:4]
        with listening("commit", kill), pytest.raises(InterruptedError):
            rollup.roll_up(NOW, keep_days=90, max_steps=1)
        assert figures(api, busy_blog)[:4] == before
        rollup.roll_up(NOW, keep_days=90)
        assert figures(api, busy_blog)[:4] == before


def test_two_processes_that_roll_up_at_once_change_no_figure(api: Api, app: Flask, busy_blog: list[Post]) -> None:
    before = figures(api, busy_blog)

    def roll_up() -> None:
        with app.app_context():
            while rollup.roll_up(NOW, keep_days=90, max_steps=1):
                pass

    with ThreadPoolExecutor() as pool:
        for each in [pool.submit(roll_up) for _ in range(3)]:
            each.result()
    assert figures(api, busy_blog) == before
    assert rows(ViewDay) == 4 * 11


def test_a_post_that_is_deleted_during_a_roll_up_stops_nothing(app: Flask, busy_blog: list[Post]) -> None:
    gone = busy_blog[0].id

    def delete_post(connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        if not writes(connection) and "view_day" in statement and current_thread() is main_thread():
            with ThreadPoolExecutor() as pool:
                pool.submit(remove).result()

    def remove() -> None:
        with app.app_context(), transaction():
            db.session.execute(delete(Post).where(Post.id == gone))

    with listening("before_cursor_execute", delete_post):
        rollup.roll_up(NOW, keep_days=90, max_steps=1)
    rollup.roll_up(NOW, keep_days=90)
    assert rows(ViewDay) == 3 * 11


def test_late_views_are_counted_although_their_day_is_rolled_up(api: Api, busy_blog: list[Post]) -> None:
    rollup.roll_up(NOW + timedelta(days=2), keep_days=90)
    before = api.get(f"/analytics?{DATES}").json
    late = NOW - timedelta(days=4)
    view(busy_blog[0], late, by="somebody new", referrer="late.example")
    for _ in range(2):
        after = api.get(f"/analytics?{DATES}").json
        assert after["totals"]["views"] == before["totals"]["views"] + 1
        assert after["totals"]["visitors"] == before["totals"]["visitors"] + 1
        assert {"host": "late.example", "views": 1, "destinations": []} in after["referrers"]
        rollup.roll_up(NOW + timedelta(days=2), keep_days=90)


YEAR = "from=2026-01-10&to=2026-11-24"


@pytest.fixture
def rolled_up_year(app: Flask, a_post: Posts) -> list[Post]:
    """A view of one of two posts every three days, rolled up."""
    posts = [a_post(live=True, title=f"Post {number}") for number in range(2)]
    with page_views.views_waiting.connected_to(lambda _: None):
        for days in range(300, 0, -3):
            view(posts[days % 2], NOW - timedelta(days=days), referrer=f"host-{days % 7}.example")
    page_views.flush_views()
    while rollup.roll_up(NOW, keep_days=90):
        pass
    return posts


def year(api: Api) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/analytics?{YEAR}&interval=month").json
    return found | {"collectedAt": None}


def test_posts_and_referrers_of_a_year_are_counted_by_month(api: Api, rolled_up_year: list[Post]) -> None:
    found = year(api)
    assert [row["views"] for row in found["byPost"]] == [50, 50]
    assert sum(row["views"] for row in found["referrers"]) == 100
    part = api.get("/analytics?from=2026-03-05&to=2026-06-10").json
    assert sum(row["views"] for row in part["byPost"]) == part["totals"]["views"] == 33
    assert sum(row["views"] for row in part["referrers"]) == 33


def test_a_late_view_counts_in_its_month(api: Api, rolled_up_year: list[Post]) -> None:
    now = NOW + timedelta(hours=2)
    view(rolled_up_year[0], now - timedelta(days=60), by="somebody new", referrer="late.example")
    for _ in range(2):
        found = year(api)
        assert found["totals"]["views"] == sum(row["views"] for row in found["byPost"]) == 101
        assert {"host": "late.example", "views": 1, "destinations": []} in found["referrers"]
        while rollup.roll_up(now, keep_days=90):
            pass


def test_a_visitor_counts_once_a_day_and_post_at_the_first_view(api: Api, a_post: Posts) -> None:
    one, two = a_post(live=True), a_post(live=True)
    for hours in (4, 3, 0.5):
        view(one, NOW - timedelta(hours=hours))
    view(two, NOW - timedelta(hours=0.2))
    for _ in range(2):
        assert [row["visitors"] for row in api.get("/analytics").json["byPost"]] == [1, 1]
        assert api.get("/analytics").json["totals"]["visitors"] == 1
        assert api.get(f"/analytics?postId={one.id}&postId={two.id}").json["totals"]["visitors"] == 2
        assert api.get(f"/analytics?postId={one.id}&from=2026-11-24T07:00:00Z").json["totals"]["visitors"] == 0
        rollup.roll_up(NOW, keep_days=90)


def test_only_full_hours_that_have_settled_are_rolled_up(app: Flask, a_post: Posts) -> None:
    view(a_post(live=True), NOW - timedelta(minutes=1))
    rollup.roll_up(NOW + timedelta(minutes=4), keep_days=90)
    assert rows(ViewHour) == 0
    rollup.roll_up(NOW + timedelta(minutes=5), keep_days=90)
    assert rows(ViewHour) == 2


def test_old_views_are_deleted_and_their_days_stay(api: Api, busy_blog: list[Post], tools: Tools, time: Time) -> None:
    before = api.get(f"/analytics?{DATES}").json
    time.passes(days=89)
    rollup.roll_up(time(), tools.config.keep_views_days)
    kept = api.get("/analytics?from=2026-11-23&to=2026-11-24").json["totals"]["views"]
    assert 0 < rows(PageView) == kept < 1500
    time.passes(days=20)
    rollup.roll_up(time(), tools.config.keep_views_days)
    assert rows(PageView) == rows(ViewHour) == 0
    after = api.get(f"/analytics?{DATES}").json
    assert after | {"collectedAt": None} == before | {"collectedAt": None}


@pytest.mark.parametrize(
    ("zone", "day"),
    [("Europe/Berlin", "2026-11-24"), ("America/Los_Angeles", "2026-11-24"), ("Pacific/Auckland", "2026-11-25")],
)
def test_an_old_day_counts_on_the_date_with_which_it_overlaps_most(
    api: Api, a_post: Posts, zone: str, day: str
) -> None:
    view(a_post(live=True), NOW)
    rollup.roll_up(NOW + timedelta(days=5), keep_days=2)
    assert rows(PageView) == 0
    series = api.get(f"/analytics?from=2026-11-20&to=2026-11-28&timezone={zone}").json["series"]
    assert [(row["date"], row["views"]) for row in series if row["views"]] == [(day, 1)]


@pytest.mark.settings(keep_views_days=0)
def test_views_are_kept_for_two_days_at_least(app: Flask, a_post: Posts, tools: Tools, time: Time) -> None:
    view(a_post(live=True), NOW)
    time.passes(days=2)
    rollup.roll_up(time(), tools.config.keep_views_days)
    assert rows(PageView) == 1
    time.passes(days=1)
    rollup.roll_up(time(), tools.config.keep_views_days)
    assert (rows(PageView), rows(ViewHour), rows(ViewDay)) == (0, 0, 2)


def test_only_the_most_common_referrers_of_a_day_are_stored(api: Api, a_post: Posts) -> None:
    post = a_post(live=True)
    with page_views.views_waiting.connected_to(lambda _: None):
        for number in range(60):
            for _ in range(1 + (number < 5)):
                view(post, referrer=f"host-{number:02}.example")
    rollup.roll_up(NOW + timedelta(days=1), keep_days=90)
    page_views.flush_views()
    rollup.roll_up(NOW + timedelta(days=1), keep_days=90)
    assert rows(ReferrerDay) == 2 * rollup.HOST_LIMIT
    answer = api.get("/analytics?from=2026-11-24&to=2026-11-24").json
    assert answer["totals"]["views"] == 65
    assert [row["host"] for row in answer["referrers"][:6]] == [f"host-{number:02}.example" for number in range(6)]
    assert [row["views"] for row in answer["referrers"][4:6]] == [2, 1]


def test_the_views_of_a_deleted_post_stay_in_the_total(api: Api, busy_blog: list[Post]) -> None:
    rollup.roll_up(NOW + timedelta(days=2), keep_days=90)
    before = api.get(f"/analytics?{DATES}").json["totals"]["views"]
    assert api.delete(f"/posts/{busy_blog[0].id}").status_code in (200, 204)
    trash.empty_trash(NOW + timedelta(days=31))
    assert api.get(f"/posts/{busy_blog[0].id}").status_code == 404
    after = api.get(f"/analytics?{DATES}").json
    assert after["totals"]["views"] == before
    assert busy_blog[0].id not in [row["postId"] for row in after["byPost"]]


def test_a_running_scheduler_rolls_up_what_is_waiting(app: Flask, tools: Tools, a_post: Posts, time: Time) -> None:
    view(a_post(live=True), NOW)
    time.passes(hours=3)
    scheduler = Scheduler(app, tools)
    scheduler.start()
    wait_until(lambda: rows(ViewHour) == 2)
    scheduler.stop(10)


def test_a_nearly_full_table_keeps_the_newest_views_and_the_figures_of_all_days(a_post: Posts) -> None:
    post = a_post(live=True)
    for days in range(10):
        view(post, NOW - timedelta(days=days, hours=3))
    page_views.flush_views()
    with transaction():
        Setting.write("view_rows", MAX_ROWS)
    while rollup.roll_up(NOW, keep_days=90):
        pass
    assert db.session.scalar(select(func.min(PageView.viewed_at))) == NOW - timedelta(days=2, hours=3)
    assert rows(ViewDay) == 2 * 10  # of the post, and of the blog
