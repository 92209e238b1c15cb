"""A lane with work gets one message, and another one if that may be lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import redis
from flask import Flask

from blogsvc.context import Tools
from blogsvc.models.process import report
from blogsvc.scheduler.lane_messages import DO_WITHOUT_FOR, SEND_AGAIN_AFTER, LaneMessages
from blogsvc.scheduler.traffic import ANNOUNCEMENTS, DELIVERIES, Traffic
from tests.clock import Time, eventually
from tests.cluster.brokers import BROKERS, OwnBroker, own_broker
from tests.cluster.test_processes import a_process


@pytest.fixture(scope="module")
def running_broker() -> Iterator[OwnBroker]:
    with own_broker("redis") as broker:
        yield broker


@pytest.fixture
def queues(running_broker: OwnBroker) -> redis.Redis:
    client = redis.Redis(port=running_broker.port)
    client.flushall()
    return client


def messages_through(broker: OwnBroker, tools: Tools) -> LaneMessages:
    settings = {"broker_url": broker.url, "database_url": "postgresql+psycopg://"}
    return LaneMessages(replace(tools, config=replace(tools.config, **settings)))


@pytest.fixture
def messages(tools: Tools, running_broker: OwnBroker, queues: redis.Redis) -> LaneMessages:
    return messages_through(running_broker, tools)


def hand_over(
    messages: LaneMessages,
    due: dict[str, Any],
    traffic: Traffic = DELIVERIES,
    of_others: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """Hand over lanes with due work, and return those to work on here."""
    return messages.hand_over(
        replace(traffic, due_lanes=lambda tools: due, lanes_of_others=lambda lanes, tools: of_others)
    )


def count(queues: redis.Redis, traffic: str = "deliveries") -> int:
    return int(queues.llen(f"blogsvc.{traffic}"))  # type: ignore[arg-type]


def test_a_lane_gets_one_message(messages: LaneMessages, queues: redis.Redis) -> None:
    assert hand_over(messages, {"one": "first", "two": "first"}) == []
    assert hand_over(messages, {"one": "first", "two": "first", "three": "first"}) == []
    assert hand_over(messages, {"one": "first"}, ANNOUNCEMENTS) == []
    assert count(queues) == 3
    assert count(queues, "webhooks") == 1
    assert messages.lanes_of(DELIVERIES) == {"one", "two", "three"}


def test_a_lane_gets_another_message_when_other_work_is_due(messages: LaneMessages, queues: redis.Redis) -> None:
    hand_over(messages, {"one": "first"})
    hand_over(messages, {"one": "second"})
    assert count(queues) == 2


def test_a_lane_gets_another_message_when_it_was_free_meanwhile(messages: LaneMessages, queues: redis.Redis) -> None:
    hand_over(messages, {"one": None})
    hand_over(messages, {})
    assert messages.lanes_of(DELIVERIES) == set()
    hand_over(messages, {"one": None})
    assert count(queues) == 2


def test_a_lane_gets_another_message_because_the_first_may_be_lost(
    messages: LaneMessages, queues: redis.Redis, time: Time
) -> None:
    hand_over(messages, {"one": "first"})
    time.passes(seconds=SEND_AGAIN_AFTER - 1)
    hand_over(messages, {"one": "first"})
    assert count(queues) == 1
    assert messages.seconds_to_next() == 1
    time.passes(seconds=1)
    hand_over(messages, {"one": "first"})
    assert count(queues) == 2


def test_a_lane_whose_messages_have_no_effect_is_worked_on_here(
    messages: LaneMessages, queues: redis.Redis, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    results = []
    for _ in range(5):
        results.append(hand_over(messages, {"one": "first"}))
        assert hand_over(messages, {"one": "first"}) == results[-1]
        time.passes(seconds=SEND_AGAIN_AFTER)
    assert results == [[], [], ["one"], ["one"], ["one"]]
    assert count(queues) == 2
    assert len(caplog.records) == 1
    assert hand_over(messages, {"one": "second"}) == []
    assert count(queues) == 3


def test_a_lane_that_this_process_cannot_work_on_gets_messages_until_one_has_an_effect(
    messages: LaneMessages, queues: redis.Redis, time: Time
) -> None:
    for _ in range(5):
        assert hand_over(messages, {"one": "first"}, of_others={"one": "a package"}) == []
        time.passes(seconds=SEND_AGAIN_AFTER)
    assert count(queues) == 5


def test_messages_for_some_of_the_workers_have_no_rhythm_in_which_another_one_gets_all(
    messages: LaneMessages, queues: redis.Redis, time: Time
) -> None:
    sent_at: list[int] = []
    for tenths in range(600):
        hand_over(messages, {"one": "first"}, of_others={"one": "a package"})
        if count(queues) > len(sent_at):
            sent_at.append(tenths)
        time.passes(seconds=0.1)
    gaps = {after - before for before, after in pairwise(sent_at)}
    assert len(gaps) > 3
    assert max(gaps) < 10 * SEND_AGAIN_AFTER


def test_without_the_broker_the_work_is_done_here_for_a_while(
    messages: LaneMessages, running_broker: OwnBroker, queues: redis.Redis, time: Time, app: Flask
) -> None:
    report(a_process())
    assert messages.can_send()
    hand_over(messages, {"one": "first"})
    running_broker.kill()
    assert hand_over(messages, {"one": "first", "two": "first"}) != []
    assert not messages.can_send()
    running_broker.start()
    assert hand_over(messages, {"one": "first"}) != []
    time.passes(seconds=DO_WITHOUT_FOR)
    assert messages.can_send()
    assert hand_over(messages, {"one": "first"}) == []
    assert count(queues) == 1


def stands_still(group: int) -> bool:
    """Return True if all threads of a group of processes have stopped: each does so when it runs next."""
    members = [each for each in Path("/proc").glob("[0-9]*") if _stat(each / "stat")[2:3] == [str(group)]]
    return {_stat(thread)[0] for each in members for thread in each.glob("task/*/stat")} == {"T"}


def _stat(path: Path) -> list[str]:
    """Return the fields after the name: the state, the parent, the group of processes, and so on."""
    try:
        return path.read_text().rpartition(") ")[2].split()
    except OSError:  # it has ended
        return [""]


@pytest.mark.parametrize("name", BROKERS)
def test_a_broker_that_hangs_is_not_waited_for_long(messages: LaneMessages, tools: Tools, name: str) -> None:
    with own_broker(name) as broker:
        hanging = messages_through(broker, tools)
        assert hand_over(hanging, {"one": "first"}) == []
        assert broker.process is not None
        os.killpg(broker.process.pid, signal.SIGSTOP)
        eventually(lambda: stands_still(broker.process.pid))
        assert hand_over(hanging, {"two": "first"}) != []
        os.killpg(broker.process.pid, signal.SIGCONT)


def test_each_failure_is_followed_by_a_longer_time_without_the_broker(
    messages: LaneMessages, running_broker: OwnBroker, time: Time
) -> None:
    running_broker.kill()
    hand_over(messages, {"one": "first"})
    time.passes(seconds=DO_WITHOUT_FOR)
    hand_over(messages, {"one": "first"})
    running_broker.start()
    time.passes(seconds=DO_WITHOUT_FOR)
    assert hand_over(messages, {"one": "first"}) != []
    time.passes(seconds=DO_WITHOUT_FOR)
    assert hand_over(messages, {"one": "first"}) == []


def test_without_workers_there_is_nobody_to_send_to(messages: LaneMessages, app: Flask) -> None:
    assert not messages.can_send()
