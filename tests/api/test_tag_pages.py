"""Tag pages in the API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.faults import faults
from tests.api_client import Api


def test_a_tag_page_is_set_and_reset(api: Api) -> None:
    body = {
        "tag": "on/off",
        "title": "Switches",
        "description": "*On* or off.",
        "coverImage": "https://a.example/x.png",
    }
    answer = api("PUT", "/tag-pages", json=body)
    assert (answer.status_code, answer.json) == (200, body | {"url": "https://blog.example/tag/on%2Foff"})
    api("PUT", "/tag-pages", json={"tag": "boats", "title": "Boats"})
    listed = api.get("/tag-pages").json
    assert [one["tag"] for one in listed["data"]] == ["boats", "on/off"]
    first = api.get("/tag-pages?limit=1").json
    second = api.get(f"/tag-pages?limit=1&cursor={first['nextCursor']}").json
    assert first["data"] + second["data"] == listed["data"]
    assert api.get("/tag-pages?tag=on%2Foff").json["data"] == [answer.json]

    changed = api("PUT", "/tag-pages", json={"tag": "on/off", "description": "Of light."}).json
    assert (changed["title"], changed["description"], changed["coverImage"]) == ("", "Of light.", None)
    assert api("PUT", "/tag-pages", json=changed | {"title": "Off"}).json == changed | {"title": "Off"}
    assert api.delete("/tag-pages?tag=on%2Foff").status_code == 204
    assert api.delete("/tag-pages?tag=on%2Foff").status_code == 404


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({}, {"#/tag": "required"}),
        ({"tag": "x" * 51}, {"#/tag": "too_long"}),
        ({"tag": "a", "title": "x" * 201}, {"#/title": "too_long"}),
        ({"tag": "a", "coverImage": "x"}, {"#/coverImage": "not_a_url"}),
        ({"tag": "a", "description": "x" * 10_001}, {"#/description": "too_long"}),
    ],
)
def test_an_invalid_tag_page_is_refused(api: Api, body: dict[str, Any], found: dict[str, str]) -> None:
    answer = api("PUT", "/tag-pages", json=body)
    assert (answer.status_code, faults(answer)) == (422, found)
