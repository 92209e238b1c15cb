"""Helpers of the webhook tests: received messages, the log, and the webhook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blogsvc.models import Post
from tests.api_client import Api, check_message
from tests.outside import Outside, Seen

Subscribe = Callable[..., dict[str, Any]]
Posts = Callable[..., Post]
Tick = Callable[[], None]
HOOK = "https://hook.example/told"


def types(seen: list[Seen]) -> list[str]:
    """Return the types of messages, which are as the OpenAPI document describes them."""
    messages = [one.json() for one in seen]
    for message in messages:
        check_message(message)
    return [message["type"] for message in messages]


def sent_to(outside: Outside, name: str) -> list[Seen]:
    return [one for one in outside.requests if one.url == f"https://{name}.example/told"]


def log(api: Api, webhook: dict[str, Any]) -> list[dict[str, Any]]:
    return api.get(f"/webhooks/{webhook['id']}/deliveries?limit=100").json["data"]


def attempts(api: Api, webhook: dict[str, Any], delivery: dict[str, Any]) -> list[dict[str, Any]]:
    return api.get(f"/webhooks/{webhook['id']}/deliveries/{delivery['id']}").json["attemptLog"]


def state_of(api: Api, webhook: dict[str, Any]) -> dict[str, Any]:
    return api.get(f"/webhooks/{webhook['id']}").json
