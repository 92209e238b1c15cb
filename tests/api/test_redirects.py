"""Redirects and missing addresses in the API."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from blogsvc.models import Post
from tests.api.faults import faults
from tests.api_client import Api
from tests.blog.reading import CHROME

Make = Callable[..., Post]


def create(api: Api, **body: object) -> TestResponse:
    return api.post("/redirects", json=body)


def test_a_redirect_is_created_changed_and_deleted(api: Api, client: FlaskClient, a_post: Make) -> None:
    post = a_post(live=True, slug="one")
    created = create(api, path="https://old.example/2020/one/?utm=1", target="/one")
    assert created.status_code == 422  # its query means nothing here
    created = create(api, path="https://old.example/2020/one/", target="/one")
    assert created.status_code == 201
    assert created.json | {"id": ""} == {
        "id": "",
        "path": "/2020/one",
        "target": "/one",
        "postId": post.id,
        "status": 301,
        "source": "user",
        "active": True,
        "hitCount": 0,
        "lastHitOn": None,
    }
    path = f"/redirects/{created.json['id']}"
    assert api.get(path).json == created.json
    assert client.get("/2020/one").location == "/one"

    changed = api.patch(path, target="https://other.example/x", status=302)
    assert (changed.json["target"], changed.json["postId"], changed.json["status"]) == (
        "https://other.example/x",
        None,
        302,
    )
    assert api.patch(path, status=410).json["target"] is None
    assert client.get("/2020/one").status_code == 410
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404


def test_a_redirect_of_a_page_says_that_it_is_not_used(api: Api, a_post: Make) -> None:
    a_post(live=True, slug="one")
    assert create(api, path="/one", target="/archive").json["active"] is False


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"target": "/a"}, {"#/path": "required"}),
        ({"path": "/desk/a", "target": "/a"}, {"#/path": "invalid"}),
        ({"path": "/a"}, {"#/target": "required"}),
        ({"path": "/a", "target": "ftp://x"}, {"#/target": "not_a_url"}),
        ({"path": "/a", "target": "/b", "status": 307}, {"#/status": "not_one_of"}),
        ({"path": "/a", "target": "/b", "status": 410}, {"#/target": "invalid"}),
        ({"path": "/taken", "target": "/b"}, {"#/path": "taken"}),
        ({"path": "/c", "target": "/taken"}, {"#/target": "loop"}),
    ],
)
def test_a_redirect_that_can_not_work_is_refused(api: Api, body: dict[str, object], expected: dict[str, str]) -> None:
    create(api, path="/taken", target="/c")
    answer = create(api, **body)
    assert answer.status_code == 422
    assert faults(answer) == expected


def test_redirects_are_listed_newest_first_and_searched(api: Api) -> None:
    for number in range(5):
        create(api, path=f"/old-{number}", target="/archive")
    first = api.get("/redirects?limit=3").json
    rest = api.get(f"/redirects?limit=3&cursor={first['nextCursor']}").json
    assert [row["path"] for row in first["data"] + rest["data"]] == [f"/old-{number}" for number in (4, 3, 2, 1, 0)]
    assert [row["path"] for row in api.get("/redirects?q=LD-3").json["data"]] == ["/old-3"]


def test_missing_addresses_are_listed_and_ignored(api: Api, client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="ferries")
    for path in ("/ferris", "/ferris", "/x/y"):
        client.get(path, headers={"User-Agent": CHROME, "Referer": "https://other.example/"})
    listed = api.get("/missing-addresses?limit=1").json
    (row,) = listed["data"]
    assert (row["path"], row["count"], row["referrerHost"], row["suggestion"]) == (
        "/ferris",
        2,
        "other.example",
        "/ferries",
    )
    rest = api.get(f"/missing-addresses?cursor={listed['nextCursor']}").json["data"]
    assert [row["path"] for row in rest] == ["/x/y"]

    assert api.delete("/missing-addresses?path=/x/y").status_code == 204
    assert api.delete("/missing-addresses?path=/x/y").status_code == 404
    assert [row["path"] for row in api.get("/missing-addresses").json["data"]] == ["/ferris"]


def test_redirects_need_the_scope_of_destinations(client: FlaskClient, new_key: Callable[..., str]) -> None:
    reader = Api(client, new_key("platforms:read"))
    assert reader.get("/redirects").status_code == reader.get("/missing-addresses").status_code == 200
    assert create(reader, path="/a", target="/b").status_code == 403
    assert Api(client, new_key("posts:read")).get("/redirects").status_code == 403
