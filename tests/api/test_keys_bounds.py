"""A key cannot grant more than it has, or change a key that has more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from blogsvc.models import ApiKey, transaction
from blogsvc.models.key import KEY_SCOPES
from tests.api.faults import faults
from tests.api.key_calls import IN_A_DAY, IN_TWO_DAYS, id_of, made, make
from tests.api_client import Api
from tests.clock import Time

Asking = Callable[..., Api]


@pytest.fixture
def asking(client: FlaskClient, new_key: Callable[..., str]) -> Asking:
    """Return an API client whose key has `keys:write` and the given scopes, expiry and limits."""

    def make(*scopes: str, limits: dict[str, int] | None = None, **more: Any) -> Api:
        text = new_key("keys:write", *scopes, **more)
        with transaction():
            ApiKey.of(text).limits = limits or {}
        return Api(client, text)

    return make


@pytest.mark.parametrize("scope", [scope for scope in (*KEY_SCOPES, "all") if scope != "keys:write"])
def test_a_key_cannot_grant_a_scope_that_it_lacks(asking: Asking, scope: str) -> None:
    api = asking()
    own = make(api, "keys:write")
    for answer in (
        api.post("/keys", name="x", scopes=["keys:write", scope]),
        api.patch(f"/keys/{own['id']}", scopes=["keys:write", scope]),
        api.patch(f"/keys/{id_of(api)}", scopes=["keys:write", scope]),
    ):
        assert (answer.status_code, answer.json["scope"]) == (403, scope)
        assert answer.json["type"].endswith("/scope-missing")
    assert {scope for row in api.get("/keys").json["data"] for scope in row["scopes"]} == {"keys:write"}


def test_a_key_with_every_single_scope_cannot_grant_all(asking: Asking) -> None:
    api = asking(*(scope for scope in KEY_SCOPES if scope != "keys:write"))
    assert api.post("/keys", name="x", scopes=["all"]).json["scope"] == "all"
    assert make(api, *KEY_SCOPES)["scopes"] == list(KEY_SCOPES)


def test_a_key_cannot_grant_a_higher_limit_than_its_own(asking: Asking) -> None:
    api = asking(limits={"read": 50})
    assert faults(api.post("/keys", name="x", scopes=["keys:write"], limits={"read": 51})) == {
        "#/limits/read": "beyond_key"
    }
    assert faults(api.post("/keys", name="x", scopes=["keys:write"], limits={"write": 100_001})) == {
        "#/limits/write": "beyond_key"
    }
    own = make(api, "keys:write", limits={"read": 50, "write": 100_000})
    for limits in ({"read": 51}, {"read": None}, None):
        assert faults(api.patch(f"/keys/{own['id']}", json={"limits": limits})) == {"#/limits/read": "beyond_key"}
    assert faults(api.patch(f"/keys/{id_of(api)}", limits={"read": 60})) == {"#/limits/read": "beyond_key"}


def test_a_key_cannot_grant_a_later_expiry_than_its_own(asking: Asking, time: Time) -> None:
    api = asking(expires_at=time.now.replace(day=25))
    answer = api.post("/keys", name="x", scopes=["keys:write"], expiresAt=IN_TWO_DAYS)
    assert faults(answer) == {"#/expiresAt": "beyond_key"}
    own = make(api, "keys:write", expiresAt=IN_A_DAY)
    for end in (IN_TWO_DAYS, None):
        assert faults(api.patch(f"/keys/{own['id']}", json={"expiresAt": end})) == {"#/expiresAt": "beyond_key"}


def test_absent_limits_and_expiry_default_to_those_of_the_creating_key(asking: Asking, time: Time) -> None:
    api = asking(limits={"read": 50, "write": 200_000}, expires_at=time.now.replace(day=25))
    key = make(api, "keys:write", limits={"publish": 5})
    assert key["limits"] == {"read": 50, "write": 100_000, "publish": 5}
    assert key["expiresAt"] == IN_A_DAY


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"scopes": ["keys:write", "posts:read"]}, "scope-missing"),
        ({"scopes": ["all"]}, "scope-missing"),
        ({"scopes": ["keys:write"], "limits": {"read": 51}}, "beyond-key"),
        ({"scopes": ["keys:write"], "expiresAt": IN_TWO_DAYS}, "beyond-key"),
    ],
)
def test_a_key_cannot_change_a_key_with_more_permissions(
    api: Api, asking: Asking, time: Time, more: dict[str, Any], problem: str
) -> None:
    lesser = asking(limits={"read": 50}, expires_at=time.now.replace(day=25))
    plain = {"name": "x", "expiresAt": IN_A_DAY, "limits": {"read": 50}}
    path = f"/keys/{made(api.post('/keys', json=plain | more))['id']}"
    for answer in (
        lesser.patch(path, name="mine"),
        lesser.patch(path, scopes=["keys:write"]),
        lesser.post(f"{path}/rotate"),
        lesser.delete(path),
    ):
        assert answer.status_code == 403, answer.json
        assert answer.json["type"].endswith(f"/{problem}")
    still = api.get(path).json
    assert (still["name"], still["scopes"], still["revokedAt"]) == ("x", more["scopes"], None)


def test_a_rejected_key_is_not_created(asking: Asking) -> None:
    api = asking()
    api.post("/keys", name="x", scopes=["all"])
    assert [row["id"] for row in api.get("/keys").json["data"]] == [id_of(api)]


def test_a_key_may_change_rotate_and_revoke_itself(asking: Asking) -> None:
    api = asking()
    path = f"/keys/{id_of(api)}"
    assert api.patch(path, name="me").status_code == 200
    again = Api(api.client, made(api.post(f"{path}/rotate"))["key"])
    assert api.delete(path).status_code == 200
    assert (api.get(path).status_code, again.get(path).status_code) == (401, 200)
