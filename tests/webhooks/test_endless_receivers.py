"""Receivers whose answers never end, on the real server: they take neither its memory nor the messages of others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests import endless
from tests.clock import eventually
from tests.endless import EndlessServer
from tests.receiver import Receiver
from tests.running_server import Served, serving
from tests.server.test_slow_readers import memory_mib

PATIENT = {"BLOGSVC_SEND_TIMEOUT_SECONDS": "60"}
ANSWERS = {
    name: {**endless.HTTP, **endless.FINISHED}[name]
    for name in (
        "gzip with trailing bytes",
        "empty deflate blocks",
        "early hints",
        "chunk extensions",
        "chunks of one byte",
        "a body",
    )
}


@pytest.fixture
def served(database_url: str, tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path, database_url, **PATIENT) as served:
        yield served


def subscribed(served: Served, url: str) -> str:
    made = served.call("POST", "/webhooks", {"url": url, "events": ["post.created"]})
    assert made.status == 201, made.body
    return str(made.json["id"])


def was_answered(served: Served, webhook: str) -> bool:
    """Return True if an attempt has ended. Fails if it took the whole time."""
    (delivery,) = served.call("GET", f"/webhooks/{webhook}/deliveries").json["data"] or [{"state": "queued"}]
    assert "in time" not in str(delivery), delivery
    return delivery["state"] in ("retrying", "delivered", "failed")


def test_thirty_endless_receivers_take_less_than_50_mib(served: Served) -> None:
    with ExitStack() as stack:
        receiver = stack.enter_context(Receiver())
        subscribed(served, receiver.url)
        served.make()
        assert receiver.wait_for(1, 60)
        before = memory_mib(served, "VmRSS")  # of a server that has sent messages
        servers = [stack.enter_context(EndlessServer(answer)) for answer in ANSWERS.values()]
        webhooks = [subscribed(served, f"{server.url}{number}") for server in servers for number in range(5)]
        served.make()
        assert receiver.wait_for(2, 60)
        for webhook in webhooks:
            eventually(partial(was_answered, served, webhook), 120)
        assert memory_mib(served, "VmHWM") - before < 50
