"""Revisions: every version of the content is kept and can be restored."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.models import Post
from tests.api_client import Api


@pytest.fixture
def post_id(api: Api, a_post: Callable[..., Post]) -> str:
    post = a_post(title="First", content="one", slug="first")
    api.put(f"/posts/{post.id}", title="Second", content="two", slug="second", tags=["x"])
    api.post(f"/posts/{post.id}/publish")
    api.put(f"/posts/{post.id}", content="three")
    return post.id


def test_revisions_are_listed_newest_first(api: Api, post_id: str) -> None:
    answer = api.get(f"/posts/{post_id}/revisions")
    assert [(r["number"], r["title"], r["isLive"]) for r in answer.json["data"]] == [
        (3, "Second", False),
        (2, "Second", True),
        (1, "First", False),
    ]


def test_the_list_of_revisions_is_paged(api: Api, post_id: str) -> None:
    first = api.get(f"/posts/{post_id}/revisions?limit=2").json
    rest = api.get(f"/posts/{post_id}/revisions?limit=2&cursor={first['nextCursor']}").json
    assert [r["number"] for r in first["data"] + rest["data"]] == [3, 2, 1]
    assert rest["nextCursor"] is None


def test_a_revision_contains_the_text_of_its_time(api: Api, post_id: str) -> None:
    answer = api.get(f"/posts/{post_id}/revisions/1")
    assert (answer.json["title"], answer.json["content"], answer.json["slug"]) == ("First", "one", "first")
    assert (
        api.get(f"/posts/{post_id}/revisions/1", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    )


def test_restoring_a_revision_changes_the_working_copy_and_not_the_live_post(api: Api, post_id: str) -> None:
    answer = api.post(f"/posts/{post_id}/revisions/1/restore")
    assert (answer.json["title"], answer.json["content"], answer.json["tags"]) == ("First", "one", [])
    assert answer.json["slug"] == "second"  # the slug that readers know
    assert answer.json["hasUnpublishedChanges"] is True
    newest, before, *_ = api.get(f"/posts/{post_id}/revisions").json["data"]
    assert (newest["number"], newest["restoredFrom"], before["restoredFrom"]) == (4, 1, None)
    assert "two" in api.client.get("/second").text


def test_restoring_the_current_revision_changes_nothing(api: Api, post_id: str) -> None:
    before = api.get(f"/posts/{post_id}").json
    api.post(f"/posts/{post_id}/revisions/3/restore")
    assert api.get(f"/posts/{post_id}").json == before


@pytest.mark.parametrize("number", ["4", "0", "99999999999999999999", "x", "-1"])
def test_an_unknown_revision_returns_404(api: Api, post_id: str, number: str) -> None:
    assert api.get(f"/posts/{post_id}/revisions/{number}").status_code == 404
    assert api.post(f"/posts/{post_id}/revisions/{number}/restore").status_code == 404


def test_a_revision_names_who_wrote_it_and_when(api: Api, post_id: str) -> None:
    api.post(f"/posts/{post_id}/revisions/1/restore")
    newest = api.get(f"/posts/{post_id}/revisions").json["data"][0]
    assert newest["createdBy"]["type"] == "key"
    assert newest["createdBy"]["name"]
    assert (newest["reason"], newest["wordCount"]) == ("restored", 1)
    assert newest["updatedAt"] == newest["createdAt"]
