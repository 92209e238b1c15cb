"""What is wrong with the processes that share a database is said, with the setting that mends it."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from socket import gethostname
from typing import Any
from urllib.request import Request, urlopen

import pytest
from flask import Flask

from blogsvc.context import Tools
from blogsvc.health.cluster import COMPARED_FOR, ClusterWatch, cluster_problems, problems_of
from blogsvc.health.shared_settings import MEDIA, REDIS, SharedSettings, shared_settings, shared_storage
from blogsvc.lib.storage import open_storage
from blogsvc.models import Process, User
from blogsvc.models.process import report
from tests.clock import eventually
from tests.cluster.fleet import Fleet, Member
from tests.cluster.test_processes import a_process
from tests.kill.server import call
from tests.web.conftest import browser_of, somebody
from tests.web.page_walk import Pages

__all__ = ["browser_of", "somebody"]  # fixtures

TOKEN = "a-token-of-the-test"
Configured = Callable[..., SharedSettings]


@pytest.fixture
def of_machine(tools: Tools) -> Configured:
    """Return a function that returns the shared settings of a process with this configuration."""

    def of_machine(boot: str = "one", redis_url: str = "redis://redis.example", **settings: Any) -> SharedSettings:
        config = replace(tools.config, redis_url=redis_url, database_url="postgresql+psycopg://", **settings)
        process = replace(tools, config=config, boot=boot)
        return {**shared_settings(process), MEDIA: shared_storage(process)}

    return of_machine


def found(*processes: Process) -> list[tuple[str, str | None, str]]:
    return [(problem.code, problem.setting, problem.details) for problem in problems_of(processes)]


def codes(*processes: Process) -> list[str]:
    return [problem.code for problem in problems_of(processes)]


def servers(*settings: SharedSettings) -> list[Process]:
    return [
        a_process(str(number), role="server", host=f"web-{number}", shared_settings=each)
        for number, each in enumerate(settings, 1)
    ]


def test_processes_that_agree_have_no_problems(of_machine: Configured) -> None:
    settings = of_machine()
    assert found() == []
    assert found(*servers(settings)) == []
    assert found(*servers(settings, settings), a_process("a worker", shared_settings=settings)) == []


@pytest.mark.parametrize(
    ("code", "setting", "one", "two", "details"),
    [
        (
            "redis",
            "BLOGSVC_REDIS_URL",
            {"redis_url": "redis://:secret@one.example:6379/0"},
            {"redis_url": "redis://one.example/1"},
            "Server on web-1: one.example:6379 0; server on web-2: one.example:6379 1.",
        ),
        (
            "redis",
            "BLOGSVC_REDIS_URL",
            {"redis_url": "redis://[2001:db8::1]/0"},
            {"redis_url": ""},
            "Server on web-1: [2001:db8::1]:6379 0; server on web-2: not set.",
        ),
        (
            "broker",
            "BLOGSVC_BROKER_URL",
            {"broker_url": "amqp://user:secret@rabbit.example/blog"},
            {"broker_url": "amqp://user:secret@rabbit.example/other"},
            "Server on web-1: rabbit.example:5672 blog; server on web-2: rabbit.example:5672 other.",
        ),
        (
            "address",
            "BLOGSVC_BASE_URL",
            {"base_url": "http://blog.example"},
            {"base_url": "https://blog.example"},
            "Server on web-1: http://blog.example; server on web-2: https://blog.example.",
        ),
    ],
)
def test_settings_that_differ_are_named_without_passwords(
    of_machine: Configured, code: str, setting: str, one: dict[str, str], two: dict[str, str], details: str
) -> None:
    assert found(*servers(of_machine(**one), of_machine(**two))) == [(code, setting, details)]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"redis_url": "redis://a.example"}, {"redis_url": "redis://:secret@a.example:6379/0"}),
        ({"redis_url": "redis://a.example/1"}, {"redis_url": "redis://a.example?db=1"}),
        ({"redis_url": "redis://localhost/0"}, {"redis_url": "redis://127.0.0.1/0"}),
        ({"broker_url": "amqp://a:b@rabbit.example//"}, {"broker_url": "amqp://c:d@rabbit.example:5672/%2F"}),
        ({"broker_url": "redis://redis.example/0"}, {}),
    ],
)
def test_one_server_with_two_urls_is_the_same(of_machine: Configured, one: dict[str, str], two: dict[str, str]) -> None:
    assert found(*servers(of_machine(**one), of_machine(**two))) == []


@pytest.mark.parametrize(
    "url",
    [
        "amqp://u:secret@a.example/v;amqp://u:secret@b.example/v",
        "redis://u:/secret@a.example/0",
        "redis+sentinel://:secret@a.example:1,b.example:2/secret",
        "unix://:secret@/run/redis.sock?db=0",
    ],
)
def test_no_part_of_a_password_is_shown(of_machine: Configured, url: str) -> None:
    assert "secret" not in str(of_machine(broker_url=url))
    assert "secret" not in str(of_machine(redis_url=url))


def test_a_server_at_a_local_address_is_another_one_on_each_machine(of_machine: Configured) -> None:
    here = of_machine(redis_url="redis://127.0.0.1/0", media_url="s3://a/b")
    there = of_machine(redis_url="redis://127.0.0.1/0", media_url="s3://a/b", boot="two")
    assert found(*servers(here, here)) == []
    details = "Server on web-1: 127.0.0.1:6379 0; server on web-2: 127.0.0.1:6379 0."
    assert found(*servers(here, there)) == [("redis", "BLOGSVC_REDIS_URL", details)]


def test_data_directories_are_different_places_for_images(of_machine: Configured, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = (of_machine(instance=tmp_path / name) for name in ("one", "two"))
    details = f"Server on web-1: the data directory {tmp_path}/one; server on web-2: the data directory {tmp_path}/two."
    assert found(*servers(one, two)) == [("media", "BLOGSVC_MEDIA_URL", details)]
    assert codes(*servers(one, of_machine(instance=tmp_path / "one", boot="two"))) == ["media"]


def test_a_shared_directory_that_is_not_mounted_is_a_different_place(of_machine: Configured, tmp_path: Path) -> None:
    """The paths say nothing: those of one directory may differ, and one path is another directory elsewhere."""
    shared, elsewhere, link = (tmp_path / name for name in ("shared", "not mounted", "link"))
    shared.mkdir()
    elsewhere.mkdir()
    link.symlink_to(shared)
    one, two, three = (of_machine(media_url=path.as_uri()) for path in (shared, link, elsewhere))
    assert found(*servers(one, two)) == []
    assert codes(*servers(one, two, three)) == ["media"]


def test_a_shared_directory_that_is_gone_is_named_and_not_made_again(of_machine: Configured, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    one, two = (of_machine(media_url=(tmp_path / name).as_uri()) for name in ("shared", "gone"))
    ((code, _setting, details),) = found(*servers(one, two))
    assert code == "media"
    assert "/gone (No such file or directory)." in details
    assert not (tmp_path / "gone").exists()


def test_the_store_of_amazon_has_one_name_and_others_have_an_address(
    of_machine: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_store(endpoint: str) -> SharedSettings:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", endpoint)
        open_storage.cache_clear()
        return of_machine(media_url="s3://bucket/prefix")

    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    amazon = [f"https://s3.{region}.amazonaws.com" for region in ("eu-central-1", "us-east-1")]
    assert found(*servers(*map(of_store, amazon))) == []
    assert codes(*servers(of_store(amazon[0]), of_store("https://garage.example"))) == ["media"]


def test_an_older_version_is_not_compared(of_machine: Configured) -> None:
    one = of_machine()
    assert found(*servers(one, {}, one)) == []
    assert codes(*servers(one, {}, of_machine(base_url="https://other.example"))) == ["address"]


def test_a_key_that_is_being_replaced_is_named() -> None:
    one, two = a_process("one"), a_process("two", host="w-2", key_fingerprint="def")
    details = "Worker on a machine: abc; worker on w-2: def."
    assert found(one, two) == [("key", "BLOGSVC_SECRET_KEY", details)]


def test_servers_that_count_requests_by_themselves_are_named(of_machine: Configured) -> None:
    alone = of_machine(redis_url="")
    assert found(*servers(alone)) == []
    assert found(*servers(alone), a_process("a worker", shared_settings=alone)) == []
    assert found(*servers(alone, alone)) == [("counters", "BLOGSVC_REDIS_URL", "")]


def test_clocks_that_are_wrong_are_named() -> None:
    right, ahead = a_process("one"), a_process("two", host="w-2", seconds_ahead=63.4)
    behind = a_process("three", host="w-3", seconds_ahead=-5.0)
    (problem,) = problems_of([right, ahead, behind])
    assert (problem.code, problem.setting) == ("clock", None)
    assert problem.details == "Worker on w-2: +63 s; worker on w-3: -5 s."
    assert problem.processes == {"two", "three"}


def test_connectors_that_only_others_have_are_named() -> None:
    one, two = a_process("one", missing=["nowhere"]), a_process("two", host="w-2", missing=["kiosk", "nowhere"])
    assert found(one, two) == [("connectors", None, "Worker on w-2: kiosk.")]
    assert found(two) == []  # its account is disconnected, and that is said


def test_what_processes_are_is_said_once_and_again_when_it_is_mended(
    app: Flask, tools: Tools, of_machine: Configured, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "blogsvc.health.cluster")
    watch, own = ClusterWatch(tools), tools.process.name

    def look(*addresses: str) -> list[str]:
        caplog.clear()
        for name, address in zip((own, "another"), addresses, strict=False):
            settings = of_machine(base_url=address)
            report(a_process(name, shared_settings=settings, seen_at=tools.now()))
        watch.look()
        return caplog.messages

    assert look("https://one.example") == []
    (line,) = look("https://one.example", "https://two.example")
    assert line.startswith("Processes use different addresses for the blog. Links in feeds")
    assert line.endswith("worker on a machine: https://two.example.")
    assert look("https://one.example", "https://two.example") == []
    assert look("https://one.example", "https://one.example") == [
        "mended: Processes use different addresses for the blog."
    ]


def test_a_process_that_was_not_seen_for_a_moment_is_not_compared(app: Flask, tools: Tools) -> None:
    report(a_process("one", seen_at=tools.now()))
    report(a_process("killed", key_fingerprint="def", seen_at=tools.now() - COMPARED_FOR))
    assert cluster_problems(tools.now()) == []


def of_two_machines() -> None:
    for number in (1, 2):
        settings = {REDIS: (f"{number}.example", f"{number}.example")}
        report(a_process(str(number), role="server", host=f"web-{number}", shared_settings=settings))


def test_the_dashboard_of_owners_names_the_problems(
    app: Flask, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    pages = {role: browser_of(somebody(role, name=role.title())) for role in ("owner", "editor")}
    assert "Needs attention" not in pages["owner"].get("/desk").text
    of_two_machines()
    page = pages["owner"].get("/desk").text
    assert "1 task" in page
    assert "Set BLOGSVC_REDIS_URL to one server that all machines reach." in page
    assert "Server on web-1: 1.example; server on web-2: 2.example." in page
    assert "Needs attention" not in pages["editor"].get("/desk").text


def read(member: Member, path: str, token: str | None = None) -> Any:
    return call(member.port, "GET", path, token)[1]


def test_processes_say_what_is_wrong_until_it_is_mended(fleet: Fleet) -> None:
    one = fleet.server("one", metrics_token=TOKEN, redis_url="", base_url="https://one.example")
    assert read(one, "/health")["problems"] == []
    two = fleet.server("two", base_url="https://two.example")
    eventually(lambda: len(read(one, "/health")["problems"]) == 3)
    problems = read(two, "/health")["problems"]
    assert [problem["code"] for problem in problems] == ["media", "address", "counters"]
    assert [problem["setting"] for problem in problems] == [
        "BLOGSVC_MEDIA_URL",
        "BLOGSVC_BASE_URL",
        "BLOGSVC_REDIS_URL",
    ]
    assert "details" not in problems[0], "everybody can read it"

    of_all = read(one, "/health/all", TOKEN)
    assert [process["role"] for process in of_all["processes"]] == ["server", "server"]
    assert [process["isRunning"] for process in of_all["processes"]] == [True, True]
    assert sum(process["isLeader"] for process in of_all["processes"]) == 1
    assert f"erver on {gethostname()}: " in of_all["problems"][0]["details"]

    command = [one.command()[0], "processes"]
    listed = subprocess.run(command, env=one.environment, capture_output=True, text=True, check=True).stdout
    assert listed.count("Problem: ") == 3
    for server in (one, two):
        eventually(lambda log=server.log: "Set BLOGSVC_BASE_URL to one address." in log.read_text(), 60)

    assert two.terminate() == 0
    eventually(lambda: read(one, "/health")["problems"] == [])
    eventually(lambda: "mended: Processes use different addresses" in one.log.read_text(), 60)
    assert fleet.tracebacks() == []


def test_the_metrics_count_the_processes_that_run_and_those_of_which_none_does(fleet: Fleet) -> None:
    server = fleet.server("server", metrics_token=TOKEN)
    asked = Request(f"http://127.0.0.1:{server.port}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    with urlopen(asked) as answer:
        found = answer.read().decode()
    assert 'blogsvc_processes{role="server"} 1.0' in found
    assert 'blogsvc_processes{role="worker"} 0.0' in found
