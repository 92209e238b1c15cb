"""The lists of posts on the dashboard: contents, order and permissions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from blogsvc.auth import accounts
from blogsvc.models import Post, User, transaction
from blogsvc.posts import publishing, trash
from blogsvc.posts.listing import MAX_COUNTED, PostFilter, counts, page, tags
from tests.clock import NOW, Time

Make = Callable[..., Post]
EVERYTHING = PostFilter()


@pytest.fixture
def owner(app: Flask) -> User:
    return accounts.add_user("ann@blog.example", "Ann", "a sentence to sign in by", "owner", "Europe/Lisbon", NOW)


@pytest.fixture
def author(app: Flask) -> User:
    return accounts.add_user("bo@blog.example", "Bo", "a sentence to sign in by", "author", "Europe/Lisbon", NOW)


def titles(name: str, user: User, **wanted: Any) -> list[str]:
    return [line.name for line in page(name, user, PostFilter(**wanted)).lines]


def written_by(post: Post, user: User) -> Post:
    with transaction():
        post.author_id = user.id
    return post


def test_each_post_is_in_exactly_one_list_and_trashed_posts_only_in_the_trash(
    a_post: Make, owner: User, time: Time
) -> None:
    a_post(title="A draft")
    publishing.schedule(a_post(title="In time"), time() + timedelta(days=1), time())
    a_post(live=True, title="Live")
    publishing.unpublish(a_post(live=True, title="Taken down"), time())
    trash.discard(a_post(title="Discarded"), time())

    assert set(titles("drafts", owner)) == {"A draft", "Taken down"}
    assert titles("scheduled", owner) == ["In time"]
    assert titles("published", owner) == ["Live"]
    assert titles("trash", owner) == ["Discarded"]
    assert set(titles("all", owner)) == {"A draft", "In time", "Live", "Taken down"}
    assert counts(owner) == {"drafts": 2, "scheduled": 1, "published": 1, "pages": 0, "trash": 1}
    assert MAX_COUNTED > 99


def test_scheduled_posts_are_listed_soonest_first_and_others_by_last_change(
    a_post: Make, owner: User, time: Time
) -> None:
    for days in (3, 1, 2):
        publishing.schedule(a_post(title=f"In {days}"), time() + timedelta(days=days), time())
        time.passes(minutes=1)
    for title in ("Old", "New"):
        a_post(live=True, title=title)
        time.passes(minutes=1)
    assert titles("scheduled", owner) == ["In 1", "In 2", "In 3"]
    assert titles("published", owner) == ["New", "Old"]


@pytest.mark.parametrize("chosen", ["drafts", "scheduled", "published", "trash", "all"])
def test_lists_are_paged_and_contain_each_post_once_even_at_equal_times(
    a_post: Make, owner: User, time: Time, chosen: str
) -> None:
    for number in range(7):
        post = a_post(live=chosen == "published", title=f"{number}")
        if chosen == "scheduled":
            publishing.schedule(post, NOW + timedelta(days=1), time())
        if chosen == "trash":
            trash.discard(post, time())
        if number % 3 == 2:
            time.passes(seconds=0.5)
    seen, after = [], ""
    while after is not None:
        found = page(chosen, owner, EVERYTHING, after, most=2)
        seen += [line.post.id for line in found.lines]
        after = found.next
    assert len(seen) == len(set(seen)) == 7


@pytest.mark.parametrize("place", ["", "~", "yesterday~post_1", "2026-13-01T00:00:00~x", "\0", "2026-11-24"])
def test_an_invalid_cursor_starts_at_the_beginning_or_ends_the_list(a_post: Make, owner: User, place: str) -> None:
    a_post()
    assert len(page("drafts", owner, EVERYTHING, place).lines) <= 1


def test_an_author_sees_only_their_own_posts_and_tags(a_post: Make, owner: User, author: User) -> None:
    written_by(a_post(title="Ann's", tags=["secret"]), owner)
    written_by(a_post(title="Bo's", tags=["open"]), author)
    a_post(title="Nobody's")
    assert titles("drafts", author) == ["Bo's"]
    assert titles("drafts", author, query="ann") == []
    assert titles("drafts", author, author_id=owner.id) == []
    assert counts(author)["drafts"] == 1
    assert tags(author) == ["open"]
    assert len(titles("drafts", owner)) == 3
    assert titles("drafts", owner, author_id=author.id) == ["Bo's"]


def test_a_list_can_be_filtered_by_words_and_tag(a_post: Make, owner: User) -> None:
    a_post(title="On printing", content="Blue pencils.", tags=["craft"])
    a_post(title="On feeds", content="Atom and RSS.", tags=["web"])
    assert titles("all", owner, query="PENC") == ["On printing"]
    assert titles("all", owner, query="-pencils") == ["On feeds"]
    assert titles("all", owner, tag="web") == ["On feeds"]
    assert titles("all", owner, tag="web", query="pencils") == []
    assert titles("all", owner, query="?!") == []
    assert tags(owner) == ["craft", "web"]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("\n", ""),
        ("## How it began\n\nOnce.", "How it began Once."),
        ("---\nNote: x\n---\n\n- one thing", "Note: x --- - one thing"),
        ("word " * 100, ("word " * 12).strip() + "…"),
    ],
)
def test_a_post_without_a_title_is_named_after_its_first_words(
    a_post: Make, owner: User, content: str, name: str
) -> None:
    a_post(title="", content=content)
    (line,) = page("drafts", owner, EVERYTHING).lines
    assert line.name == name
    assert "content" not in line.post.__dict__
