"""Series in the API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.faults import faults
from tests.api_client import Api


def test_a_series_is_created_changed_and_deleted(api: Api) -> None:
    created = api.post("/series", json={"title": "On Boats", "description": "All *boats*."})
    assert (created.status_code, created.headers["Location"]) == (201, "/api/v1/series/on-boats")
    assert created.json | {"id": "", "createdAt": ""} == {
        "id": "",
        "slug": "on-boats",
        "title": "On Boats",
        "description": "All *boats*.",
        "coverImage": None,
        "isComplete": False,
        "url": "https://blog.example/series/on-boats",
        "createdAt": "",
    }
    assert api.get("/series/on-boats").json == created.json
    assert api.get("/series").json == {"data": [created.json], "nextCursor": None}

    changed = api.patch("/series/on-boats", slug="boats", isComplete=True, description=None).json
    assert (changed["slug"], changed["isComplete"], changed["description"]) == ("boats", True, "")
    assert api.get("/series/on-boats").status_code == 404

    post = api.post("/posts", json={"title": "One", "series": "boats", "seriesPart": 3}).json
    assert (post["series"], post["seriesPart"]) == ("boats", 3)
    assert api.delete("/series/boats").status_code == 204
    post = api.get(f"/posts/{post['id']}").json
    assert (post["series"], post["seriesPart"]) == (None, None)


def test_the_series_of_a_post_can_be_changed_and_cleared(api: Api) -> None:
    for title in ("A", "B"):
        api.post("/series", json={"title": title})
    path = f"/posts/{api.post('/posts', json={'title': 'One', 'series': 'a', 'seriesPart': 3}).json['id']}"
    assert api.patch(path, series="b").json["series"] == "b"
    post = api.patch(path, series=None, seriesPart=None).json
    assert (post["series"], post["seriesPart"]) == (None, None)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"series": "c"}, {"#/series": "unknown_series"}),
        ({"series": "A b"}, {"#/series": "invalid"}),
        ({"seriesPart": 0}, {"#/seriesPart": "out_of_range"}),
        ({"seriesPart": 10_001}, {"#/seriesPart": "out_of_range"}),
    ],
)
def test_a_post_refuses_an_invalid_series(api: Api, body: dict[str, Any], found: dict[str, str]) -> None:
    answer = api.post("/posts", json={"title": "One", **body})
    assert (answer.status_code, faults(answer)) == (422, found)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({}, {"#/title": "required"}),
        ({"title": "x" * 201}, {"#/title": "too_long"}),
        ({"title": "A", "slug": "a b"}, {"#/slug": "invalid"}),
        ({"title": "A", "coverImage": "x"}, {"#/coverImage": "not_a_url"}),
        ({"title": "A", "description": "x" * 10_001}, {"#/description": "too_long"}),
    ],
)
def test_invalid_series_are_refused(api: Api, body: dict[str, Any], found: dict[str, str]) -> None:
    answer = api.post("/series", json=body)
    assert (answer.status_code, faults(answer)) == (422, found)
