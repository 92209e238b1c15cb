"""The views written by hand write what the API writes, so that their speed can be compared."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.config import Config
from blogsvc.models.database import file_of
from tests.api_client import Api
from tests.bench import by_hand

DRAFT = {"title": "Late Herons", "content": "A *quiet* morning at the weir.", "tags": ["birds", "water"]}
pytestmark = pytest.mark.sqlite("the views know no other database")


@pytest.fixture
def views(config: Config) -> FlaskClient:
    app = Flask("by hand")
    file = file_of(config.rows_url)
    assert file is not None
    by_hand.init(app, file)
    return app.test_client()


def sent(api: Api, body: dict[str, Any]) -> dict[str, Any]:
    return {"json": body, "headers": {"Authorization": f"Bearer {api.key}"}}


def seen(api: Api, post_id: str) -> dict[str, Any]:
    post: dict[str, Any] = api.get(f"/posts/{post_id}").json
    revisions = api.get(f"/posts/{post_id}/revisions").json["data"]
    events = api.get(f"/posts/{post_id}/events").json["data"]
    own = {"id", "slug", "createdAt", "updatedAt"}
    return {
        "post": {name: value for name, value in post.items() if name not in own},
        "revisions": [(each["number"], each["reason"]) for each in revisions],
        "events": [each["type"] for each in events],
    }


def test_a_post_written_by_hand_is_one_of_the_api(api: Api, views: FlaskClient) -> None:
    first = api.post("/posts", **DRAFT).json["id"]
    own = views.post(by_hand.PATH, **sent(api, DRAFT)).get_json()["id"]
    assert seen(api, own) == seen(api, first)
    assert {post["id"] for post in api.get("/posts?q=herons&tag=water").json["data"]} == {first, own}


def test_a_post_changed_by_hand_is_one_of_the_api(api: Api, views: FlaskClient) -> None:
    first, own = (api.post("/posts", **DRAFT).json["id"] for _ in range(2))
    api("PUT", f"/posts/{first}", title="Early Herons")
    views.put(f"{by_hand.PATH}/{own}", **sent(api, DRAFT | {"title": "Early Herons"}))
    assert seen(api, own) == seen(api, first)
    assert {post["id"] for post in api.get("/posts?q=early").json["data"]} == {first, own}


def test_a_wrong_key_writes_nothing_by_hand(api: Api, views: FlaskClient) -> None:
    api.post("/posts", **DRAFT)
    assert views.post(by_hand.PATH, json=DRAFT, headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert len(api.get("/posts").json["data"]) == 1
