"""A fake platform on loopback, and connections to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from flask import Flask

from blogsvc.config import Config
from blogsvc.connections import manage
from blogsvc.connectors import connectors
from blogsvc.context import Tools
from blogsvc.lib.crypto import Vault
from blogsvc.lib.net.http import HttpClient, Timeout
from blogsvc.models import Connection, Delivery, Post, db
from blogsvc.scheduler.one_pass import one_pass
from tests.clock import Time
from tests.faulty_platform import FaultyPlatform

FAULTY = Path(__file__).parent.parent / "faulty"
KINDS = ("faulty-key", "faulty-find", "faulty-none")
# Long enough for a response from a busy machine, short enough to wait for.
PATIENCE = 0.6  # seconds


def reload_rows() -> None:
    """Discard all loaded rows: a rollback does so only in an open transaction."""
    db.session.rollback()
    db.session.expire_all()


@pytest.fixture
def platform() -> Iterator[FaultyPlatform]:
    with FaultyPlatform() as platform:
        yield platform


@pytest.fixture
def config(config: Config, request: pytest.FixtureRequest) -> Config:
    """Time out soon, unless the test has settings of its own because no request of it hangs."""
    is_set = request.node.get_closest_marker("settings") is not None
    return config if is_set else replace(config, send_timeout_seconds=PATIENCE)


@pytest.fixture
def tools(config: Config, time: Time) -> Tools:
    vault = Vault.open(config.instance / "secret.key")
    http = HttpClient(allow_private=True, timeout=Timeout.within(config.send_timeout_seconds))
    return Tools(config=config, vault=vault, http=http, now=time, steady=lambda: time().timestamp())


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the package of test connectors."""
    monkeypatch.syspath_prepend(FAULTY)
    connectors.cache_clear()
    yield
    connectors.cache_clear()


@pytest.fixture
def link(app: Flask, tools: Tools, platform: FaultyPlatform, faulty: None) -> Callable[..., Connection]:
    """Return a function that connects an account of one kind, named after the kind by default."""

    def make(kind: str, name: str | None = None) -> Connection:
        connection, _ = manage.connect(kind, name or kind, {"url": platform.url(name or kind)}, tools)
        platform.account(connection.name).calls.clear()
        return connection

    return make


@pytest.fixture
def tick(tick: Callable[[], None]) -> Callable[[], None]:
    """Return a function that runs the scheduler once and reloads all rows."""

    def one() -> None:
        tick()
        reload_rows()

    return one


class Beside:
    """Runs the scheduler in other threads, as another process would."""

    def __init__(self, app: Flask, tools: Tools) -> None:
        self.pass_ = (app, tools)
        self.threads: list[Thread] = []

    def tick(self) -> None:
        self.threads.append(Thread(target=one_pass, args=self.pass_))
        self.threads[-1].start()

    def wait(self) -> None:
        for thread in self.threads:
            thread.join(30)
            assert not thread.is_alive()
        reload_rows()


@pytest.fixture
def beside(app: Flask, tools: Tools) -> Iterator[Beside]:
    beside = Beside(app, tools)
    yield beside
    beside.wait()


@pytest.fixture
def delivery(app: Flask) -> Callable[[Post, str], Delivery]:
    """Return a function that loads the delivery of a post to one destination."""

    def find(post: Post, platform: str) -> Delivery:
        reload_rows()
        found = db.session.get_one(Post, post.id).delivery_to(platform)
        assert found is not None
        return found

    return find
