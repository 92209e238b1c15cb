"""Workers deliver what servers and schedulers tell them to, through RabbitMQ or Redis. Without them, schedulers do."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from tests.clock import eventually
from tests.cluster.brokers import BROKERS, OwnBroker, own_broker
from tests.cluster.fleet import SCHEDULER, WORKER, Fleet, Member
from tests.receiver import Receiver

SETTINGS_ARE_WRONG = 4  # the exit code


@pytest.fixture(scope="module", params=BROKERS)
def running_broker(request: pytest.FixtureRequest) -> Iterator[OwnBroker]:
    with own_broker(request.param) as broker:
        yield broker


@pytest.fixture
def broker(running_broker: OwnBroker, fleet: Fleet) -> OwnBroker:
    """Return a broker that the processes of the fleet use."""
    running_broker.ensure_running()
    fleet.settings["BLOGSVC_BROKER_URL"] = running_broker.url
    return running_broker


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def publish(fleet: Fleet, member: Member, platform: str = "hook") -> str:
    """Publish a post on a platform now, and return its id."""
    body = {"title": "A post", "content": "Words.", "platforms": [platform]}
    post_id = str(fleet.call(member, "POST", "/posts", body)["id"])
    fleet.call(member, "POST", f"/posts/{post_id}/publish")
    return post_id


def has_delivered(member: Member, count: int = 1) -> bool:
    found = member.log.read_text().count("outcome=delivered")
    return found >= count > 0 or found == count


def wait_until_delivered(member: Member, count: int = 1) -> None:
    """Wait until a process has logged its deliveries, which it does after the rows are written."""
    eventually(lambda: has_delivered(member, count))


def test_a_worker_delivers_what_is_published_on_a_server(fleet: Fleet, broker: OwnBroker, receiver: Receiver) -> None:
    server, worker = fleet.server("server"), fleet.worker("worker")
    fleet.connect(server, "hook", receiver.url)
    fleet.wait_until_published(server, publish(fleet, server))
    wait_until_delivered(worker)
    assert has_delivered(server, 0)
    assert worker.terminate() == 0
    assert fleet.tracebacks() == []


def test_servers_schedulers_and_workers_can_be_processes_of_their_own(
    fleet: Fleet, broker: OwnBroker, receiver: Receiver
) -> None:
    server = fleet.server("server", "--no-scheduler")
    scheduler, worker = fleet.start("scheduler", SCHEDULER), fleet.worker("worker")
    fleet.connect(server, "hook", receiver.url)
    published, scheduled = publish(fleet, server), fleet.schedule(server, "hook")
    for post_id in (published, scheduled):
        fleet.wait_until_published(server, post_id)
    wait_until_delivered(worker, 2)
    assert len(receiver.accepted) == 3  # with the test of the connection
    assert [member.terminate() for member in (server, scheduler, worker)] == [0, 0, 0]
    assert fleet.tracebacks() == []


def test_without_workers_the_scheduler_delivers(fleet: Fleet, broker: OwnBroker, receiver: Receiver) -> None:
    server = fleet.server("server")
    fleet.connect(server, "hook", receiver.url)
    fleet.wait_until_published(server, publish(fleet, server))
    worker = fleet.worker("worker")
    fleet.wait_until_published(server, publish(fleet, server))
    assert worker.terminate() == 0
    fleet.wait_until_published(server, publish(fleet, server))
    wait_until_delivered(worker)
    wait_until_delivered(server, 2)
    assert fleet.tracebacks() == []


def test_while_the_broker_is_down_the_scheduler_delivers(fleet: Fleet, broker: OwnBroker, receiver: Receiver) -> None:
    server, worker = fleet.server("server"), fleet.worker("worker")
    fleet.connect(server, "hook", receiver.url)
    fleet.wait_until_published(server, publish(fleet, server))
    broker.kill()
    fleet.wait_until_published(server, publish(fleet, server))
    wait_until_delivered(server)
    broker.start()
    eventually(lambda: worker.log.read_text().count("Connected to") >= 2, 60)

    def has_worker_delivered_again() -> bool:
        fleet.wait_until_published(server, publish(fleet, server))
        return has_delivered(worker, 2)

    eventually(has_worker_delivered_again, 60)
    assert len(receiver.accepted) == len(receiver.requests)


def test_what_a_killed_worker_was_sending_is_sent_by_another_one(
    fleet: Fleet, broker: OwnBroker, receiver: Receiver
) -> None:
    server, worker = fleet.server("server"), fleet.worker("worker")
    receiver.will("ok", "hang")  # the test of the connection, and the first delivery
    fleet.connect(server, "hook", receiver.url)
    post_id = publish(fleet, server)
    assert receiver.wait_for(2, 30)
    other = fleet.worker("other")
    worker.kill()
    fleet.wait_until_published(server, post_id)
    wait_until_delivered(other)
    assert len(receiver.accepted) == 2


def test_a_worker_that_stops_ends_what_it_is_sending(fleet: Fleet, broker: OwnBroker, receiver: Receiver) -> None:
    server, worker = fleet.server("server"), fleet.worker("worker")
    receiver.will("ok", "slow")
    fleet.connect(server, "hook", receiver.url)
    post_id = publish(fleet, server)
    assert receiver.wait_for(2, 30)
    assert worker.process is not None
    os.kill(worker.process.pid, signal.SIGTERM)
    assert worker.process.wait(30) == 0
    fleet.wait_until_published(server, post_id)
    wait_until_delivered(worker)
    assert len(receiver.requests) == 2


def test_a_worker_with_another_broker_does_not_hold_up_the_work(fleet: Fleet, receiver: Receiver) -> None:
    with own_broker("redis") as one, own_broker("redis") as other:
        server = fleet.server("server", broker_url=one.url)
        worker = fleet.worker("worker", broker_url=other.url)
        fleet.connect(server, "hook", receiver.url)
        fleet.wait_until_published(server, publish(fleet, server))
        wait_until_delivered(server)
        assert has_delivered(worker, 0)
        assert "do they use another broker?" in server.log.read_text()


def test_a_lane_with_much_work_lets_others_have_their_turn(fleet: Fleet, broker: OwnBroker) -> None:
    server = fleet.server("server", "--no-scheduler")
    with Receiver(moment=0.7) as slow, Receiver() as quick:
        fleet.connect(server, "hook", slow.url)
        fleet.connect(server, "quick", quick.url)
        slow.always("slow")
        posts = [publish(fleet, server) for _ in range(20)]  # for more than one turn
        other = publish(fleet, server, "quick")
        worker = fleet.worker("worker", lanes="1")
        fleet.start("scheduler", SCHEDULER)
        fleet.wait_until_published(server, other)
        assert len(slow.requests) < len(posts)
        for post_id in posts:
            fleet.wait_until_published(server, post_id)
        wait_until_delivered(worker, len(posts) + 1)


def start_worker(member: Member, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*member.command(), *options], env=member.environment, capture_output=True, text=True, timeout=60
    )


def test_a_worker_says_which_settings_it_needs(fleet: Fleet) -> None:
    found = start_worker(fleet.member("worker", WORKER, database_url=""))
    assert found.returncode == SETTINGS_ARE_WRONG
    assert found.stderr.splitlines()[-1] == (
        "blogsvc: A worker needs a broker and the database of the servers. Set BLOGSVC_DATABASE_URL, to a PostgreSQL,"
        " and BLOGSVC_BROKER_URL or BLOGSVC_REDIS_URL."
    )


def test_a_worker_runs_its_lanes_in_threads(fleet: Fleet, broker: OwnBroker) -> None:
    found = start_worker(fleet.member("worker", WORKER), "--pool", "solo")
    assert found.returncode == SETTINGS_ARE_WRONG
    assert "blogsvc: A worker runs its lanes in threads. Start it without --pool." in found.stderr
