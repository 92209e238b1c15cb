"""Servers and workers are replaced by the next release one by one, which changes the schema, while people write."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPException
from itertools import count
from pathlib import Path
from secrets import token_hex
from threading import Event
from time import sleep
from typing import Any

import pytest
from sqlalchemy import text

from blogsvc.config import ROOT
from blogsvc.models.schema import schema_versions
from tests.cluster.brokers import own_broker
from tests.cluster.fleet import A_MOMENT, Fleet, Member
from tests.databases import another
from tests.kill.server import FAULTY
from tests.receiver import Receiver
from tests.running_server import Answer, Served

WRITERS = 3
# It holds the lock on the posts for a second.
MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = {revision!r}, {before!r}, None, None


def upgrade():
    op.add_column("post", sa.Column("mood", sa.String(10)))
    op.execute("SELECT pg_sleep(1)")
"""


@pytest.fixture
def next_release(tmp_path: Path) -> Path:
    """Return a directory with the next release, whose schema is one version newer."""
    place = tmp_path / "next"
    place.mkdir()
    shutil.copytree(ROOT / "blogsvc", place / "blogsvc", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", place)
    for name in ("static", "templates"):
        (place / name).symlink_to(ROOT / name)
    before = schema_versions()[-1]
    revision = f"{int(before) + 1:04}"
    versions = place / "blogsvc" / "migrations" / "versions"
    (versions / f"{revision}_mood.py").write_text(MIGRATION.format(revision=revision, before=before))
    return place


@pytest.fixture
def receiver(fleet: Fleet) -> Iterator[Receiver]:
    with own_broker("redis") as broker, Receiver() as receiver:
        fleet.settings |= {"BLOGSVC_REDIS_URL": broker.url, "BLOGSVC_SEND_TIMEOUT_SECONDS": "20"}
        yield receiver


@dataclass
class Balancer:
    """Sends each request to one of the servers, and to the next one if that does not accept it, as nginx does."""

    key: str
    servers: list[Member]
    refused: list[Answer] = field(default_factory=list)
    turns: count[int] = field(default_factory=count)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Repeat a request until it succeeds, with the same key."""
        headers = {"Idempotency-Key": token_hex(8)}
        for _ in range(1000):
            servers = list(self.servers)
            server = servers[next(self.turns) % len(servers)]
            try:
                answer = Served(server, self.key).call(method, path, body, headers)
            except (OSError, HTTPException):  # it has just ended
                continue
            if answer.status < 300:
                return answer.json
            self.refused.append(answer)
            sleep(A_MOMENT.total_seconds() / 10)
        raise AssertionError(f"{method} {path} never succeeded")

    def write_until(self, is_over: Event) -> list[str]:
        """Write and publish posts, and return their ids."""
        ids = []
        while not is_over.is_set():
            ids.append(self.write())
        return ids

    def write(self) -> str:
        """Write and publish a post, and return its id."""
        draft = {"title": "A post", "content": "Words.", "platforms": ["hook", "site"]}
        post_id = str(self.call("POST", "/posts", draft)["id"])
        self.call("PUT", f"/posts/{post_id}", {"title": f"Post {post_id}"})
        self.call("POST", f"/posts/{post_id}/publish")
        return post_id


def test_an_update_of_one_process_after_the_other_fails_no_request(
    fleet: Fleet, receiver: Receiver, next_release: Path
) -> None:
    servers = [fleet.server("one"), fleet.server("two")]
    worker = fleet.worker("worker")
    fleet.connect(servers[0], "hook", receiver.url)
    balancer, is_over = Balancer(fleet.key, servers), Event()
    newer = Path(os.pathsep.join(map(str, (next_release, FAULTY))))
    with ThreadPoolExecutor(WRITERS) as pool:
        writing = [pool.submit(balancer.write_until, is_over) for _ in range(WRITERS)]
        try:
            for number in range(len(servers)):
                old, servers[number] = servers[number], fleet.server(f"newer-{number}", packages=newer)
                assert old.terminate(60) == 0
            newer_worker = fleet.worker("newer-worker", packages=newer)
            assert worker.terminate(60) == 0
        finally:
            is_over.set()
        posts = [post_id for task in writing for post_id in task.result()]
    while "outcome=delivered" not in newer_worker.log.read_text():
        posts.append(balancer.write())
        fleet.wait_until_published(servers[0], posts[-1])
    assert len(posts) > 2 * WRITERS
    assert {(answer.status, answer.headers["Retry-After"] is not None) for answer in balancer.refused} <= {(503, True)}
    for post_id in posts:
        fleet.wait_until_published(servers[0], post_id)
    sent = Counter(received.json()["data"].get("title") for received in receiver.accepted)
    assert {title: sent[title] for title in (f"Post {post_id}" for post_id in posts)} == {
        f"Post {post_id}": 1 for post_id in posts
    }
    with another(fleet.database_url) as rows:
        assert rows.scalars(text("SELECT state FROM connection")).all() == ["connected"]
        assert rows.scalar(text("SELECT version_num FROM alembic_version")) > schema_versions()[-1]
    assert fleet.tracebacks() == []
