"""Disconnecting and reconnecting: copies, waiting deliveries and default destinations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from blogsvc.connections import disconnect, manage
from blogsvc.connections.summary import copies_at, summaries, summary_of_site, waiting_for
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.errors import Invalid, StateConflict
from blogsvc.models import Connection, Delivery, Post, Setting, db
from blogsvc.posts import editing, publishing
from tests.clock import NOW, Time
from tests.outside import Outside

Posts = Callable[..., Post]
Connect = Callable[..., str]
Tick = Callable[[], None]


def standing_of(name: str) -> Any:
    connection_id = Connection.named(name).id
    return summaries([connection_id])[connection_id]


def copy_of(post: Post, name: str = "hook") -> Delivery:
    db.session.expire_all()
    delivery = Post.get(post.id).delivery_to(name)
    assert delivery is not None
    return delivery


# --- connection summaries ---


def test_a_new_connection_has_an_empty_summary(connect: Connect) -> None:
    standing = standing_of(connect())
    assert (standing.copies, standing.waiting, standing.failed) == (0, 0, 0)
    assert standing.last is standing.trouble is None


def test_the_summary_counts_copies_and_names_the_latest(
    connect: Connect, a_post: Posts, tick: Tick, time: Time
) -> None:
    connect()
    connect("other")
    a_post(live=True, platforms=["hook", "other"], title="First")
    tick()
    time.passes(minutes=5)
    second = a_post(live=True, platforms=["hook"], title="Second")
    assert standing_of("hook").waiting == 1
    tick()
    standing = standing_of("hook")
    assert (standing.copies, standing.waiting, standing.last.title) == (2, 0, "Second")
    assert (standing.last.post_id, standing.last.at) == (second.id, time.now)
    assert standing_of("other").copies == 1


@pytest.mark.parametrize(("status", "state"), [(None, "queued"), (503, "retrying"), (422, "failed")])
def test_a_copy_whose_update_is_not_done_is_still_a_copy(
    connect: Connect, a_post: Posts, tick: Tick, outside: Outside, time: Time, status: int | None, state: str
) -> None:
    connect()
    post = a_post(live=True, platforms=["hook"], title="First")
    tick()
    delivered_at = time.now
    publishing.publish(editing.edit(Post.get(post.id), {"title": "Newer"}, None, time.passes(minutes=5)), time())
    if status:
        outside.always(status=status)
        tick()
    assert copy_of(post).state == state
    standing = standing_of("hook")
    assert (standing.copies, standing.last.post_id, standing.last.at) == (1, post.id, delivered_at)


def test_a_post_that_never_arrived_is_no_copy(connect: Connect, a_post: Posts, tick: Tick, outside: Outside) -> None:
    connect()
    outside.always(status=422)
    a_post(live=True, platforms=["hook"])
    tick()
    assert (standing_of("hook").copies, standing_of("hook").last) == (0, None)


def test_the_summary_shows_the_latest_failure_until_it_is_resolved(
    connect: Connect, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    connect()
    outside.always(status=422)
    post = a_post(live=True, platforms=["hook"], title="Refused")
    tick()
    standing = standing_of("hook")
    assert (standing.failed, standing.trouble.title, standing.trouble.state) == (1, "Refused", "failed")
    assert standing.trouble.detail
    outside.always()
    decide.retry(copy_of(post), time.passes(minutes=1))
    tick()
    assert standing_of("hook").trouble is None


def test_the_summary_of_the_built_in_blog_counts_its_posts(a_post: Posts) -> None:
    assert summary_of_site().last is None
    a_post(live=True, title="Here")
    a_post()
    standing = summary_of_site()
    assert (standing.copies, standing.last and standing.last.title) == (1, "Here")


# --- withdrawing all copies ---


def test_withdraw_all_removes_every_copy_and_keeps_the_posts(
    connect: Connect, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    connect()
    sent = a_post(live=True, platforms=["site", "hook"])
    tick()
    waiting = a_post(live=True, platforms=["site", "hook"])
    assert disconnect.withdraw_all(Connection.named("hook"), NOW) == 2
    assert waiting_for(Connection.named("hook").id) == 1, "unsent deliveries are settled at once"
    tick()
    assert [copy_of(post).state for post in (sent, waiting)] == ["withdrawn", "withdrawn"]
    assert copies_at(Connection.named("hook").id) == 0
    assert [Post.get(post.id).state for post in (sent, waiting)] == ["published", "published"]
    assert disconnect.withdraw_all(Connection.named("hook"), NOW) == 0


def test_withdraw_all_works_in_several_transactions(connect: Connect, a_post: Posts, tick: Tick) -> None:
    connect()
    many = disconnect.WITHDRAW_BATCH + 1
    for _ in range(many):
        a_post(live=True, platforms=["hook"], content="x")
    assert disconnect.withdraw_all(Connection.named("hook"), NOW) == many


def test_withdraw_all_requires_a_working_connection(
    connect: Connect, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    connect()
    a_post(live=True, platforms=["hook"])
    outside.always(status=410)
    tick()
    with pytest.raises(StateConflict, match="Reconnect"):
        disconnect.withdraw_all(Connection.named("hook"), NOW)


# --- disconnecting and reconnecting ---


def test_new_posts_do_not_default_to_a_removed_connection(connect: Connect, a_post: Posts) -> None:
    connect()
    editing.choose_default_platforms(["site", "hook"])
    assert a_post().platforms == ["site", "hook"]
    disconnect.disconnect(Connection.named("hook"), NOW)
    assert a_post().platforms == ["site"]


def test_reconnecting_the_same_account_takes_over_its_copies(
    connect: Connect, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    connect()
    post = a_post(live=True, platforms=["hook"])
    tick()
    disconnect.disconnect(Connection.named("hook"), NOW)
    with pytest.raises(Invalid, match=r"(?i)connect it again first"):
        decide.withdraw(copy_of(post), NOW)
    connect()
    decide.withdraw(copy_of(post), time.passes(minutes=1))
    tick()
    assert copy_of(post).state == "withdrawn"
    assert outside.requests[-1].json()["type"] == "post.deleted"


def test_another_account_with_the_same_name_does_not_touch_the_old_copies(
    connect: Connect, a_post: Posts, tick: Tick, outside: Outside, tools: Tools, time: Time
) -> None:
    connect()
    post = a_post(live=True, platforms=["hook"])
    tick()
    before = copy_of(post).remote_id
    disconnect.disconnect(Connection.named("hook"), NOW)
    outside.teach("POST", "https://another.example/in", status=200)
    manage.connect("webhook", "hook", {"url": "https://another.example/in"}, tools)
    with pytest.raises(Invalid, match=r"(?i)connect it again first"):
        decide.withdraw(copy_of(post), NOW)
    outside.requests.clear()
    publishing.publish(Post.get(post.id), time.passes(minutes=1))
    tick()
    (seen,) = outside.requests
    assert (seen.url, seen.json()["type"]) == ("https://another.example/in", "post.published"), "a new copy"
    assert before is not None


def test_what_was_not_sent_waits_until_an_account_is_connected(connect: Connect, a_post: Posts, tick: Tick) -> None:
    connect()
    post = a_post(live=True, platforms=["hook"])
    disconnect.disconnect(Connection.named("hook"), NOW)
    assert copy_of(post).state == "blocked"
    with pytest.raises(Invalid, match=r"(?i)connect it first"):
        decide.retry(copy_of(post), NOW)
    connect()
    tick()
    assert copy_of(post).state == "delivered"


# --- default destinations ---


def test_default_destinations_must_exist(connect: Connect) -> None:
    with pytest.raises(Invalid) as refused:
        editing.choose_default_platforms(["site", "nowhere"])
    assert refused.value.faults[0].code == "unknown_platform"
    connect()
    editing.choose_default_platforms(["hook", "site", "hook"])
    assert Setting.read("default_platforms") == ["hook", "site"]


def test_renaming_a_connection_renames_it_in_the_default_destinations(connect: Connect, tools: Tools) -> None:
    connect()
    editing.choose_default_platforms(["site", "hook"])
    manage.change(Connection.named("hook"), "told", None, tools)
    assert Setting.read("default_platforms") == ["site", "told"]
