"""Recorded views are written exactly once, whoever flushes and whatever fails, and memory is bounded."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from threading import Event

import pytest
from flask import Flask
from sqlalchemy import delete, func, select

from blogsvc.analytics import page_views, rollup, view_limits
from blogsvc.config import Config
from blogsvc.context import Tools, attach
from blogsvc.errors import Busy
from blogsvc.models import PageView, Post, Setting, ViewDay, close_connections, db, transaction
from blogsvc.models.page_view import MAX_ROWS, row_count
from blogsvc.scheduler.maintenance import run_daily_maintenance
from tests.api_client import Api
from tests.clock import NOW
from tests.databases import another

RECORDING, FLUSHING, EACH = 6, 4, 200


@pytest.fixture
def running_flusher() -> Iterator[None]:
    """Stand in for a running view flusher, which writes views later."""
    with page_views.views_waiting.connected_to(lambda _: None):
        yield


def record(number: int = 0, post: Post | None = None, at: datetime = NOW) -> None:
    page_views.record_view(post and post.id, f"198.51.{number % 100}.7", f"reader {number}", None, True, at)


def written() -> int:
    db.session.rollback()
    return db.session.scalar(select(func.count()).select_from(PageView)) or 0


@pytest.mark.usefixtures("running_flusher")
def test_concurrent_flushes_write_each_view_once(app: Flask) -> None:
    is_done = Event()

    def read(reader: int) -> None:
        with app.app_context():
            for number in range(EACH):
                record(reader * EACH + number)

    def flush() -> None:
        with app.app_context():
            while not is_done.is_set():
                page_views.flush_views()
            close_connections()

    with ThreadPoolExecutor(RECORDING + FLUSHING) as pool:
        flushing = [pool.submit(flush) for _ in range(FLUSHING)]
        for each in [pool.submit(read, number) for number in range(RECORDING)]:
            each.result()
        is_done.set()
        for each in flushing:
            each.result()
    page_views.flush_views()
    assert written() == RECORDING * EACH
    readers = db.session.scalar(select(func.count(PageView.visitor.distinct())))
    assert readers == RECORDING * EACH


@pytest.mark.settings(busy_timeout_seconds=0.1)
@pytest.mark.usefixtures("running_flusher")
def test_a_flush_that_fails_keeps_every_view(app: Flask, config: Config, a_post: Callable[..., Post]) -> None:
    post = a_post(live=True)
    for number in range(3):
        record(number, post)
    with another(config.rows_url, writes=True):
        for _ in range(2):
            with pytest.raises(Busy):
                page_views.flush_views()
        record(3, post)
    assert written() == 0
    page_views.flush_views()
    page_views.flush_views()
    assert written() == 4


def counted() -> int:
    """Return the number of views, of which a row may have several."""
    page_views.flush_views()
    db.session.rollback()
    return db.session.scalar(select(func.sum(PageView.views))) or 0


@pytest.mark.usefixtures("running_flusher")
def test_equal_views_of_a_minute_are_one_row(app: Flask, a_post: Callable[..., Post]) -> None:
    post = a_post(live=True)
    for seconds in range(0, 120, 2):
        record(0, post, NOW + timedelta(seconds=seconds))
    record(1, post)
    record(0)
    assert counted() == 62
    assert written() == 4
    assert set(db.session.scalars(select(PageView.viewed_at))) == {NOW, NOW + timedelta(minutes=1)}


def flood(views: int, post: Post | None = None, at: datetime = NOW) -> None:
    """Record views of one visitor from different websites."""
    for number in range(views):
        page_views.record_view(post and post.id, "203.0.113.7", "a client", f"host-{number}.example", True, at)


@pytest.mark.usefixtures("running_flusher")
def test_the_views_of_a_visitor_and_page_count_up_to_a_limit_each_day(app: Flask, a_post: Callable[..., Post]) -> None:
    post, limit = a_post(live=True), view_limits.VISITOR_PAGE_VIEWS
    flood(limit + 100, post)
    assert counted() == written() == limit
    flood(limit + 100)
    assert counted() == 2 * limit, "those of another page"
    flood(10, post, NOW + timedelta(days=1))
    assert counted() == 2 * limit + 10, "those of the next day"
    record(0, post)
    assert counted() == 2 * limit + 11, "those of another visitor"


@pytest.mark.usefixtures("running_flusher")
@pytest.mark.parametrize(
    "address",
    [
        lambda number: f"203.0.113.{number % 256}",
        lambda number: f"::ffff:203.0.113.{number % 256}",
        lambda number: f"2001:db8:7:{number:x}::1",
        lambda _: "unknown",
    ],
)
@pytest.mark.parametrize("opts_out", [False, True])
def test_the_views_of_a_network_and_page_count_up_to_a_limit(
    app: Flask, address: Callable[[int], str], opts_out: bool
) -> None:
    limit = view_limits.NETWORK_PAGE_VIEWS
    for number in range(limit + 100):
        referrer = f"host-{number}.example"
        page_views.record_view(None, address(number), f"agent {number}", referrer, not opts_out, NOW)
    assert counted() == written() == limit
    record()
    assert counted() == limit + 1, "those of another network"


@pytest.mark.usefixtures("running_flusher")
def test_the_views_of_a_network_count_up_to_a_limit_on_all_pages_together(
    app: Flask, a_post: Callable[..., Post]
) -> None:
    pages = [None, *(a_post(live=True, title=f"Post {number}").id for number in range(4))]
    for number in range(view_limits.NETWORK_VIEWS + 100):
        page_views.record_view(pages[number % 5], "203.0.113.7", f"agent {number}", None, True, NOW)
    assert counted() == written() == view_limits.NETWORK_VIEWS


@pytest.fixture
def nearly_full(app: Flask) -> None:
    """Store that the table has room for two rows."""
    with transaction():
        Setting.write("view_rows", MAX_ROWS - 2)


@pytest.mark.usefixtures("running_flusher", "nearly_full")
def test_the_table_of_views_has_a_ceiling(app: Flask) -> None:
    for number in range(4):
        for _ in range(3):
            record(number)
    assert counted() == 6
    record(0)
    assert counted() == 6
    assert written() == 2


@pytest.mark.usefixtures("running_flusher", "nearly_full")
def test_views_are_stored_again_after_old_ones_are_deleted(app: Flask) -> None:
    record(0)
    record(1)
    page_views.flush_views()
    later = NOW + timedelta(days=3)
    rollup.roll_up(later, keep_days=2)
    assert written() == 0
    for number in range(3):
        record(number, at=later)
    assert counted() == 2


@pytest.mark.usefixtures("running_flusher", "nearly_full")
def test_roll_ups_go_on_while_the_table_is_full(api: Api) -> None:
    for number in range(3):
        record(number)
    page_views.flush_views()
    rollup.roll_up(NOW + timedelta(days=1), keep_days=90)
    assert db.session.scalar(select(ViewDay.views)) == 2


def test_the_daily_maintenance_corrects_the_number_of_rows(
    app: Flask, tools: Tools, a_post: Callable[..., Post]
) -> None:
    post = a_post(live=True)
    for number in range(3):
        record(number, post)
        record(number)
    assert row_count() == 6
    with transaction():
        db.session.execute(delete(Post).where(Post.id == post.id))
    run_daily_maintenance(tools)
    assert row_count() == written() == 3


def test_the_limits_take_no_memory_for_each_network(app: Flask) -> None:
    limits = view_limits.ViewLimits()
    tracemalloc.start()
    for number in range(20_000):
        limits.allow(f"post {number}", f"198.{18 + number % 2}.{number % 256}.1", number.to_bytes(32), NOW.date())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000


@pytest.mark.usefixtures("running_flusher")
def test_a_full_buffer_is_written_by_the_next_reader(app: Flask) -> None:
    for number in range(page_views.MAX_WAITING + 1):
        record(number)
    assert written() == page_views.MAX_WAITING
    page_views.flush_views()
    assert written() == page_views.MAX_WAITING + 1


@pytest.mark.settings(busy_timeout_seconds=0.1)
@pytest.mark.usefixtures("running_flusher")
def test_views_are_refused_only_while_the_buffer_is_full_and_the_database_is_locked(app: Flask, config: Config) -> None:
    for number in range(page_views.MAX_WAITING):
        record(number)
    with another(config.rows_url, writes=True):
        with pytest.raises(Busy):
            record()
        for number in range(page_views.MAX_BATCH):
            record(number)  # beside the batch whose writing failed
        for _ in range(3):
            with pytest.raises(Busy):
                record()
    record()
    page_views.flush_views()
    assert written() == page_views.MAX_WAITING + page_views.MAX_BATCH + 1


@pytest.mark.usefixtures("running_flusher")
def test_a_visitor_is_recognized_within_a_day_but_not_across_days(app: Flask, tools: Tools) -> None:
    tomorrow = NOW + timedelta(days=1)
    record()
    page_views.flush_views()
    attach(app, tools)  # as after a restart
    for at in (NOW, tomorrow, tomorrow):
        record(at=at)
        page_views.flush_views()
    record(at=NOW)  # late
    record(at=tomorrow)
    page_views.flush_views()
    days: dict[date, set[bytes | None]] = {}
    for view in db.session.scalars(select(PageView)):
        days.setdefault(view.viewed_at.date(), set()).add(view.visitor)
    assert len(days[tomorrow.date()]) == 1
    assert not days[NOW.date()] & days[tomorrow.date()]
    assert db.session.scalar(select(Setting.value).where(Setting.name == "visitor_salt"))["day"] == "2026-11-25"


@pytest.mark.usefixtures("running_flusher")
def test_views_of_a_post_deleted_meanwhile_are_dropped(app: Flask, a_post: Callable[..., Post]) -> None:
    page_views.record_view("post_gone", "203.0.113.7", "a reader", None, True, NOW)
    record(0, a_post(live=True))
    page_views.flush_views()
    assert written() == 1
