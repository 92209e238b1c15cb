"""A connection with a wrong address is verified again without a person; one with rejected credentials is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta

import pytest

from blogsvc.connections import manage
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Misconfigured
from blogsvc.context import Tools
from blogsvc.delivery.status import statuses
from blogsvc.lib.time import stamp
from blogsvc.models import Connection, Event, Post, db, due_checks, transaction
from blogsvc.web.framework.wording import delivery_status
from tests.api_client import Api
from tests.clock import NOW, Time
from tests.outside import Outside, Seen

Posts = Callable[..., Post]
Connect = Callable[..., str]
Tick = Callable[[], None]


def hook() -> Connection:
    db.session.rollback()
    db.session.expire_all()
    return Connection.named("hook")


def is_ping(seen: Seen) -> bool:
    return bool(seen.json()["type"] == "ping")


def is_post(seen: Seen) -> bool:
    return not is_ping(seen)


def events(kind: str) -> int:
    return db.session.query(Event).filter_by(type=kind).count()


def times_of(
    requests: Callable[[Seen], bool], outside: Outside, time: Time, tick: Tick, minutes: Iterable[int]
) -> list[int]:
    """Run the scheduler in these minutes, and return those with such requests.

    A request that was due between two of them is sent in the second one, so the minute before a request is enough to
    show that it is not sent earlier.
    """
    found = []
    for minute in minutes:
        before = sum(map(requests, outside.requests))
        time.passes(minutes=minute - (time() - NOW) / timedelta(minutes=1))
        tick()
        if sum(map(requests, outside.requests)) > before:
            found.append(minute)
    return found


@pytest.fixture
def post(connect: Connect, a_post: Posts, outside: Outside, tick: Tick) -> Post:
    """A post whose destination has moved away for now."""
    connect()
    outside.always(status=404)
    made = a_post(live=True, platforms=["hook"])
    tick()
    assert (hook().state, hook().verify_at) == ("disconnected", NOW + timedelta(minutes=1))
    return Post.get(made.id)


def test_a_connection_that_works_again_sends_what_waited(
    post: Post, outside: Outside, time: Time, tick: Tick, tools: Tools
) -> None:
    outside.always()
    assert due_checks.next_due_at() == NOW + timedelta(minutes=1)
    time.passes(minutes=1)
    tick()
    tick()
    assert (hook().state, hook().verify_at, hook().verify_count) == ("connected", None, 0)
    assert Post.get(post.id).deliveries[0].state == "delivered"
    assert (events("connection.disconnected"), events("connection.connected")) == (1, 2)


def test_verifications_back_off_to_once_a_day(post: Post, outside: Outside, time: Time, tick: Tick) -> None:
    taken = times_of(is_ping, outside, time, tick, (1, 2, 5, 6, 7, 35, 36, 37, 155, 156, 157, 515, 516, 517, 540))
    assert taken == [1, 6, 36, 156, 516]
    assert hook().verify_at == NOW + timedelta(minutes=516, days=1)
    assert events("connection.disconnected") == 1


def test_a_connection_that_only_verifies_backs_off_as_well(
    post: Post, outside: Outside, time: Time, tick: Tick
) -> None:
    outside.always(is_post, status=404)
    minutes = (1, 2, 3, 6, 7, 8, 9, 37, 38, 39, 40, 158, 159, 160, 161, 180)
    assert times_of(is_post, outside, time, tick, minutes) == [2, 8, 39, 160]
    assert hook().state == "disconnected"


def test_a_verification_by_a_user_starts_the_back_off_anew(
    post: Post, outside: Outside, time: Time, tick: Tick, tools: Tools
) -> None:
    times_of(is_ping, outside, time, tick, range(1, 11))
    outside.always(is_post, status=404)
    manage.verify(hook(), tools)
    tick()
    assert hook().verify_at == time() + timedelta(minutes=1)


def test_an_unavailable_platform_is_verified_again_later(post: Post, outside: Outside, time: Time, tick: Tick) -> None:
    outside.always(failure="refused")
    assert times_of(is_ping, outside, time, tick, range(1, 11)) == [1, 6]
    assert "could not be reached" in (hook().last_error or "")


@pytest.mark.sqlite("on a server, others may have the package: tests/cluster/test_connectors.py")
def test_a_connection_heals_after_a_start_that_brings_its_connector_back(
    connect: Connect, a_post: Posts, time: Time, tick: Tick, tools: Tools
) -> None:
    class Plugin(connectors()["webhook"]):  # type: ignore[misc]
        key = "plugin"

    connect()
    with transaction():
        hook().connector = "plugin"
    made = a_post(live=True, platforms=["hook"])
    for _ in range(4):
        tick()
        time.passes(hours=1)
    assert (hook().state, "not installed" in (hook().last_error or "")) == ("disconnected", True)
    connectors()["plugin"] = Plugin
    try:
        manage.verify_soon(time())  # as the scheduler does when it starts
        tick()
        tick()
        assert (hook().state, hook().last_error) == ("connected", None)
        assert Post.get(made.id).deliveries[0].state == "delivered"
    finally:
        del connectors()["plugin"]


def test_rejected_credentials_wait_for_a_person(post: Post, outside: Outside, time: Time, tick: Tick) -> None:
    outside.always(status=401)
    assert times_of(is_ping, outside, time, tick, (1, 2, 6, 7, 31, 36, 37, 60)) == [1]
    assert (hook().state, hook().verify_at) == ("disconnected", None)


def test_a_failed_verification_by_a_user_keeps_the_schedule(post: Post, time: Time, tools: Tools) -> None:
    planned = hook().verify_at
    time.passes(seconds=10)
    with pytest.raises(Misconfigured):
        manage.verify(hook(), tools)
    assert hook().verify_at == planned


def test_each_verification_is_claimed_once(post: Post, time: Time, tools: Tools) -> None:
    time.passes(minutes=1)
    assert manage.verify_if_due(hook().id, tools)
    assert not manage.verify_if_due(hook().id, tools)
    assert not manage.verify_if_due("con_removed", tools)


def test_the_status_says_when_the_connection_is_checked(post: Post) -> None:
    (status,) = statuses(post, "https://blog.example")
    assert (status.code, status.at) == ("disconnected", hook().verify_at)
    assert delivery_status(status) == "Waiting for you to reconnect Webhook. Checking again"


class TestNextAttempt:
    """The page and the API name no time of an attempt that waits for a person."""

    def next_attempts(self, api: Api, post: Post) -> list[str | None]:
        delivery = api.get(f"/deliveries/{post.deliveries[0].id}").json
        (listed,) = api.get("/posts").json["data"]
        return [delivery["nextAttemptAt"], listed["deliveries"][0]["nextAttemptAt"]]

    @pytest.fixture
    def revoked(self, api: Api, connect: Connect, a_post: Posts, outside: Outside, tick: Tick) -> Post:
        """A post that waits for an attempt when the key is revoked."""
        connect()
        outside.always(status=503)
        made = a_post(live=True, platforms=["hook"])
        tick()
        assert None not in self.next_attempts(api, made)
        outside.always(status=401)
        api.post("/platforms/hook/verify")
        db.session.rollback()
        return Post.get(made.id)

    def test_a_revoked_key_leaves_no_next_attempt(self, api: Api, revoked: Post) -> None:
        (status,) = statuses(revoked, "https://blog.example")
        assert (status.code, status.at) == ("disconnected", None)
        assert self.next_attempts(api, revoked) == [None, None]

    def test_a_key_that_is_rejected_by_the_attempt_leaves_none_either(
        self, api: Api, connect: Connect, a_post: Posts, outside: Outside, tick: Tick
    ) -> None:
        connect()
        outside.always(status=401)
        made = a_post(live=True, platforms=["hook"])
        tick()
        assert self.next_attempts(api, made) == [None, None]
        (told,) = db.session.query(Event).filter_by(type="delivery.retrying")
        assert told.data["nextAttemptAt"] is None

    def test_a_copy_in_doubt_waits_for_the_account_as_well(
        self, api: Api, connect: Connect, a_post: Posts, outside: Outside, tick: Tick
    ) -> None:
        made = a_post(live=True, platforms=[connect()])
        with transaction():
            delivery = made.deliveries[0]
            delivery.choose(NOW)
            delivery.claim(NOW, timedelta(seconds=30), "a-process")
            delivery.postpone("uncertain", NOW + timedelta(seconds=10), "no_answer", "No answer came.", NOW)
        outside.always(status=401)
        api.post("/platforms/hook/verify")
        db.session.rollback()
        (status,) = statuses(Post.get(made.id), "https://blog.example")
        assert (status.code, status.at) == ("disconnected", None)
        assert self.next_attempts(api, made) == [None, None]

    def test_reconnecting_names_it_again_and_delivers(
        self, api: Api, revoked: Post, outside: Outside, time: Time, tick: Tick
    ) -> None:
        outside.always()
        api.post("/platforms/hook/verify")
        assert self.next_attempts(api, revoked) == [stamp(time())] * 2
        tick()
        assert Post.get(revoked.id).deliveries[0].state == "delivered"
