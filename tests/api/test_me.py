"""GET /me: the key of the request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from flask.testing import FlaskClient

from blogsvc.models import ApiKey, transaction
from tests.api_client import Api
from tests.clock import NOW, Time


def test_me_returns_the_name_scopes_and_limits_of_the_key(client: FlaskClient, new_key: Callable[..., str]) -> None:
    text = new_key("posts:read", expires_at=NOW + timedelta(days=1))
    me = Api(client, text).get("/me").json
    assert me["name"] == "a test"
    assert me["scopes"] == ["posts:read"]
    assert text.startswith(me["prefix"])
    assert len(me["prefix"]) < 12
    assert me["limits"] == {"read": 100_000, "write": 100_000, "publish": 100_000}
    assert me["expiresAt"] == "2026-11-25T09:00:00.000Z"


def test_last_used_at_is_updated_once_per_minute(api: Api, time: Time) -> None:
    uses = []
    for seconds in (0, 30, 30):
        time.passes(seconds=seconds)
        uses.append(api.get("/me").json["lastUsedAt"])
    assert uses == ["2026-11-24T09:00:00.000Z", "2026-11-24T09:00:00.000Z", "2026-11-24T09:01:00.000Z"]


def test_me_returns_limits_set_on_the_key(api: Api) -> None:
    with transaction():
        ApiKey.of(api.key).limits = {"write": 7}
    assert api.get("/me").json["limits"] == {"read": 100_000, "write": 7, "publish": 100_000}
