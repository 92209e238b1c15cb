"""A proxy holds a request that changes a copy, and passes it on after a newer one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask

from blogsvc.context import Tools
from blogsvc.models import Delivery, Event, Post, db
from blogsvc.posts import editing, publishing
from tests.clock import Time
from tests.faults.conftest import Beside, reload_rows
from tests.faulty_platform import FaultyPlatform

Tick = Callable[[], None]
Find = Callable[[Post, str], Delivery]
UNVERSIONED, VERSIONED = "faulty-key", "faulty-draft"
# What happens to the requests before an update: a platform with versions is asked for that of the copy.
BEFORE = {UNVERSIONED: [], VERSIONED: ["ok"]}
KINDS = pytest.mark.parametrize("kind", [UNVERSIONED, VERSIONED])


@pytest.fixture
def published(kind: str, link: Tick, a_post: Callable[..., Post], tick: Tick) -> Post:
    link(kind)
    post = a_post(live=True, platforms=[kind], title="First")
    tick()
    return post


@pytest.fixture
def edit(time: Time) -> Callable[[Post, str], None]:
    """Return a function that gives a post another title and publishes it."""

    def edit(post: Post, title: str) -> None:
        reload_rows()
        editing.edit(post, {"title": title}, None, time())
        publishing.publish(post, time())

    return edit


@pytest.fixture
def copy(platform: FaultyPlatform, kind: str) -> Callable[[], tuple[str, str]]:
    """Return a function that returns the title and the status of the only copy."""

    def only() -> tuple[str, str]:
        (copy,) = platform.account(kind).copies.values()
        return copy["title"], copy.get("status", "published")

    return only


def retry(time: Time, tick: Tick) -> None:
    time.passes(seconds=15)
    tick()


def wait_for_late_requests(time: Time, tick: Tick) -> None:
    """Let the time pass in which requests may arrive late, and the scheduler do what is due then."""
    time.passes(minutes=3)
    tick()
    tick()


@KINDS
def test_an_older_text_that_arrives_late_is_put_right(
    kind: str,
    published: Post,
    edit: Callable[[Post, str], None],
    copy: Callable[[], tuple[str, str]],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    platform.will(*BEFORE[kind], "held")
    edit(published, "Second")
    tick()
    retry(time, tick)
    edit(published, "Third")
    tick()
    assert (delivery(published, kind).state, copy()[0]) == ("delivered", "Third")

    platform.goes_on()
    assert platform.wait_for(lambda: copy()[0] == "Second")
    wait_for_late_requests(time, tick)
    assert (delivery(published, kind).state, copy()[0]) == ("delivered", "Third")
    assert delivery(published, kind).drift is None

    calls = len(platform.account(kind).calls)
    time.passes(minutes=30)
    tick()
    assert len(platform.account(kind).calls) == calls, "nothing is left to put right"


@KINDS
def test_the_next_edit_is_no_conflict_with_an_older_text_that_arrived_late(
    kind: str,
    published: Post,
    edit: Callable[[Post, str], None],
    copy: Callable[[], tuple[str, str]],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    platform.will(*BEFORE[kind], "held")
    edit(published, "Second")
    tick()
    retry(time, tick)
    edit(published, "Third")
    tick()
    platform.goes_on()
    assert platform.wait_for(lambda: copy()[0] == "Second")
    edit(published, "Fourth")
    tick()
    assert (delivery(published, kind).state, copy()[0]) == ("delivered", "Fourth")


@KINDS
def test_an_update_that_is_held_while_the_server_is_killed_does_not_come_back(
    kind: str,
    app: Flask,
    tools: Tools,
    published: Post,
    edit: Callable[[Post, str], None],
    copy: Callable[[], tuple[str, str]],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    edit(published, "Second")
    account = platform.account(kind)
    calls = len(account.calls) + len(BEFORE[kind]) + 1
    platform.will(*BEFORE[kind], "held")
    killed = Beside(app, replace(tools))
    killed.tick()
    assert platform.wait_for(lambda: len(account.calls) == calls)
    killed.pass_[1].process.release()
    tick()
    retry(time, tick)
    edit(published, "Third")
    tick()
    assert (delivery(published, kind).state, copy()[0]) == ("delivered", "Third")
    platform.goes_on()
    killed.wait()
    assert platform.wait_for(lambda: copy()[0] == "Second")
    wait_for_late_requests(time, tick)
    assert (delivery(published, kind).state, copy()[0]) == ("delivered", "Third")


@pytest.mark.parametrize("kind", [VERSIONED])
def test_a_withdrawal_that_arrives_late_is_put_right(
    kind: str,
    published: Post,
    copy: Callable[[], tuple[str, str]],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    platform.will("ok", "held")
    publishing.unpublish(published, time())
    tick()
    retry(time, tick)
    publishing.publish(published, time())
    tick()
    assert (delivery(published, kind).state, copy()) == ("delivered", ("First", "published"))
    platform.goes_on()
    assert platform.wait_for(lambda: copy() == ("First", "draft"))
    wait_for_late_requests(time, tick)
    assert (delivery(published, kind).state, copy()) == ("delivered", ("First", "published"))


@pytest.mark.parametrize("kind", [VERSIONED])
def test_an_update_that_arrives_after_the_withdrawal_does_not_publish_the_copy_again(
    kind: str,
    published: Post,
    edit: Callable[[Post, str], None],
    copy: Callable[[], tuple[str, str]],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    platform.will("ok", "held")
    edit(published, "Second")
    tick()
    retry(time, tick)
    publishing.unpublish(published, time())
    tick()
    assert (delivery(published, kind).state, copy()) == ("withdrawn", ("Second", "draft"))
    platform.goes_on()
    assert platform.wait_for(lambda: copy() == ("Second", "published"))
    wait_for_late_requests(time, tick)
    kept = delivery(published, kind)
    assert (kept.state, kept.is_draft, copy()) == ("withdrawn", True, ("Second", "draft"))


@pytest.mark.parametrize("kind", [VERSIONED])
def test_what_a_person_wrote_meanwhile_is_left_and_shown(
    kind: str,
    published: Post,
    edit: Callable[[Post, str], None],
    copy: Callable[[], tuple[str, str]],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    platform.will("ok", "held")
    edit(published, "Second")
    tick()
    retry(time, tick)
    edit(published, "Third")
    tick()
    platform.goes_on()
    assert platform.wait_for(lambda: copy()[0] == "Second")
    (there,) = platform.account(kind).copies.values()
    there["title"] = "Mine"
    wait_for_late_requests(time, tick)
    changed = delivery(published, kind)
    assert (changed.state, changed.drift, copy()[0]) == ("delivered", "edited", "Mine")
    assert [event.type for event in db.session.query(Event)].count("delivery.drifted") == 1


@pytest.mark.parametrize("kind", [VERSIONED])
def test_a_copy_that_no_late_request_changed_is_left_alone(
    kind: str, published: Post, edit: Callable[[Post, str], None], platform: FaultyPlatform, time: Time, tick: Tick
) -> None:
    platform.will("ok", "hang")
    edit(published, "Second")
    tick()
    retry(time, tick)
    writes = [call for call in platform.account(kind).calls if call.method != "GET"]
    rev = published.rev
    wait_for_late_requests(time, tick)
    assert [call for call in platform.account(kind).calls if call.method != "GET"] == writes
    assert published.rev == rev
