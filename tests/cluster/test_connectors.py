"""The package of a connector may be missing on some machines: those that have it do the work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clock import eventually
from tests.cluster.brokers import OwnBroker, own_broker
from tests.cluster.fleet import Fleet, Member
from tests.faulty_platform import FaultyPlatform

MISSING = "this process leaves deliveries to others, because it does not have faulty-key"


@pytest.fixture
def platform() -> Iterator[FaultyPlatform]:
    with FaultyPlatform() as platform:
        yield platform


@pytest.fixture
def broker(fleet: Fleet) -> Iterator[OwnBroker]:
    """Return a broker that the processes of the fleet use."""
    with own_broker("redis") as broker:
        fleet.settings["BLOGSVC_BROKER_URL"] = broker.url
        yield broker


def connect(fleet: Fleet, member: Member, platform: FaultyPlatform) -> None:
    settings = {"url": platform.url("account")}
    fleet.call(member, "POST", "/platforms", {"connector": "faulty-key", "name": "account", "settings": settings})


def is_connected(fleet: Fleet, member: Member) -> bool:
    found = fleet.call(member, "GET", "/platforms/account")
    return bool(found["health"] == "ok")


def test_a_server_without_the_package_leaves_the_deliveries_to_one_that_has_it(
    fleet: Fleet, platform: FaultyPlatform, tmp_path: Path
) -> None:
    without, complete = fleet.server("without", packages=tmp_path), fleet.server("complete", "--no-scheduler")
    connect(fleet, complete, platform)
    post_id = fleet.schedule(complete, "account")
    eventually(lambda: MISSING in without.log.read_text(), 60)
    fleet.server("complete, with a scheduler")
    fleet.wait_until_published(complete, post_id)
    assert is_connected(fleet, without)
    assert [made for made, _ in platform.account("account").made] == [post_id]
    assert fleet.tracebacks() == []


def test_a_worker_without_the_package_leaves_the_deliveries_to_others(
    fleet: Fleet, broker: OwnBroker, platform: FaultyPlatform, tmp_path: Path
) -> None:
    server, worker = fleet.server("server"), fleet.worker("worker", packages=tmp_path)
    connect(fleet, server, platform)
    fleet.wait_until_published(server, fleet.schedule(server, "account"))
    assert MISSING in worker.log.read_text()
    assert is_connected(fleet, server)
    assert fleet.tracebacks() == []


def test_a_lane_gets_messages_until_a_worker_with_the_package_has_one(
    fleet: Fleet, broker: OwnBroker, platform: FaultyPlatform, tmp_path: Path
) -> None:
    server = fleet.server("server", packages=tmp_path)
    complete = fleet.server("complete", "--no-scheduler")
    incomplete = fleet.worker("worker", packages=tmp_path)
    connect(fleet, complete, platform)
    post_id = fleet.schedule(complete, "account")
    eventually(lambda: MISSING in incomplete.log.read_text(), 60)
    worker = fleet.worker("complete worker")
    fleet.wait_until_published(server, post_id, 120)
    assert "outcome=delivered" in worker.log.read_text()
    assert fleet.tracebacks() == []


def test_what_a_killed_worker_was_sending_goes_on_although_the_leader_lacks_the_package(
    fleet: Fleet, broker: OwnBroker, platform: FaultyPlatform, tmp_path: Path
) -> None:
    server = fleet.server("server", packages=tmp_path)
    worker = fleet.worker("worker")
    complete = fleet.server("complete", "--no-scheduler")
    connect(fleet, complete, platform)
    platform.will("hang-after")
    post_id = fleet.schedule(complete, "account")
    eventually(lambda: bool(platform.account("account").creates), 60)
    worker.kill()
    fleet.worker("another")
    fleet.wait_until_published(server, post_id, 120)
    assert [made for made, _ in platform.account("account").made] == [post_id]
    assert is_connected(fleet, complete)
    assert fleet.tracebacks() == []


def test_a_connection_whose_package_nobody_has_is_disconnected(
    fleet: Fleet, platform: FaultyPlatform, tmp_path: Path
) -> None:
    complete = fleet.server("complete", "--no-scheduler")
    connect(fleet, complete, platform)
    post_id = fleet.schedule(complete, "account")
    assert complete.terminate() == 0
    without = fleet.server("without", packages=tmp_path)
    eventually(lambda: not is_connected(fleet, without), 60)
    assert not fleet.is_published(without, post_id)


def test_a_verification_by_a_server_without_the_package_disconnects_nobody(
    fleet: Fleet, platform: FaultyPlatform, tmp_path: Path
) -> None:
    without, complete = fleet.server("without", packages=tmp_path), fleet.server("complete")
    connect(fleet, complete, platform)
    status, document = fleet.request(without, "POST", "/platforms/account/verify")
    assert status >= 400
    assert "The connector 'faulty-key' is not installed." in document["detail"]
    assert is_connected(fleet, complete)
