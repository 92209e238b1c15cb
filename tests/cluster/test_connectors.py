"""The package of a connector may be missing on some machines: those that have it do the work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clock import eventually
from tests.cluster.brokers import own_broker
from tests.cluster.fleet import Fleet, Member
from tests.faulty_platform import FaultyPlatform

MISSING = "deliveries are left to other processes, because this is not here: faulty-key"


@pytest.fixture
def platform() -> Iterator[FaultyPlatform]:
    with FaultyPlatform() as platform:
        yield platform


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
    assert complete.terminate() == 0
    complete = fleet.server("complete again")
    fleet.wait_until_published(complete, post_id)
    assert is_connected(fleet, without)
    assert [made for made, _ in platform.account("account").made] == [post_id]
    assert fleet.tracebacks() == []


def test_a_worker_without_the_package_leaves_the_deliveries_to_others(
    fleet: Fleet, platform: FaultyPlatform, tmp_path: Path
) -> None:
    with own_broker("redis") as broker:
        fleet.settings["BLOGSVC_BROKER_URL"] = broker.url
        server, worker = fleet.server("server"), fleet.worker("worker", packages=tmp_path)
        connect(fleet, server, platform)
        fleet.wait_until_published(server, fleet.schedule(server, "account"))
        assert MISSING in worker.log.read_text()
        assert is_connected(fleet, server)
        assert fleet.tracebacks() == []


def test_a_verification_by_a_server_without_the_package_disconnects_nobody(
    fleet: Fleet, platform: FaultyPlatform, tmp_path: Path
) -> None:
    without, complete = fleet.server("without", packages=tmp_path), fleet.server("complete")
    connect(fleet, complete, platform)
    status, document = fleet.request(without, "POST", "/platforms/account/verify")
    assert status >= 400
    assert "The connector 'faulty-key' is not installed." in document["detail"]
    assert is_connected(fleet, complete)
