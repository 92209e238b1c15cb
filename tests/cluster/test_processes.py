"""The processes that share a database report themselves, and the work of one that is gone goes on."""

from __future__ import annotations

import json
import re
import subprocess
from datetime import timedelta
from typing import Any

from flask import Flask

from blogsvc.lib.crypto import new_vault_key
from blogsvc.models import Process
from blogsvc.models.process import UNSEEN_AFTER, is_any_consuming, processes, report
from blogsvc.scheduler.presence import REPORT_EVERY, Absences
from tests.clock import NOW, eventually
from tests.cluster.fleet import Fleet, Member
from tests.receiver import Receiver

A_LOOK = REPORT_EVERY


def a_process(name: str = "one", **fields: Any) -> Process:
    usual = {
        "role": "worker",
        "host": "a machine",
        "version": "1",
        "key_fingerprint": "abc",
        "seconds_ahead": 0.0,
        "lane_count": 0,
        "is_consuming": True,
        "missing": [],
        "shared_settings": {},
        "started_at": NOW,
        "seen_at": NOW,
    }
    return Process(name=name, **usual | fields)


def listed(member: Member) -> list[dict[str, Any]]:
    """Return what `blogsvc processes --json` prints on the machine of this process."""
    command = [member.command()[0], "processes", "--json"]
    found = subprocess.run(command, env=member.environment, capture_output=True, check=True)
    return list(json.loads(found.stdout))


def test_a_worker_consumes_messages_as_long_as_it_says_so(app: Flask) -> None:
    report(a_process())
    assert is_any_consuming(NOW)
    assert not is_any_consuming(NOW + UNSEEN_AFTER)
    report(a_process(is_consuming=False))
    assert not is_any_consuming(NOW)
    assert [process.name for process in processes()] == ["one"]


class Watched:
    """Processes that report themselves, and one that watches them."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.absences = Absences(lambda: self.seconds, "one")
        self.one, self.two = a_process("one"), a_process("two")

    def look(self, *reporting: Process) -> list[str]:
        self.seconds += A_LOOK
        for process in reporting:
            process.seen_at = process.seen_at + timedelta(seconds=A_LOOK)
        return self.absences.noticed([self.one, self.two])


def test_a_process_that_stopped_reporting_is_gone_after_a_while() -> None:
    watched = Watched()
    assert [watched.look(watched.one) for _ in range(5)] == [[], [], [], [], ["two"]]


def test_a_process_that_reports_again_is_not_gone() -> None:
    watched = Watched()
    assert [watched.look(watched.one) for _ in range(4)] == [[]] * 4
    assert watched.look(watched.one, watched.two) == []


def test_nobody_is_gone_because_the_database_was_away() -> None:
    watched = Watched()
    watched.look(watched.one, watched.two)
    watched.seconds += 60
    assert watched.look() == []
    assert watched.look(watched.one, watched.two) == []


def test_nobody_is_gone_because_nobody_could_write() -> None:
    watched = Watched()
    watched.look(watched.one, watched.two)
    assert [watched.look() for _ in range(9)] == [[]] * 9
    found = [watched.look(watched.one) for _ in range(5)]
    assert found[:2] == [[], []]  # time for another report
    assert found[-1] == ["two"]


def test_processes_are_listed_until_they_end(fleet: Fleet) -> None:
    one, two = fleet.server("one"), fleet.server("two")
    eventually(lambda: len(listed(one)) == 2)
    found = listed(two)
    assert [process["role"] for process in found] == ["server", "server"]
    assert sorted(process["leads"] for process in found) == [False, True]
    assert len({process["key"] for process in found}) == 1
    assert one.terminate() == 0
    eventually(lambda: len(listed(two)) == 1)
    assert fleet.tracebacks() == []


def test_all_servers_of_a_new_blog_have_the_same_setup_link(fleet: Fleet) -> None:
    links = [re.findall(r"/setup/\S+", fleet.server(name).log.read_text()) for name in ("one", "two")]
    assert links[0] == links[1]
    assert len(links[0]) == 1


def test_a_process_with_another_key_says_which_one_it_needs(fleet: Fleet) -> None:
    one, other = fleet.server("one"), fleet.member("other", secret_key=new_vault_key())
    eventually(lambda: listed(one) != [])
    found = subprocess.run(other.command(), env=other.environment, capture_output=True, text=True, timeout=60)
    assert found.returncode == 1
    assert f"are encrypted with the key {listed(one)[0]['key']}" in found.stderr


def test_the_work_of_a_machine_that_is_gone_goes_on(fleet: Fleet) -> None:
    a_long_time = "600"
    one = fleet.server("one", send_timeout_seconds=a_long_time)
    with Receiver() as receiver:
        receiver.will("ok", "hang")  # the test of the connection, and the first delivery
        fleet.call(
            one, "POST", "/platforms", {"connector": "webhook", "name": "hook", "settings": {"url": receiver.url}}
        )
        post_id = fleet.schedule(one, "hook")
        assert receiver.wait_for(2, 30)
        two = fleet.server("two", send_timeout_seconds=a_long_time)
        one.kill()
        fleet.wait_until_published(two, post_id, 90)
        assert len(receiver.accepted) == 2
    assert fleet.tracebacks() == []
