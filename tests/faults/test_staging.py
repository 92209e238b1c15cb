"""A scheduled post is a draft on its platform before its time. Whatever happens to the draft, there is one copy."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from blogsvc.context import Tools
from blogsvc.delivery.stage import stage_next
from blogsvc.delivery.status import statuses
from blogsvc.models import Connection, Event, Post, StagedDraft, db
from blogsvc.posts import editing, publishing, trash
from blogsvc.web.framework.wording import delivery_status
from tests.clock import NOW, Time
from tests.databases import holding
from tests.faults.conftest import Beside
from tests.faults.test_exactly_once import FAULTS, Find, Tick, meet, time_heals
from tests.faulty_platform import Account, FaultyPlatform
from tests.tiers import matrix

KIND = "faulty-stage"
HOUR = timedelta(hours=1)
Planned = Callable[..., Post]


@pytest.fixture
def account(link: Tick, platform: FaultyPlatform) -> Account:
    link(KIND)
    return platform.account(KIND)


@pytest.fixture
def planned(a_post: Callable[..., Post], time: Time, account: Account) -> Planned:
    """Return a function that schedules a post for an hour after NOW, by default."""

    def make(after: timedelta = HOUR, **words: Any) -> Post:
        return publishing.schedule(a_post(platforms=[KIND], **words), NOW + after, time())

    return make


@pytest.fixture
def staged(planned: Planned, time: Time, tick: Tick, account: Account) -> Post:
    """A post that is staged five minutes before its time."""
    post = planned()
    time.passes(minutes=55)
    tick()
    assert [copy["is_draft"] for copy in account.copies_of(post.id)] == [True]
    account.calls.clear()
    return post


def test_a_lane_without_drafts_does_not_wait_for_other_writers(
    a_post: Callable[..., Post], link: Tick, time: Time, tools: Tools
) -> None:
    for kind in ("faulty-key", KIND):
        link(kind)
    post = publishing.schedule(a_post(platforms=["faulty-key"]), NOW + HOUR, time())
    time.passes(minutes=55)
    assert post.state == "scheduled"
    with holding(db.engine):
        assert not any(stage_next(connection.id, tools) for connection in Connection.all())


def public(account: Account, post: Post) -> list[str]:
    """Return the titles of the copies that readers see."""
    return [copy["title"] for copy in account.copies_of(post.id) if not copy.get("is_draft")]


def writes(account: Account) -> list[str]:
    return [call.method for call in account.calls if call.method != "GET"]


def test_a_staged_post_is_published_at_its_time_with_one_request(
    staged: Post, account: Account, time: Time, tick: Tick, delivery: Find
) -> None:
    tick()
    assert public(account, staged) == []
    assert writes(account) == []  # nothing is left to do
    time.passes(minutes=5)
    tick()
    assert writes(account) == ["PUT"]
    assert public(account, staged) == ["A post"]
    assert delivery(staged, KIND).state == "delivered"
    time.passes(hours=1)
    tick()
    assert len(account.copies) == 1


def test_a_post_is_staged_minutes_before_its_time_and_not_earlier(
    planned: Planned, account: Account, time: Time, tick: Tick
) -> None:
    planned()
    time.passes(minutes=49)
    tick()
    assert account.calls == []
    time.passes(minutes=2)
    tick()
    assert writes(account) == ["POST"]


def test_a_post_due_in_a_moment_is_not_staged_so_that_its_lane_is_free(
    planned: Planned, account: Account, time: Time, tick: Tick
) -> None:
    soon, later = planned(), planned(after=HOUR + timedelta(minutes=5))
    time.passes(minutes=59, seconds=59)
    tick()
    assert account.calls == []
    time.passes(seconds=1)
    tick()
    assert public(account, soon) == ["A post"]
    tick()
    assert [copy["is_draft"] for copy in account.copies_of(later.id)] == [True]


@pytest.mark.settings(stage_minutes=0.0)
def test_the_setting_turns_staging_off(planned: Planned, account: Account, time: Time, tick: Tick) -> None:
    post = planned()
    time.passes(minutes=58)
    tick()
    assert account.calls == []
    time.passes(minutes=2)
    tick()
    assert public(account, post) == ["A post"]


@matrix("fault", FAULTS)
def test_a_fault_while_staging_leaves_one_copy(
    fault: str, planned: Planned, platform: FaultyPlatform, account: Account, time: Time, tick: Tick
) -> None:
    post = planned()
    time.passes(minutes=52)
    meet(fault, platform, tick)
    for _ in range(4):
        time.passes(minutes=2)
        tick()
    time_heals(time, tick)
    assert public(account, post) == ["A post"]
    assert len(account.made) == 1


@matrix("fault", FAULTS)
def test_a_fault_while_staging_neither_delays_nor_doubles_a_post_that_is_due_next(
    fault: str, planned: Planned, platform: FaultyPlatform, account: Account, time: Time, tick: Tick
) -> None:
    post = planned()
    time.passes(minutes=59)
    meet(fault, platform, tick)
    time.passes(minutes=1)
    for _ in range(3):
        tick()
    assert public(account, post) == ["A post"]
    time_heals(time, tick)
    assert len(account.made) == 1


@matrix("fault", FAULTS)
@pytest.mark.parametrize("before", [0, 2])
def test_a_fault_while_publishing_a_draft_leaves_one_copy(
    before: int, fault: str, staged: Post, platform: FaultyPlatform, account: Account, time: Time, tick: Tick
) -> None:
    time.passes(minutes=5)
    platform.will(*["ok"] * before)
    meet(fault, platform, tick)
    time_heals(time, tick)
    assert public(account, staged) == ["A post"]
    assert len(account.made) == 1


@pytest.mark.parametrize("fault", ["hang", "hang-after"])
def test_a_process_that_hangs_while_staging_leaves_one_copy(
    fault: str, planned: Planned, platform: FaultyPlatform, account: Account, time: Time, tick: Tick, beside: Beside
) -> None:
    post = planned()
    time.passes(minutes=52)
    platform.will(fault)
    beside.tick()
    assert platform.wait_for(lambda: account.calls)
    time.passes(minutes=1)  # beyond the lease, while the request still hangs
    tick()
    platform.goes_on()
    beside.wait()
    for _ in range(4):
        time.passes(minutes=2)
        tick()
    assert public(account, post) == ["A post"]
    assert len(account.made) == 1


def test_an_edited_post_is_staged_again_and_published_as_edited(
    staged: Post, account: Account, time: Time, tick: Tick
) -> None:
    editing.edit(staged, {"title": "Newer"}, None, time())
    tick()
    assert account.titles_of(staged.id) == ["Newer"]
    assert public(account, staged) == []
    editing.edit(Post.get(staged.id), {"title": "Newest"}, None, time.passes(minutes=4, seconds=59))
    time.passes(seconds=1)
    tick()
    assert public(account, staged) == ["Newest"]
    assert len(account.made) == 1


def unschedule(post: Post, time: Time) -> None:
    publishing.unschedule(post, time())


def discard(post: Post, time: Time) -> None:
    trash.discard(post, time())


def leave_platform(post: Post, time: Time) -> None:
    editing.edit(post, {}, ["site"], time())


@pytest.mark.parametrize("change", [unschedule, discard, leave_platform])
def test_the_draft_of_a_post_that_is_not_published_there_is_deleted(
    change: Callable[[Post, Time], None], staged: Post, account: Account, time: Time, tick: Tick
) -> None:
    change(staged, time)
    tick()
    assert account.copies == {}
    time.passes(hours=1)
    tick()
    assert account.copies == {}


def test_a_draft_that_a_user_worked_on_is_not_deleted(staged: Post, account: Account, time: Time, tick: Tick) -> None:
    account.copies_of(staged.id)[0]["text"] = "Somebody else's words."
    unschedule(staged, time)
    tick()
    assert [copy["text"] for copy in account.copies_of(staged.id)] == ["Somebody else's words."]
    account.calls.clear()
    time.passes(hours=1)
    tick()
    assert account.calls == []


def test_a_post_that_moves_to_a_later_time_keeps_its_draft(
    staged: Post, account: Account, time: Time, tick: Tick
) -> None:
    publishing.reschedule(staged, NOW + 3 * HOUR, time())
    time.passes(hours=1)
    tick()
    assert [copy["is_draft"] for copy in account.copies_of(staged.id)] == [True]
    time.passes(hours=2)
    tick()
    assert public(account, staged) == ["A post"]
    assert len(account.made) == 1


def test_publishing_now_uses_the_draft(staged: Post, account: Account, time: Time, tick: Tick) -> None:
    publishing.publish(staged, time())
    tick()
    assert public(account, staged) == ["A post"]
    assert len(account.made) == 1


def test_a_draft_deleted_on_the_platform_is_not_made_again_before_the_post_is_due(
    staged: Post, account: Account, time: Time, tick: Tick, delivery: Find
) -> None:
    account.copies.clear()
    editing.edit(staged, {"title": "Newer"}, None, time())
    tick()
    assert account.copies == {}
    time.passes(minutes=5)
    tick()
    assert public(account, staged) == ["Newer"]
    assert delivery(staged, KIND).state == "delivered"


def test_a_draft_deleted_on_the_platform_does_not_hold_up_the_post(
    staged: Post, account: Account, time: Time, tick: Tick
) -> None:
    account.copies.clear()
    time.passes(minutes=5)
    tick()
    assert public(account, staged) == ["A post"]


def test_the_text_of_the_post_replaces_changes_of_the_draft_and_the_event_says_so(
    staged: Post, account: Account, time: Time, tick: Tick
) -> None:
    account.copies_of(staged.id)[0]["title"] = "Somebody else's"
    time.passes(minutes=5)
    tick()
    assert public(account, staged) == ["A post"]
    event = db.session.query(Event).filter_by(type="delivery.succeeded").one()
    assert "The draft was changed" in event.data["note"]


def test_a_draft_that_arrives_after_its_post_was_published_is_deleted(
    planned: Planned, platform: FaultyPlatform, account: Account, time: Time, tick: Tick
) -> None:
    post = planned()
    time.passes(minutes=59)
    meet("hang", platform, tick)
    held = account.creates[0].body
    time.passes(minutes=1)
    tick()
    assert public(account, post) == ["A post"]
    account.copies["late"] = {**held, "id": "late", "url": "http://late.example"}
    time.passes(minutes=3)
    for _ in range(2):
        time.passes(seconds=1)
        tick()
    assert [copy["id"] for copy in account.copies_of(post.id)] != ["late"]
    assert len(account.copies) == 1
    assert db.session.query(StagedDraft).count() == 0


def test_the_author_sees_that_the_draft_is_ready(staged: Post, tools: Tools, time: Time) -> None:
    (status,) = statuses(staged, tools.config.public_url)
    assert (status.phase, status.code) == ("queued", "staged")
    assert delivery_status(status) == "Scheduled. Ready as a draft on Faulty with staging"
    editing.edit(staged, {"title": "Newer"}, None, time())
    (status,) = statuses(Post.get(staged.id), tools.config.public_url)
    assert status.code == "scheduled"


def test_rejected_credentials_are_known_before_the_post_is_due(
    planned: Planned, platform: FaultyPlatform, time: Time, tick: Tick
) -> None:
    planned()
    time.passes(minutes=55)
    platform.will("401")
    tick()
    assert Connection.named(KIND).state == "disconnected"


def test_a_rejected_draft_leaves_the_account_connected_and_the_post_is_sent_at_its_time(
    planned: Planned, platform: FaultyPlatform, account: Account, time: Time, tick: Tick, tools: Tools
) -> None:
    post = planned()
    time.passes(minutes=55)
    platform.will("422")
    for _ in range(3):
        tick()
    assert writes(account) == ["POST"]  # not tried again with the same text
    (status,) = statuses(Post.get(post.id), tools.config.public_url)
    assert (status.code, status.action) == ("rejected", "edit")
    assert Connection.named(KIND).health == "ok"
    time.passes(minutes=5)
    tick()
    assert public(account, post) == ["A post"]


def test_posts_due_in_one_second_are_all_staged_before(
    planned: Planned, account: Account, time: Time, tick: Tick
) -> None:
    posts = [planned(title=f"Post {n}", slug=f"post-{n}") for n in range(5)]
    time.passes(minutes=55)
    tick()
    account.calls.clear()
    time.passes(minutes=5)
    tick()
    assert writes(account) == ["PUT"] * 5
    assert [public(account, post) for post in posts] == [[f"Post {n}"] for n in range(5)]
