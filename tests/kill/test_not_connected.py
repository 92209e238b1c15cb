"""A post whose platform is not connected yet survives kills between all its steps, and arrives once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from blogsvc.lib.time import stamp
from tests.clock import eventually
from tests.kill.server import Server
from tests.receiver import Receiver

Api = Callable[..., Any]


def test_a_post_waits_for_its_account_through_kills_and_arrives_once(server: Server, api: Api) -> None:
    server.start()
    server.wait_until_ready()
    at = stamp(datetime.now(UTC) + timedelta(seconds=2))
    words = {"title": "Ink", "content": "Iron gall.", "platforms": ["site", "webhook"], "scheduledAt": at}
    post = api("POST", "/posts", words)
    assert [one["code"] for one in post["warnings"]] == ["not_connected"]
    server.kill_and_start()
    eventually(lambda: api("GET", f"/posts/{post['id']}")["status"] == "published", 60)
    assert api("GET", f"/posts/{post['id']}")["open"] == 1
    server.kill_and_start()
    with Receiver() as receiver:
        receiver.will("ok", "hang-after")  # the test of the connection, and the first delivery
        api("POST", "/platforms", {"connector": "webhook", "name": "hook", "settings": {"url": receiver.url}})
        assert receiver.wait_for(2, 60)
        server.kill_and_start()
        eventually(lambda: api("GET", f"/posts/{post['id']}")["open"] == 0, 60)
        eventually(
            lambda: all(one["state"] == "delivered" for one in api("GET", f"/posts/{post['id']}")["deliveries"]), 60
        )
        sent = [one for one in receiver.accepted if one.json()["type"] == "post.published"]
        assert len({one.headers["webhook-id"] for one in sent}) == 1, "the receiver can tell that it is one message"
    assert server.tracebacks() == []
