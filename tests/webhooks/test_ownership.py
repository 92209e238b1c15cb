"""A webhook belongs to the key or user that made it: nobody else changes it, and it ends with its key."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from blogsvc.auth import api_keys
from blogsvc.context import Tools
from blogsvc.models import ApiKey, Webhook
from tests.api_client import Api
from tests.clock import NOW, Time
from tests.outside import Outside

SCOPES = ("webhooks:read", "webhooks:write", "posts:read")
URL = "https://hook.example/told"
OTHERS: dict[str, tuple[str, str, Any]] = {
    "re-aim": ("PATCH", "", {"url": "https://thief.example/in"}),
    "select events": ("PATCH", "", {"events": ["*"]}),
    "disable": ("PATCH", "", {"enabled": False}),
    "delete": ("DELETE", "", None),
    "rotate": ("POST", "/rotate-secret", None),
    "test": ("POST", "/test", None),
}


@pytest.fixture
def maker(api: Api, new_key: Callable[..., str], outside: Outside) -> Api:
    """The client of a key that may create webhooks."""
    outside.teach("POST", URL, status=200)
    return Api(api.client, new_key(*SCOPES))


def hook(maker: Api) -> str:
    answer = maker.post("/webhooks", url=URL)
    assert answer.status_code == 201, answer.json
    return str(answer.json["id"])


def key_id(client: Api) -> str:
    return str(client.get("/me").json["id"])


def messages(outside: Outside) -> list[str]:
    return [seen.json()["type"] for seen in outside.requests]


@pytest.mark.parametrize("way", OTHERS)
def test_a_key_changes_only_its_own_webhooks(
    api: Api, maker: Api, new_key: Callable[..., str], way: str, outside: Outside
) -> None:
    method, path, body = OTHERS[way]
    where = f"/webhooks/{hook(maker)}{path}"
    before = api.get("/webhooks").json
    other = Api(api.client, new_key(*SCOPES))
    answer = other(method, where, json=body)
    assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (403, "beyond-key")
    assert api.get("/webhooks").json == before
    assert maker(method, where, json=body).status_code < 300
    assert "thief.example" not in " ".join(seen.url for seen in outside.requests)


def test_a_key_redelivers_only_its_own_messages(
    api: Api, maker: Api, new_key: Callable[..., str], tick: Callable[[], None]
) -> None:
    webhook_id = hook(maker)
    api.post("/posts", title="x")
    tick()
    (sent,) = maker.get(f"/webhooks/{webhook_id}/deliveries").json["data"]
    where = f"/webhooks/{webhook_id}/deliveries/{sent['id']}/redeliver"
    assert Api(api.client, new_key(*SCOPES)).post(where).status_code == 403
    assert maker.post(where).status_code == 202


def test_a_key_with_all_scopes_changes_every_webhook(api: Api, maker: Api) -> None:
    webhook_id = hook(maker)
    assert api.patch(f"/webhooks/{webhook_id}", description="Known").status_code == 200
    assert api.delete(f"/webhooks/{webhook_id}").status_code == 204


@pytest.mark.parametrize("end", ["revoked", "expired", "reduced"])
def test_a_webhook_ends_with_its_key(
    api: Api,
    new_key: Callable[..., str],
    outside: Outside,
    time: Time,
    tick: Callable[[], None],
    end: str,
) -> None:
    outside.teach("POST", URL, status=200)
    maker = Api(api.client, new_key(*SCOPES, expires_at=NOW + timedelta(days=1)))
    webhook_id, maker_id = hook(maker), key_id(maker)
    api.post("/posts", title="before")
    tick()
    assert messages(outside) == ["post.created"]
    match end:
        case "revoked":
            api.delete(f"/keys/{maker_id}")
        case "reduced":
            api.patch(f"/keys/{maker_id}", scopes=["webhooks:write"])
        case _:
            time.passes(days=1)
    api.post("/posts", title="after")
    tick()
    assert messages(outside) == ["post.created"]
    there = api.get(f"/webhooks/{webhook_id}").json
    assert (there["enabled"], there["disabledReason"]) == (False, "orphaned")


def test_waiting_messages_are_not_sent_after_the_key_has_ended(
    api: Api, maker: Api, outside: Outside, tick: Callable[[], None]
) -> None:
    outside.always(lambda seen: seen.url == URL, status=503)
    webhook_id = hook(maker)
    api.post("/posts", title="x")
    tick()
    outside.always()
    outside.requests.clear()
    api.delete(f"/keys/{key_id(maker)}")
    (waiting,) = api.get(f"/webhooks/{webhook_id}/deliveries").json["data"]
    assert (waiting["state"], waiting["lastError"]["code"]) == ("failed", "disabled")
    tick()
    assert messages(outside) == []


def test_a_rotated_key_keeps_its_webhooks(
    api: Api, maker: Api, outside: Outside, time: Time, tick: Callable[[], None]
) -> None:
    webhook_id = hook(maker)
    maker_id = key_id(maker)
    new = api.post(f"/keys/{maker_id}/rotate", overlapHours=1).json
    time.passes(hours=2)
    api.post("/posts", title="x")
    tick()
    assert messages(outside) == ["post.created"]
    there = Api(api.client, new["key"]).patch(f"/webhooks/{webhook_id}", description="Mine").json
    assert (there["createdBy"]["id"], there["adoptedBy"]["id"]) == (maker_id, new["id"])


def test_enabling_an_orphaned_webhook_takes_it_over(
    api: Api, maker: Api, outside: Outside, tick: Callable[[], None]
) -> None:
    webhook_id = hook(maker)
    api.delete(f"/keys/{key_id(maker)}")
    enabled = api.patch(f"/webhooks/{webhook_id}", enabled=True).json
    assert (enabled["enabled"], enabled["adoptedBy"]["id"]) == (True, key_id(api))
    api.post("/posts", title="x")
    tick()
    assert messages(outside) == ["post.created"]


def test_the_maker_is_shown(api: Api, maker: Api, new_key: Callable[..., str], app: Flask, tools: Tools) -> None:
    webhook = api.get(f"/webhooks/{hook(maker)}").json
    assert webhook["createdBy"] == {"type": "key", "id": key_id(maker), "name": "a test"}
    assert webhook["adoptedBy"] is None
    made = api.post("/keys", name="laptop", scopes=["posts:read"]).json
    assert made["createdBy"] == {"type": "key", "id": key_id(api), "name": "a test"}
    by_command = api_keys.create("cron", ["all"], None, tools.now())[0]
    assert api.get(f"/keys/{by_command.id}").json["createdBy"] is None
    connected = api.post("/platforms", connector="sandbox", name="box").json
    assert connected["createdBy"]["id"] == key_id(api)
    assert {row.created_by for row in (ApiKey.get(made["id"]), Webhook.get(webhook["id"]))} == {
        key_id(api),
        key_id(maker),
    }
