"""Machines with wrong clocks, and machines that can't reach the database for a while, publish everything once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic

import pytest

from blogsvc.lib.time import stamp, utc_now
from tests.clock import eventually
from tests.cluster.brokers import own_broker
from tests.cluster.fleet import SCHEDULER, WORKER, Fleet, Member
from tests.cluster.machines import Machine, clock_off_by, compiled_clock, machine
from tests.faulty_platform import FaultyPlatform
from tests.kill.server import call
from tests.own_postgres import OwnPostgres, own_postgres_or_skip

LESS_THAN_CLOCKS_ARE_WRONG = 20  # seconds
# Of a platform with neither an idempotency key nor a look-up: whether an interrupted request had an effect is for a
# person to find out.
CAN_NOT_TELL = "faulty-none"
DESTINATIONS = ("faulty-key", "faulty-find", CAN_NOT_TELL)


def connect(fleet: Fleet, member: Member, platform: FaultyPlatform) -> None:
    for name in DESTINATIONS:
        settings = {"url": platform.url(name)}
        fleet.call(member, "POST", "/platforms", {"connector": name, "name": name, "settings": settings})


def schedule(fleet: Fleet, member: Member, at: datetime) -> str:
    """Schedule a post as clients do: again after a 503."""
    body = {"title": "A post", "content": "Words.", "platforms": [*DESTINATIONS], "scheduledAt": stamp(at)}
    ids: list[str] = []

    def is_accepted() -> bool:
        status, document = fleet.request(member, "POST", "/posts", body)
        assert status in (201, 503), document
        if status == 201:
            ids.append(document["id"])
        return bool(ids)

    eventually(is_accepted, 120)
    return ids[0]


def outcomes(fleet: Fleet, member: Member, post_id: str) -> dict[str, str]:
    """Return the state of each delivery of a post, as soon as nothing is left to do."""
    found: dict[str, str] = {}

    def are_final() -> bool:
        _, document = fleet.request(member, "GET", f"/posts/{post_id}")
        found.update({one["platform"]: one["state"] for one in document.get("deliveries", ())})
        return {*found} == {*DESTINATIONS} and all(
            state == "delivered" or (state, name) == ("uncertain", CAN_NOT_TELL) for name, state in found.items()
        )

    eventually(are_final, 120)
    return found


def test_posts_are_published_in_time_whatever_the_clocks_say(fleet: Fleet, tmp_path: Path) -> None:
    library = compiled_clock(tmp_path)
    with FaultyPlatform() as platform, own_broker("redis") as redis:
        fleet.settings["BLOGSVC_REDIS_URL"] = redis.url
        _ = fleet.key
        right = fleet.server("right", "--no-scheduler")
        members = [
            fleet.member("ahead"),
            fleet.member("behind"),
            fleet.member("scheduler ahead", SCHEDULER),
            fleet.member("scheduler behind", SCHEDULER),
            fleet.member("worker ahead", WORKER),
            fleet.member("worker behind", WORKER),
        ]
        for member, seconds in zip(members, (90, -90, 60, -60, 30, -45), strict=True):
            member.settings |= clock_off_by(seconds, library)
            member.start()
        ahead, behind = members[:2]
        for server in (ahead, behind):
            server.wait_until_ready()
        for worker in members[4:]:
            eventually(lambda log=worker.log: "ready." in log.read_text(), 60)
        connect(fleet, right, platform)
        first = utc_now() + timedelta(seconds=6)
        due = {
            schedule(fleet, server, at): at
            for server, at in zip([ahead, behind, right] * 10, times_from(first), strict=True)
        }
        for post_id in due:
            fleet.wait_until_published(right, post_id)
        for name in DESTINATIONS:
            shown = platform.account(name).shown
            assert Counter(post_id for post_id, _ in shown) == Counter([*due])
            early = [post_id for post_id, at in shown if at < due[post_id].timestamp()]
            assert early == []
            late = [post_id for post_id, at in shown if at - due[post_id].timestamp() > LESS_THAN_CLOCKS_ARE_WRONG]
            assert late == []
        assert abs(call(ahead.port, "GET", "/health")[1]["clockAheadOfDatabaseSeconds"] - 90) < 5
        assert [problem["code"] for problem in call(behind.port, "GET", "/health")[1]["problems"]].count("clock") == 1
    assert fleet.tracebacks() == []


def times_from(first: datetime) -> list[datetime]:
    return [first + timedelta(milliseconds=100 * number) for number in range(30)]


@pytest.fixture
def elsewhere() -> Iterator[Machine]:
    with machine() as made:
        yield made


@pytest.fixture
def postgres(elsewhere: Machine) -> Iterator[OwnPostgres]:
    with own_postgres_or_skip(elsewhere.database.here) as server:
        yield server


@pytest.fixture
def fleet_beside(elsewhere: Machine, postgres: OwnPostgres, tmp_path: Path) -> Iterator[Fleet]:
    """Yield a fleet whose database and Redis can also be reached from the machine elsewhere."""
    fleet = Fleet(tmp_path, postgres.url)
    with own_broker("redis", elsewhere.others.here) as redis:
        fleet.settings["BLOGSVC_REDIS_URL"] = redis.url
        try:
            yield fleet
        finally:
            fleet.end()


@pytest.mark.parametrize("seconds", [5, 20, pytest.param(90, marks=pytest.mark.long)])
def test_a_worker_that_can_not_reach_the_database_for_a_while_sends_nothing_twice(
    elsewhere: Machine, postgres: OwnPostgres, fleet_beside: Fleet, seconds: int
) -> None:
    fleet = fleet_beside
    with FaultyPlatform(elsewhere.others.here) as platform:
        server = fleet.server("server")
        far = fleet.member("far", WORKER)
        far.machine, far.database_url = elsewhere, postgres.url_at(elsewhere.database.here)
        far.start()
        eventually(lambda: "ready." in far.log.read_text(), 60)
        connect(fleet, server, platform)
        platform.always("slow")  # so that something is on its way when the database goes
        first = utc_now() + timedelta(seconds=1)
        ids = [schedule(fleet, server, first + timedelta(seconds=0.4 * n)) for n in range(20)]
        eventually(lambda: "outcome=delivered" in far.log.read_text(), 120)
        elsewhere.database.cut()
        cut_at = monotonic()
        near = fleet.worker("near")
        ids += [schedule(fleet, server, utc_now() + timedelta(seconds=seconds * n / 20)) for n in range(20)]
        eventually(lambda: monotonic() > cut_at + seconds, seconds + 30)
        elsewhere.database.mend()
        before = far.log.read_text().count("outcome=delivered")
        found = [outcomes(fleet, server, post_id) for post_id in ids]
        for name in DESTINATIONS:
            made = Counter(post_id for post_id, _ in platform.account(name).made)
            assert max(made.values()) == 1
            if name == CAN_NOT_TELL:
                delivered = {id for id, states in zip(ids, found, strict=True) if states[name] == "delivered"}
                assert made.keys() >= delivered
            else:
                assert made.keys() == set(ids)
        assert "outcome=delivered" in near.log.read_text()
        near.kill()
        for _ in range(5):  # the scheduler does the first ones, until it knows that a worker is there
            outcomes(fleet, server, schedule(fleet, server, utc_now()))
            if far.log.read_text().count("outcome=delivered") > before:
                break
        assert far.log.read_text().count("outcome=delivered") > before
    assert fleet.tracebacks() == []
