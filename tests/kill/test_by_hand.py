"""A copy that a person posts survives kills between all its steps, and is asked for once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from blogsvc.lib.time import stamp
from tests.clock import eventually
from tests.kill.server import Server

Api = Callable[..., Any]
LINK = "https://medium.com/@ann/ink"


def test_a_copy_by_hand_survives_kills_between_all_its_steps(server: Server, api: Api) -> None:
    def copy() -> dict[str, Any]:
        found = [one for one in api("GET", f"/posts/{post['id']}")["deliveries"] if one["platform"] == "medium"]
        return found[0] if found else {"state": "none"}

    server.start()
    server.wait_until_ready()
    at = stamp(datetime.now(UTC) + timedelta(seconds=2))
    words = {"title": "Ink", "content": "Iron gall.", "platforms": ["site", "medium"], "scheduledAt": at}
    post = api("POST", "/posts", words)
    server.kill_and_start()
    eventually(lambda: copy()["state"] == "awaiting_hand", 60)
    server.kill_and_start()
    assert (copy()["state"], api("GET", f"/posts/{post['id']}")["open"]) == ("awaiting_hand", 1)
    api("POST", f"/deliveries/{copy()['id']}/resolve", {"outcome": "delivered", "url": LINK})
    server.kill_and_start()
    assert (copy()["state"], copy()["url"]) == ("delivered", LINK)
    assert api("GET", f"/posts/{post['id']}")["status"] == "published"
    api("POST", f"/posts/{post['id']}/unpublish")
    server.kill_and_start()
    eventually(lambda: copy()["state"] == "awaiting_hand", 60)
    api("POST", f"/deliveries/{copy()['id']}/resolve", {"outcome": "delivered"})
    server.kill_and_start()
    assert copy()["state"] == "withdrawn"
    ready = [one for one in api("GET", "/events?limit=100")["data"] if one["type"] == "delivery.ready"]
    assert [one["data"]["operation"] for one in ready] == ["create", "delete"]
    assert server.tracebacks() == []
