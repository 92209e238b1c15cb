"""Withdrawing keeps what it can: the copy becomes a draft, and publishing again publishes the same copy."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.delivery import decide
from blogsvc.errors import StateConflict
from blogsvc.models import Delivery, Event, Post, db
from blogsvc.posts import editing, publishing, trash
from tests.clock import Time
from tests.faulty_platform import FaultyPlatform

Tick = Callable[[], None]
Find = Callable[[Post, str], Delivery]
KIND = "faulty-draft"


@pytest.fixture
def published(link: Tick, a_post: Callable[..., Post], tick: Tick) -> Post:
    link(KIND)
    post = a_post(live=True, platforms=[KIND])
    tick()
    return post


def copies(platform: FaultyPlatform, kind: str = KIND) -> list[tuple[str, str, str]]:
    there = platform.account(kind).copies.values()
    return [(copy["id"], copy["title"], copy.get("status", "")) for copy in there]


def edit_there(platform: FaultyPlatform, kind: str = KIND) -> None:
    (copy,) = platform.account(kind).copies.values()
    copy["title"] = "Mine"


def test_an_unpublished_copy_is_a_draft_and_the_same_copy_is_published_again(
    published: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    publishing.unpublish(published, time())
    tick()
    kept = delivery(published, KIND)
    assert (kept.state, kept.is_draft, kept.url, published.state) == ("withdrawn", True, None, "unpublished")
    assert copies(platform) == [("c0", "A post", "draft")]
    publishing.publish(published, time())
    tick()
    again = delivery(published, KIND)
    assert (again.state, again.is_draft, again.remote_id) == ("delivered", False, "c0")
    assert copies(platform) == [("c0", "A post", "published")]
    told = [event.data["isDraft"] for event in db.session.query(Event) if event.type == "delivery.withdrawn"]
    assert told == [True]


@pytest.mark.parametrize("fault", ["500", "500-after", "hang-after", "reset-after"])
def test_a_copy_becomes_a_draft_once_whichever_answer_is_lost(
    fault: str, published: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    publishing.unpublish(published, time())
    platform.will("ok", fault)
    tick()
    platform.goes_on()
    time.passes(minutes=31)
    tick()
    assert delivery(published, KIND).is_draft
    assert copies(platform) == [("c0", "A post", "draft")]


def test_a_copy_is_deleted_if_the_author_says_so(
    published: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    decide.withdraw(delivery(published, KIND), time(), delete=True)
    tick()
    assert (delivery(published, KIND).state, delivery(published, KIND).is_draft) == ("withdrawn", False)
    assert copies(platform) == []


def test_a_draft_that_was_kept_can_be_deleted(
    published: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    decide.withdraw(delivery(published, KIND), time())
    tick()
    with pytest.raises(StateConflict, match="draft already"):
        decide.withdraw(delivery(published, KIND), time())
    decide.withdraw(delivery(published, KIND), time(), delete=True)
    tick()
    assert (delivery(published, KIND).state, delivery(published, KIND).is_draft) == ("withdrawn", False)
    assert copies(platform) == []
    with pytest.raises(StateConflict):
        decide.withdraw(delivery(published, KIND), time(), delete=True)


@pytest.mark.parametrize("delete", [False, True], ids=["as a draft", "for good"])
def test_a_copy_that_was_edited_there_is_withdrawn_only_on_the_authors_word(
    delete: bool, published: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    edit_there(platform)
    decide.withdraw(delivery(published, KIND), time(), delete=delete)
    tick()
    asked = delivery(published, KIND)
    assert (asked.state, asked.error_code) == ("failed", "edited")
    assert copies(platform) == [("c0", "Mine", "published")]
    decide.retry(asked, time())
    tick()
    assert delivery(published, KIND).state == "withdrawn"
    assert copies(platform) == ([] if delete else [("c0", "Mine", "draft")])


def test_a_copy_that_was_edited_there_can_be_kept(
    published: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    edit_there(platform)
    decide.withdraw(delivery(published, KIND), time())
    tick()
    decide.leave(delivery(published, KIND), time())
    tick()
    assert (delivery(published, KIND).state, copies(platform)) == ("delivered", [("c0", "Mine", "published")])


def test_a_draft_that_was_edited_there_is_not_overwritten(
    published: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    publishing.unpublish(published, time())
    tick()
    edit_there(platform)
    publishing.publish(published, time())
    tick()
    assert delivery(published, KIND).error_code == "conflict"
    assert copies(platform) == [("c0", "Mine", "draft")]


@pytest.mark.parametrize(
    ("wish", "left"), [({"withdraw": True}, [("c0", "A post", "draft")]), ({"delete_copies": True}, [])]
)
def test_discarding_a_post_keeps_drafts_or_deletes_copies(
    wish: dict[str, bool],
    left: list[tuple[str, str, str]],
    published: Post,
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
) -> None:
    trash.discard(published, time(), **wish)
    tick()
    assert copies(platform) == left


def test_a_retry_that_is_withdrawn_before_it_is_sent_still_removes_the_copy(
    published: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    edit_there(platform)
    editing.edit(published, {"title": "Newer"}, None, time())
    publishing.publish(published, time())
    tick()
    decide.retry(delivery(published, KIND), time())
    decide.withdraw(delivery(published, KIND), time())
    tick()
    assert (delivery(published, KIND).state, copies(platform)) == ("withdrawn", [("c0", "Mine", "draft")])
