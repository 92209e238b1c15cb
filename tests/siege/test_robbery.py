"""Keys of few scopes get no secret, no draft and no power over what is live, on a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.receiver import Receiver
from tests.running_server import Served, serving
from tests.siege import robbery

WORDS = "The secret words."


@pytest.fixture(scope="module")
def own() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def served(shared_database_url: str, tmp_path_factory: pytest.TempPathFactory, own: Receiver) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("robbery"), shared_database_url, {"hook": own.url}) as served:
        yield served


@pytest.fixture
def thief() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def key(served: Served, *scopes: str) -> str:
    return str(served.call("POST", "/keys", {"name": "thief", "scopes": list(scopes)}).json["key"])


def base_url(served: Served) -> str:
    return f"http://127.0.0.1:{served.server.port}"


def test_a_connection_is_not_pointed_at_a_thief(served: Served, own: Receiver, thief: Receiver) -> None:
    writes = key(served, "platforms:write")
    assert robbery.re_aim(base_url(served), writes, "hook", thief.url) == []
    served.call("POST", f"/posts/{served.make()['id']}/publish", {"platforms": ["hook"]}, {"Prefer": "wait=30"})
    assert thief.requests == []
    assert robbery.stolen(own.requests), "the connection still works where it belongs"


def test_a_webhook_of_another_key_is_not_robbed(served: Served, own: Receiver, thief: Receiver) -> None:
    made = served.call("POST", "/webhooks", {"url": own.url}).json
    writes = key(served, "webhooks:write", "webhooks:read", "posts:read")
    assert robbery.rob_webhook(base_url(served), writes, made["id"], thief.url) == []
    assert thief.requests == []


def test_a_draft_is_not_read(served: Served) -> None:
    post_id = served.make(content=WORDS)["id"]
    writes = key(served, "posts:write", "posts:publish", "webhooks:write", "media:write")
    assert robbery.read_draft(base_url(served), writes, post_id, WORDS) == []
    assert robbery.read_draft(base_url(served), key(served, "posts:read", "posts:write"), post_id, WORDS) != []


def test_what_is_live_or_scheduled_is_not_taken_down(served: Served) -> None:
    writes = key(served, "posts:read", "posts:write")
    live, soon = served.make()["id"], served.make(scheduledAt="2030-01-01T00:00:00Z")["id"]
    served.call("POST", f"/posts/{live}/publish", {"platforms": ["site"]})
    for post_id in (live, soon):
        before = served.call("GET", f"/posts/{post_id}").json["status"]
        assert robbery.take_down(base_url(served), writes, post_id) == []
        assert served.call("GET", f"/posts/{post_id}").json["status"] == before
