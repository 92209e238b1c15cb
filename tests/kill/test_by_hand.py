"""A copy that a person posts survives kills between all its steps, and is asked for once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from blogsvc.lib.time import stamp
from tests.clock import eventually
from tests.kill.server import Server, call

LINK = "https://medium.com/@ann/ink"


def test_a_copy_by_hand_survives_kills_between_all_its_steps(server: Server, key: str) -> None:
    def api(method: str, path: str, body: Any = None) -> Any:
        status, document = call(server.port, method, f"/api/v1{path}", key, body)
        assert status < 300, document
        return document

    def kill_and_start() -> None:
        server.kill()
        server.start()
        server.wait_until_ready()

    def copy() -> dict[str, Any]:
        found = [one for one in api("GET", f"/posts/{post['id']}")["deliveries"] if one["platform"] == "medium"]
        return found[0] if found else {"state": "none"}

    server.start()
    server.wait_until_ready()
    at = stamp(datetime.now(UTC) + timedelta(seconds=2))
    words = {"title": "Ink", "content": "Iron gall.", "platforms": ["site", "medium"], "scheduledAt": at}
    post = api("POST", "/posts", words)
    kill_and_start()
    eventually(lambda: copy()["state"] == "awaiting_hand", 60)
    kill_and_start()
    assert (copy()["state"], api("GET", f"/posts/{post['id']}")["open"]) == ("awaiting_hand", 1)
    api("POST", f"/deliveries/{copy()['id']}/resolve", {"outcome": "delivered", "url": LINK})
    kill_and_start()
    assert (copy()["state"], copy()["url"]) == ("delivered", LINK)
    assert api("GET", f"/posts/{post['id']}")["status"] == "published"
    api("POST", f"/posts/{post['id']}/unpublish")
    kill_and_start()
    eventually(lambda: copy()["state"] == "awaiting_hand", 60)
    api("POST", f"/deliveries/{copy()['id']}/resolve", {"outcome": "delivered"})
    kill_and_start()
    assert copy()["state"] == "withdrawn"
    ready = [one for one in api("GET", "/events?limit=100")["data"] if one["type"] == "delivery.ready"]
    assert [one["data"]["operation"] for one in ready] == ["create", "delete"]
    assert server.tracebacks() == []
