"""A draft in which nothing was written is in no list, and is deleted after 30 days."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.context import Tools
from blogsvc.models import Post, db
from blogsvc.posts import autosave, editing, sharing
from blogsvc.scheduler.maintenance import run_daily_maintenance
from tests.clock import Time
from tests.web.page_walk import Pages


def begin(pages: Pages) -> str:
    """Press "New post", and return the id of the draft."""
    answer = pages.post("/desk/posts")
    return str(answer.headers["Location"].rsplit("/", 1)[1])


def is_listed(pages: Pages, post_id: str) -> set[str]:
    return {path for path in ("/desk", "/desk?in=drafts", "/desk/calendar") if post_id in pages.get(path).text}


def exists(post_id: str) -> bool:
    db.session.rollback()
    return db.session.get(Post, post_id) is not None


@pytest.fixture
def month_later(time: Time, tools: Tools) -> Callable[[], None]:
    """Return a function that runs the maintenance of the day 30 days later."""

    def run() -> None:
        time.passes(days=30, minutes=1)
        run_daily_maintenance(tools)

    return run


def test_a_blank_draft_is_in_no_list_until_something_is_written(pages: Pages, tools: Tools, time: Time) -> None:
    post_id = begin(pages)
    assert is_listed(pages, post_id) == set()
    time.passes(seconds=5)
    post = Post.get(post_id)
    autosave.autosave(post, {"title": "", "content": "A word"}, None, post.rev, tools.now())
    assert is_listed(pages, post_id) == {"/desk", "/desk?in=drafts", "/desk/calendar"}


def test_a_draft_whose_text_was_removed_stays_with_its_history(
    pages: Pages, tools: Tools, time: Time, month_later: Callable[[], None]
) -> None:
    post_id = begin(pages)
    for content in ("A word", ""):
        time.passes(seconds=5)
        post = Post.get(post_id)
        autosave.autosave(post, {"title": "", "content": content}, None, post.rev, tools.now())
    assert is_listed(pages, post_id)
    month_later()
    assert exists(post_id)


def test_a_blank_draft_is_deleted_after_30_days(pages: Pages, tools: Tools, time: Time) -> None:
    post_id = begin(pages)
    time.passes(days=29)
    run_daily_maintenance(tools)
    assert exists(post_id)
    time.passes(days=1, minutes=1)
    run_daily_maintenance(tools)
    assert not exists(post_id)


def test_nothing_that_has_a_word_a_tag_or_a_reader_is_deleted(
    pages: Pages, a_post: Callable[..., Post], tools: Tools, time: Time, month_later: Callable[[], None]
) -> None:
    tagged, shared = begin(pages), begin(pages)
    time.passes(seconds=5)
    editing.edit(Post.get(tagged), {"tags": ["sea"]}, None, tools.now())
    sharing.share(Post.get(shared), "Ben", 30, tools.now())
    posts = [a_post().id, tagged, shared]
    month_later()
    assert [exists(post_id) for post_id in posts] == [True, True, True]
