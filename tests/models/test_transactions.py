"""Transactions are atomic, parts of them can fail alone in a savepoint, and times have a time zone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

import pytest
from flask import Flask
from sqlalchemy.exc import OperationalError, StatementError

from blogsvc.config import Config
from blogsvc.errors import NotFound
from blogsvc.models import Setting, became_due, db, transaction, wake_scheduler
from blogsvc.models.post import Post
from blogsvc.models.transactions import MissingLock, SwallowedError, UnsavedChanges, lock_also, savepoint
from blogsvc.posts import trash
from tests.clock import NOW
from tests.databases import another


def blog_title() -> object:
    db.session.rollback()
    return Setting.read("blog_title")


def test_a_failed_transaction_stores_nothing_not_even_a_finished_nested_one(app: Flask) -> None:
    def do_half() -> None:
        with transaction():
            with transaction():
                Setting.write("blog_title", "Half done")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        do_half()
    assert blog_title() == "A blog"


def test_a_transaction_of_which_a_part_failed_is_not_stored_even_if_the_error_is_handled(app: Flask) -> None:
    def fail() -> None:
        with transaction():
            Setting.write("blog_title", "Half done")
            raise ZeroDivisionError

    def do_the_rest() -> None:
        with transaction():
            with suppress(ZeroDivisionError):
                fail()
            Setting.write("blog_description", "The rest")

    with pytest.raises(SwallowedError):
        do_the_rest()
    assert blog_title() == "A blog"
    assert Setting.read("blog_description") == ""
    with transaction():
        Setting.write("blog_title", "A later one")
    assert blog_title() == "A later one"


def test_what_was_deleted_since_it_was_read_is_not_found_and_nothing_is_stored(
    app: Flask, a_post: Callable[..., Post]
) -> None:
    post = a_post()

    def change() -> None:
        with transaction():
            Setting.write("blog_title", "Half done")
            post.title = "A title for nothing"

    def read() -> None:
        with transaction():
            Setting.write("blog_title", post.title)

    with app.app_context(), transaction():
        trash.erase(Post.get(post.id), NOW)
    for use in (change, read):
        with pytest.raises(NotFound, match="deleted this meanwhile"):
            use()
    assert blog_title() == "A blog"


def test_a_post_of_a_savepoint_that_failed_is_not_there_any_more(app: Flask) -> None:
    with transaction():
        with suppress(ZeroDivisionError), savepoint():
            Post.write({"title": "A", "slug": "a"}, ["site"], NOW, post_id="post_undone")
            raise ZeroDivisionError
        assert db.session.get(Post, "post_undone") is None
        assert Post.write({"title": "A", "slug": "a"}, ["site"], NOW).slug == "a"


def test_a_savepoint_that_fails_is_undone_alone(app: Flask) -> None:
    heard: list[object] = []

    def fail() -> None:
        with savepoint(), transaction():
            Setting.write("blog_title", "Half done")
            wake_scheduler()
            raise ZeroDivisionError

    with became_due.connected_to(heard.append), transaction():
        Setting.write("blog_description", "Kept")
        with pytest.raises(ZeroDivisionError):
            fail()
    assert blog_title() == "A blog"
    assert Setting.read("blog_description") == "Kept"
    assert heard == []


def test_a_row_changed_before_its_transaction_is_an_error_and_not_lost_in_silence(
    app: Flask, a_post: Callable[..., Post]
) -> None:
    post = a_post(title="Before")
    post.title = "After"

    def write() -> None:
        with transaction():
            Setting.write("blog_title", "Too late")

    with pytest.raises(UnsavedChanges):
        write()
    assert post.title == "After"
    assert blog_title() == "A blog"


def test_a_row_cannot_be_written_outside_of_a_transaction(app: Flask, a_post: Callable[..., Post]) -> None:
    a_post().title = "After"
    with pytest.raises(UnsavedChanges):
        db.session.flush()
    db.session.rollback()


def test_a_committed_transaction_is_stored(app: Flask) -> None:
    with transaction():
        Setting.write("blog_title", "Done")
    assert blog_title() == "Done"


def test_the_scheduler_is_woken_once_after_the_commit_and_not_after_a_rollback(app: Flask) -> None:
    seen = []

    def wake(_sender: object) -> None:
        seen.append(blog_title())

    def fail() -> None:
        with transaction():
            wake_scheduler()
            raise ZeroDivisionError

    with became_due.connected_to(wake):
        with pytest.raises(ZeroDivisionError):
            fail()
        with transaction():
            Setting.write("blog_title", "Done")
            wake_scheduler()
            wake_scheduler()
    assert seen == ["Done"]


def test_a_datetime_without_a_time_zone_is_not_stored(app: Flask) -> None:
    with pytest.raises(StatementError, match="without a zone"):
        db.session.query(Post).filter(Post.created_at > datetime(2026, 1, 1)).all()  # noqa: DTZ001 (the fault)


def test_an_unset_setting_has_its_default(app: Flask) -> None:
    assert Setting.read("default_platforms") == ["site"]
    assert Setting.read("heartbeat") is None
    with transaction():
        Setting.write("heartbeat", NOW.isoformat())
    assert Setting.read("heartbeat") == NOW.isoformat()


def test_a_transaction_holds_the_write_lock_from_its_start_against_other_processes(app: Flask, config: Config) -> None:
    with (
        transaction(),
        pytest.raises(OperationalError, match="lock"),
        another(config.rows_url, writes=True, busy_timeout_seconds=0),
    ):
        pass
    with another(config.rows_url, writes=True, busy_timeout_seconds=0):
        pass


@pytest.mark.parametrize("inner", [[], ["post:2"], ["post:1", "post:2"]])
def test_a_transaction_inside_one_that_does_not_lock_what_it_changes_is_a_mistake(app: Flask, inner: list[str]) -> None:
    with pytest.raises(MissingLock, match="post:1"), transaction("post:1"), transaction(*inner):
        pass


def test_a_transaction_can_be_inside_one_that_locks_what_it_changes(app: Flask) -> None:
    with transaction(), transaction("post:1"), transaction("post:2"), transaction():
        Setting.write("blog_title", "One")
    with transaction("post:1", "lane:1"):
        with transaction("post:1"):
            Setting.write("blog_title", "Two")
        lock_also("slugs")
        with transaction("slugs"):
            Setting.write("blog_description", "Three")
    assert (Setting.read("blog_title"), Setting.read("blog_description")) == ("Two", "Three")


def test_a_noun_that_was_locked_in_a_part_that_failed_is_not_locked_any_more(app: Flask) -> None:
    with transaction("post:1"):
        with suppress(ZeroDivisionError), savepoint():
            lock_also("slugs")
            raise ZeroDivisionError
        with pytest.raises(MissingLock), transaction("slugs"):
            pass
