"""Attacks on the secrets and the drafts of a running server, with keys of few scopes.

Each function sends its requests to a server on loopback and returns what it gained: an empty list if nothing. The
attacker listens at a `Receiver`, which records what it gets.
"""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from tests.receiver import Received

# The headers in which a connection or a webhook sends or proves a secret.
PROOFS = ("authorization", "x-pass", "webhook-signature", "api-key")


def call(base_url: str, key: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """Send one request to the API. Returns its status and document."""
    to = urlsplit(base_url)
    connection = http.client.HTTPConnection(to.hostname or "", to.port, timeout=30)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    try:
        connection.request(method, f"/api/v1{path}", None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None
    finally:
        connection.close()


def re_aim(base_url: str, key: str, connection: str, address: str) -> list[str]:
    """Point a webhook connection at another address, and have it verified. `key` has platforms:write.

    Without its stored secrets, which it could clear, a connection may go anywhere: that gains nothing.
    """
    tries = {
        "with its stored secrets": {"settings": {"url": address}},
        "with one of its secrets": {"settings": {"url": address, "headers": None}},
        "with a name": {"name": f"{connection}-2", "settings": {"url": address}},
    }
    done = [how for how, change in tries.items() if _changes(base_url, key, f"/platforms/{connection}", change)]
    call(base_url, key, "POST", f"/platforms/{connection}/verify")
    return done


def _changes(base_url: str, key: str, path: str, change: Any) -> bool:
    return call(base_url, key, "PATCH", path, change)[0] < 300


def rob_webhook(base_url: str, key: str, webhook: str, address: str) -> list[str]:
    """Re-aim, test, rotate and end the webhook of another key. `key` has webhooks:write and posts:read."""
    path = f"/webhooks/{webhook}"
    tries: dict[str, tuple[str, str, Any]] = {
        "re-aimed": ("PATCH", path, {"url": address}),
        "tested": ("POST", f"{path}/test", None),
        "rotated": ("POST", f"{path}/rotate-secret", None),
        "deleted": ("DELETE", path, None),
    }
    return [how for how, (method, where, body) in tries.items() if call(base_url, key, method, where, body)[0] < 300]


def read_draft(base_url: str, key: str, post_id: str, words: str) -> list[str]:
    """Read a draft without posts:read. `words` are some of its text; `key` has all scopes that write and publish."""
    path = f"/posts/{post_id}"
    tries: dict[str, tuple[str, str, Any]] = {
        "an empty PATCH": ("PATCH", path, {}),
        "an empty PUT": ("PUT", path, {}),
        "a duplicate": ("POST", f"{path}/duplicate", None),
        "a revision": ("POST", f"{path}/revisions/1/restore", None),
        "a dry run": ("POST", f"{path}/dry-run", None),
        "in bulk": ("POST", "/posts/bulk", {"operations": [{"operation": "duplicate", "id": post_id}]}),
    }
    answers = {how: call(base_url, key, method, where, body)[1] for how, (method, where, body) in tries.items()}
    return [how for how, answer in answers.items() if words in json.dumps(answer)]


def take_down(base_url: str, key: str, post_id: str) -> list[str]:
    """Take down a live or scheduled post. `key` has posts:read and posts:write."""
    path = f"/posts/{post_id}"
    tries: dict[str, tuple[str, str, Any]] = {
        "unpublished": ("POST", f"{path}/unpublish", None),
        "unscheduled": ("PATCH", path, {"scheduledAt": None, "publish": True}),
        "erased": ("DELETE", f"{path}?permanent=true", None),
        "withdrawn": ("DELETE", f"{path}?withdraw=true", None),
        "trashed": ("DELETE", path, None),
    }
    return [how for how, (method, where, body) in tries.items() if call(base_url, key, method, where, body)[0] < 300]


def stolen(requests: list[Received]) -> list[str]:
    """Return the proofs of secrets that a receiver got."""
    return [f"{name}: {one.headers[name]}" for one in requests for name in PROOFS if one.headers[name]]
