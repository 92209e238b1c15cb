"""The three commands of docs/deploy/README.md that try a cluster on one machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from blogsvc.config import ROOT
from tests.clock import eventually
from tests.cluster.brokers import own_broker
from tests.cluster.fleet import Fleet, Member
from tests.kill.server import call
from tests.receiver import Receiver

EXAMPLES = ROOT / "docs" / "deploy"


@pytest.fixture
def trial(fleet: Fleet, tmp_path: Path) -> Iterator[Member]:
    """The processes that the last command starts, with a PostgreSQL and a Redis of the test."""
    documented = (EXAMPLES / "README.md").read_text()
    (command,) = re.findall(r"^\.venv/bin/(honcho .*)$", documented, re.MULTILINE)
    with own_broker("redis") as redis:
        settings = (EXAMPLES / "local.env").read_text()
        settings = re.sub("(DATABASE_URL)=.*", rf"\1={fleet.database_url}", settings)
        settings = re.sub("(REDIS_URL)=.*", rf"\1={redis.url}", settings)
        (tmp_path / "local.env").write_text(settings)
        command = command.replace("docs/deploy/local.env", str(tmp_path / "local.env"))
        member = fleet.member("trial", tuple(command.split()))
        fleet.settings.pop("BLOGSVC_SECRET_KEY")  # all processes have the key file of one data directory
        member.settings.pop("BLOGSVC_SECRET_KEY")
        fleet.key = fleet.make_key(member)
        member.words = tuple(command.replace("8000", str(member.port)).split())
        member.start()
        yield member
        member.terminate()


def test_a_cluster_on_one_machine_starts_with_the_documented_command(trial: Member, fleet: Fleet) -> None:
    one, other = trial.port, trial.port + 1
    for port in (one, other):
        replace(trial, port=port).wait_until_ready()
    eventually(lambda: trial.log.read_text().count("ready.") == 2, 60)
    with Receiver() as receiver:
        hook = {"connector": "webhook", "name": "hook", "settings": {"url": receiver.url}}
        assert call(one, "POST", "/api/v1/platforms", fleet.key, hook)[0] == 201
        post = {"title": "A post", "content": "Words.", "platforms": ["hook"]}
        status, created = call(other, "POST", "/api/v1/posts", fleet.key, post)
        assert status == 201
        assert call(other, "POST", f"/api/v1/posts/{created['id']}/publish", fleet.key)[0] in (200, 202)
        assert receiver.wait_for(2, 60), "the check of the connection, and the post"
    eventually(lambda: "outcome=delivered" in trial.log.read_text(), 10)
    delivered = [line for line in trial.log.read_text().splitlines() if "outcome=delivered" in line]
    assert [re.search(r"(server|worker)\.\d", line)[1] for line in delivered] == ["worker"]
    assert call(one, "GET", "/health")[1]["problems"] == []
