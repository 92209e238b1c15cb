"""The list of tags."""

from __future__ import annotations

from collections.abc import Callable

from blogsvc.models import Post
from tests.api.faults import faults
from tests.api_client import Api

Posts = Callable[..., Post]


def test_tags_are_listed_with_the_number_of_their_posts(api: Api, a_post: Posts) -> None:
    for given in (["ink", "paper"], ["ink", "Été, 2026"], ["ink"], ["paper"]):
        a_post(tags=given)
    document = api.get("/tags").json
    assert document == {
        "data": [{"name": "ink", "count": 3}, {"name": "paper", "count": 2}, {"name": "Été, 2026", "count": 1}],
        "nextCursor": None,
    }
    assert [one["name"] for one in api.get("/tags?q=ete").json["data"]] == ["Été, 2026"]


def test_pages_contain_every_tag_once(api: Api, a_post: Posts) -> None:
    names = [f"tag {number}" for number in range(7)]
    a_post(tags=names)
    found, path = [], "/tags?limit=3"
    for _ in range(3):
        page = api.get(path)
        found += [one["name"] for one in page.json["data"]]
        path = page.headers.get("Link", "").partition(">")[0].removeprefix("</api/v1")
    assert (found, path) == (names, "")


def test_a_cursor_of_another_list_is_rejected(api: Api, a_post: Posts) -> None:
    for _ in range(2):
        a_post(tags=["ink"])
    cursor = api.get("/posts?limit=1").json["nextCursor"]
    assert faults(api.get(f"/tags?cursor={cursor}")) == {"?cursor": "invalid"}
    assert faults(api.get("/tags?cursor=x")) == {"?cursor": "invalid"}
