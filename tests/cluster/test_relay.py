"""Each process tells the others through Redis what it has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from blogsvc.context import Tools
from blogsvc.lib.crypto import Vault, new_vault_key
from blogsvc.lib.time import steady_seconds
from blogsvc.models.setting import site_has_changed
from blogsvc.models.transactions import ANOTHER_PROCESS, became_due, has_recorded
from blogsvc.scheduler.relay import Relay
from tests.clock import eventually
from tests.cluster.brokers import OwnBroker, own_broker
from tests.cluster.fleet import Fleet
from tests.receiver import Receiver

SIGNALS = {"due": became_due, "recorded": has_recorded, "site": site_has_changed}
Start = Callable[..., Relay]


@pytest.fixture(scope="module")
def running_redis() -> Iterator[OwnBroker]:
    with own_broker("redis") as broker:
        yield broker


@pytest.fixture
def start(running_redis: OwnBroker, tools: Tools, tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts the relay of a process, and waits until messages arrive."""
    relays: list[Relay] = []

    def start(name: str, vault: Vault = tools.vault) -> Relay:
        settings = {"redis_url": running_redis.url, "database_url": "postgresql+psycopg://"}
        config = replace(tools.config, instance=tmp_path / name, **settings)
        relays.append(Relay(replace(tools, config=config, vault=vault, steady=steady_seconds)))
        relays[-1].start()
        eventually(lambda: relays[-1].is_working, 30)
        return relays[-1]

    yield start
    for relay in relays:
        relay.stop()


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """Return the names of the signals that came from other processes."""
    heard: list[str] = []
    receivers = [_receiver_of(name, heard) for name in SIGNALS]
    for signal, receiver in zip(SIGNALS.values(), receivers, strict=True):
        signal.connect(receiver)
    yield heard
    for signal, receiver in zip(SIGNALS.values(), receivers, strict=True):
        signal.disconnect(receiver)


def _receiver_of(name: str, heard: list[str]) -> Callable[[object], None]:
    return lambda sender: heard.append(name) if sender is ANOTHER_PROCESS else None


@pytest.mark.parametrize("name", SIGNALS)
def test_what_one_process_changes_another_one_hears(start: Start, heard: list[str], name: str) -> None:
    start("one")
    alone = list(heard)
    SIGNALS[name].send()
    start("two")  # which has heard the first messages by then
    SIGNALS[name].send()
    eventually(lambda: set(heard) == {name}, 30)
    assert alone == []


def test_what_changes_in_a_moment_is_one_message(start: Start, running_redis: OwnBroker) -> None:
    relay = start("one")
    with closing(Redis.from_url(running_redis.url)) as client, closing(client.pubsub()) as messages:
        messages.subscribe(relay.channel)
        eventually(lambda: (messages.get_message(timeout=1) or {}).get("type") == "subscribe")
        for _ in range(500):
            became_due.send()
            has_recorded.send()
        received: list[str] = []

        def has_received() -> bool:
            message = messages.get_message(timeout=1)
            received.extend(message["data"].decode().split()[1:] if message else [])
            return {"due", "recorded"} <= set(received)

        eventually(has_received, 30)
        assert len(received) < 100


def test_installations_on_one_redis_do_not_hear_each_other(start: Start) -> None:
    assert start("one").channel == start("two").channel
    assert start("one").channel != start("another blog", Vault([new_vault_key()])).channel


def test_a_message_of_a_newer_version_is_understood_as_far_as_possible(
    start: Start, heard: list[str], running_redis: OwnBroker
) -> None:
    relay = start("one")
    with closing(Redis.from_url(running_redis.url)) as client:
        client.publish(relay.channel, "another-process news due")
    eventually(lambda: heard == ["due"], 30)


def test_a_process_knows_whether_messages_arrive(start: Start, heard: list[str], running_redis: OwnBroker) -> None:
    one, _ = start("one"), start("two")
    running_redis.kill()
    eventually(lambda: not one.is_working, 60)
    running_redis.start()
    eventually(lambda: one.is_working, 60)
    became_due.send()
    eventually(lambda: "due" in heard, 30)


def test_a_server_and_the_scheduler_of_another_one_publish_together(fleet: Fleet, running_redis: OwnBroker) -> None:
    fleet.settings["BLOGSVC_REDIS_URL"] = running_redis.url
    server, scheduler = fleet.server("server", "--no-scheduler"), fleet.server("scheduler")
    with Receiver() as receiver:
        fleet.connect(server, "hook", receiver.url)
        body = {"title": "A post", "content": "Words.", "platforms": ["hook"]}
        post_id = str(fleet.call(server, "POST", "/posts", body)["id"])
        fleet.call(server, "POST", f"/posts/{post_id}/publish")
        fleet.wait_until_published(server, post_id)
    assert [member.terminate() for member in (server, scheduler)] == [0, 0]
    assert fleet.tracebacks() == []
