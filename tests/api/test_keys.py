"""API keys through the API: create, change, rotate and revoke."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from tests.api.faults import faults
from tests.api.key_calls import IN_A_DAY, IN_TWO_DAYS, USUAL, id_of, made, make
from tests.api_client import Api
from tests.clock import Time


def test_a_new_key_is_shown_once_and_works(api: Api) -> None:
    answer = api.post("/keys", name=" laptop ", scopes=["posts:read", "posts:write"], expiresAt=IN_A_DAY)
    key = made(answer)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Location"] == f"/api/v1/keys/{key['id']}"
    text = key.pop("key")
    assert text.startswith(key["prefix"])
    assert key == {
        "id": key["id"],
        "name": "laptop",
        "prefix": key["prefix"],
        "scopes": ["posts:read", "posts:write"],
        "limits": USUAL,
        "createdBy": {"type": "key", "id": api.get("/me").json["id"], "name": "a test"},
        "createdAt": "2026-11-24T09:00:00.000Z",
        "lastUsedAt": None,
        "expiresAt": IN_A_DAY,
        "revokedAt": None,
    }
    read = api.get(f"/keys/{key['id']}")
    assert read.json == key
    assert read.headers["ETag"] == answer.headers["ETag"]
    assert api.get(f"/keys/{key['id']}", headers={"If-None-Match": read.headers["ETag"]}).status_code == 304
    assert Api(api.client, text).get("/posts").status_code == 200


def test_the_text_of_a_key_appears_nowhere_else(api: Api, instance: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    first = make(api)
    second = made(api.post(f"/keys/{first['id']}/rotate"))
    texts = [first["key"], second["key"]]
    Api(api.client, texts[0]).get("/posts")
    answers = [api.get(path) for path in ("/keys", f"/keys/{first['id']}", f"/keys/{second['id']}", "/me")]
    answers.append(api.patch(f"/keys/{second['id']}", name="desk"))
    told = "".join(f"{answer.headers}{answer.text}" for answer in answers) + caplog.text
    stored = b"".join(file.read_bytes() for file in instance.iterdir() if file.is_file())
    for text in texts:
        assert text not in told
        assert text.encode() not in stored
        assert text[10:].encode() not in stored


@pytest.mark.parametrize(
    ("change", "place", "code"),
    [
        ({"name": ""}, "#/name", "too_short"),
        ({"name": "x" * 101}, "#/name", "too_long"),
        ({"name": "a\nb"}, "#/name", "control_character"),
        ({"name": None}, "#/name", "wrong_type"),
        ({"scopes": []}, "#/scopes", "too_short"),
        ({"scopes": None}, "#/scopes", "wrong_type"),
        ({"scopes": "all"}, "#/scopes", "wrong_type"),
        ({"scopes": ["posts:read", "everything"]}, "#/scopes/1", "not_one_of"),
        ({"scopes": ["posts:read", "posts:read"]}, "#/scopes", "repeated"),
        ({"expiresAt": "2026-11-24T09:00:00Z"}, "#/expiresAt", "in_past"),
        ({"expiresAt": "tomorrow"}, "#/expiresAt", "not_a_time"),
        ({"limits": {"read": 0}}, "#/limits/read", "out_of_range"),
        ({"limits": {"read": 1_000_001}}, "#/limits/read", "out_of_range"),
        ({"limits": {"read": "5"}}, "#/limits/read", "wrong_type"),
        ({"limits": {"reads": 5}}, "#/limits/reads", "unknown"),
        ({"key": "bsk_mine"}, "#/key", "unknown"),
    ],
)
def test_invalid_key_fields_are_rejected_with_their_pointers(
    api: Api, change: dict[str, Any], place: str, code: str
) -> None:
    key = make(api)
    whole = {"name": "laptop", "scopes": ["posts:read"]}
    assert faults(api.post("/keys", json=whole | change)) == {place: code}
    assert faults(api.patch(f"/keys/{key['id']}", json=change)) == {place: code}
    assert len(api.get("/keys").json["data"]) == 2, "the key of the request, and the first one"


def test_creating_a_key_requires_scopes(api: Api) -> None:
    """There is no safe default: all scopes are too many, and none is useless."""
    assert faults(api.post("/keys", name="x")) == {"#/scopes": "required"}


def test_keys_are_listed_newest_first_with_pages_and_include_ended_ones(api: Api) -> None:
    first, second = make(api), make(api)
    api.delete(f"/keys/{first['id']}")
    page = api.get("/keys?limit=2")
    assert [row["id"] for row in page.json["data"]] == [second["id"], first["id"]]
    assert [bool(row["revokedAt"]) for row in page.json["data"]] == [False, True]
    cursor = page.json["nextCursor"]
    assert cursor in page.headers["Link"]
    rest = api.get(f"/keys?limit=2&cursor={cursor}").json
    assert [row["id"] for row in rest["data"]] == [id_of(api)]
    assert rest["nextCursor"] is None
    assert faults(api.get("/keys?cursor=nonsense")) == {"?cursor": "invalid"}


def test_patching_a_key_keeps_absent_fields_and_null_clears(api: Api) -> None:
    path = f"/keys/{make(api, expiresAt=IN_A_DAY, limits={'read': 5, 'write': 6})['id']}"
    assert api.patch(path, name="desk").json["expiresAt"] == IN_A_DAY
    assert api.patch(path, scopes=["all"]).json["scopes"] == ["all"]
    changed = api.patch(path, expiresAt=None, limits={"read": None, "publish": 7})
    assert changed.json["expiresAt"] is None
    assert changed.json["limits"] == USUAL | {"write": 6, "publish": 7}
    assert changed.json["name"] == "desk"
    assert changed.headers["ETag"] == api.get(path).headers["ETag"]
    assert api.patch(path, json={"limits": None}).json["limits"] == USUAL


def test_a_changed_key_applies_from_the_next_call(api: Api) -> None:
    key = make(api, "posts:read", "posts:write")
    its = Api(api.client, key["key"])
    assert its.post("/posts", title="x").status_code == 201
    api.patch(f"/keys/{key['id']}", scopes=["posts:read"], limits={"read": 2})
    assert its.post("/posts", title="x").status_code == 403
    assert [its.get("/posts").status_code for _ in range(3)] == [200, 200, 429]
    api.patch(f"/keys/{key['id']}", limits={"read": 4})
    assert [its.get("/posts").status_code for _ in range(5)] == [200] * 4 + [429], "a new limit counts from zero"


def test_a_stale_change_of_a_key_is_rejected(api: Api) -> None:
    path = f"/keys/{make(api)['id']}"
    old = {"If-Match": api.get(path).headers["ETag"]}
    api.patch(path, name="desk", headers=old)
    assert api.patch(path, name="bench", headers=old).status_code == 412
    assert api.delete(path, headers=old).status_code == 412
    assert api.get(path).json["name"] == "desk"


def test_a_revoked_key_stops_at_once_and_stays_listed_as_revoked(api: Api, time: Time) -> None:
    key = make(api)
    path = f"/keys/{key['id']}"
    answer = api.delete(path)
    assert (answer.status_code, answer.json["revokedAt"]) == (200, "2026-11-24T09:00:00.000Z")
    assert Api(api.client, key["key"]).get("/posts").status_code == 401
    time.passes(hours=1)
    assert api.delete(path, headers={"Prefer": "return=minimal"}).status_code == 204, "revoking twice is no error"
    assert api.get(path).json["revokedAt"] == "2026-11-24T09:00:00.000Z"


@pytest.mark.parametrize("end", ["revoked", "expired"])
def test_an_expired_or_revoked_key_cannot_be_changed_or_rotated(api: Api, time: Time, end: str) -> None:
    path = f"/keys/{make(api, expiresAt=IN_A_DAY)['id']}"
    if end == "revoked":
        api.delete(path)
    else:
        time.passes(days=1)
    for answer in (api.patch(path, expiresAt=IN_TWO_DAYS), api.post(f"{path}/rotate")):
        assert (answer.status_code, answer.json["state"]) == (409, end)


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/rotate")])
def test_an_unknown_key_returns_404(api: Api, method: str, path: str) -> None:
    body = {"name": "x"} if method == "PATCH" else None
    assert api(method, f"/keys/key_nothing{path}", json=body).status_code == 404


# --- rotation ---


def test_a_rotated_key_and_its_successor_both_work_for_a_day(api: Api, time: Time) -> None:
    old = make(api, "posts:read", "media:write", limits={"read": 50})
    answer = api.post(f"/keys/{old['id']}/rotate")
    new = made(answer)
    assert answer.headers["Cache-Control"] == "no-store"
    assert new["id"] != old["id"]
    assert {name: new[name] for name in ("name", "scopes", "limits", "expiresAt")} == {
        name: old[name] for name in ("name", "scopes", "limits", "expiresAt")
    }
    assert api.get(f"/keys/{old['id']}").json["expiresAt"] == IN_A_DAY
    before, after = (Api(api.client, key["key"]) for key in (old, new))
    time.passes(hours=23, minutes=59)
    assert [each.get("/posts").status_code for each in (before, after)] == [200, 200]
    time.passes(minutes=1)
    assert [each.get("/posts").status_code for each in (before, after)] == [401, 200]


@pytest.mark.parametrize(("hours", "at_once"), [(0, 401), (1, 200)])
def test_the_rotation_overlap_can_be_shorter_or_zero(api: Api, hours: int, at_once: int) -> None:
    old = make(api)
    assert api.post(f"/keys/{old['id']}/rotate", overlapHours=hours).status_code == 201
    assert Api(api.client, old["key"]).get("/posts").status_code == at_once


def test_rotation_never_extends_the_expiry(api: Api) -> None:
    old = make(api, expiresAt=IN_A_DAY)
    new = made(api.post(f"/keys/{old['id']}/rotate", overlapHours=48))
    assert (new["expiresAt"], api.get(f"/keys/{old['id']}").json["expiresAt"]) == (IN_A_DAY, IN_A_DAY)


@pytest.mark.parametrize("hours", [-1, 721, 1.5, "1", None])
def test_the_rotation_overlap_is_whole_hours_up_to_thirty_days(api: Api, hours: Any) -> None:
    answer = api.post(f"/keys/{make(api)['id']}/rotate", json={"overlapHours": hours})
    assert set(faults(answer)) == {"#/overlapHours"}
