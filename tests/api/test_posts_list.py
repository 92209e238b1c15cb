"""GET /posts: pages, sort orders, filters and partial responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from blogsvc.models import Post
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import Time

SORTS = ("createdAt", "updatedAt", "scheduledAt", "publishedAt", "title")


def all_pages(api: Api, query: str, between: Callable[[], Any] = lambda: None) -> list[dict[str, Any]]:
    """Return every post from all pages; `between` is called between two pages."""
    found, cursor = [], ""
    while True:
        page = api.get(f"/posts?{query}{cursor}").json
        found += page["data"]
        if page["nextCursor"] is None:
            return found
        cursor = f"&cursor={page['nextCursor']}"
        between()


def titles(api: Api, query: str) -> set[str]:
    return {post["title"] for post in all_pages(api, query)}


@pytest.fixture
def seven_posts(api: Api, time: Time) -> list[str]:
    """Seven posts in different states, some with and some without each time; two share a title."""
    for number in range(7):
        time.passes(seconds=0 if number == 3 else 7)
        body = {"title": "Same" if number in {2, 5} else f"Post {number}", "content": "x", "tags": [f"t{number % 2}"]}
        post = api.post("/posts", json=body).json
        if number % 3 == 0:
            api.put(f"/posts/{post['id']}", scheduledAt=f"2026-12-0{9 - number}T09:00:00Z")
        if number % 3 == 1:
            api.post(f"/posts/{post['id']}/publish")
    return [post["id"] for post in api.get("/posts?sort=createdAt").json["data"]]


def test_posts_are_listed_newest_first(api: Api, seven_posts: list[str]) -> None:
    answer = api.get("/posts")
    assert [post["id"] for post in answer.json["data"]] == seven_posts[::-1]
    assert answer.json["nextCursor"] is None
    assert "Link" not in answer.headers
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("sort", [*SORTS, *(f"-{sort}" for sort in SORTS)])
def test_pages_of_every_sort_order_contain_every_post_once_in_order(
    api: Api, seven_posts: list[str], sort: str
) -> None:
    posts = all_pages(api, f"sort={sort}&limit=2")

    assert sorted(post["id"] for post in posts) == sorted(seven_posts)
    values = [post[sort.removeprefix("-")] for post in posts]
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=sort.startswith("-"))
    assert values[len(known) :] == [None] * (len(values) - len(known)), "posts without this time come last"


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt", "title", "-publishedAt", "scheduledAt"])
def test_no_post_is_skipped_or_repeated_while_posts_are_added(api: Api, seven_posts: list[str], sort: str) -> None:
    left = iter(range(5))

    def add() -> None:
        if (number := next(left, None)) is not None:
            api.post("/posts", title=f"{'AZ'[number % 2]} new {number}")

    found = [post["id"] for post in all_pages(api, f"sort={sort}&limit=2", add)]
    assert len(found) == len(set(found))
    assert set(seven_posts) <= set(found)


def test_the_link_to_the_next_page_keeps_the_query(api: Api, seven_posts: list[str]) -> None:
    answer = api.get("/posts?limit=1&status=draft&status=scheduled&fields=id,title&sort=-title")

    address, _, rel = answer.headers["Link"].partition(">; ")
    assert rel == 'rel="next"'
    query = parse_qs(urlsplit(address.removeprefix("<")).query)
    assert query == {
        "limit": ["1"],
        "status": ["draft", "scheduled"],
        "fields": ["id,title"],
        "sort": ["-title"],
        "cursor": [answer.json["nextCursor"]],
    }
    following = api.get(address.removeprefix("<").partition("/api/v1")[2]).json
    assert [post["title"] for post in answer.json["data"] + following["data"]] == ["Same", "Same"]


def test_following_the_links_reads_every_page(api: Api, seven_posts: list[str]) -> None:
    path, found = "/posts?limit=2&fields=id", []
    while path:
        answer = api.get(path)
        assert answer.status_code == 200
        found += [post["id"] for post in answer.json["data"]]
        path = answer.headers.get("Link", "").partition(">; ")[0].partition("/api/v1")[2]
    assert len(found) == len(seven_posts) > 4, "or there are not three pages"
    assert set(found) == set(seven_posts)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cursor: cursor[:-9] + ("A" if cursor[-9] != "A" else "B") + cursor[-8:],
        lambda cursor: "X" + cursor,
        lambda cursor: cursor.partition(".")[0],
        lambda cursor: "",
        lambda cursor: "ü.ü",
    ],
)
def test_a_modified_cursor_is_rejected(api: Api, seven_posts: list[str], spoil: Callable[[str], str]) -> None:
    cursor = api.get("/posts?limit=1").json["nextCursor"]
    assert faults(api.get(f"/posts?cursor={spoil(cursor)}")) == {"?cursor": "invalid"}


def test_a_cursor_of_another_sort_order_is_rejected(api: Api, seven_posts: list[str]) -> None:
    cursor = api.get("/posts?limit=1&sort=title").json["nextCursor"]
    answer = api.get(f"/posts?cursor={cursor}")
    assert faults(answer) == {"?cursor": "invalid"}
    assert "sort order (title)" in answer.json["detail"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("status=draft", {"Same"}),
        ("status=scheduled", {"Post 0", "Post 3", "Post 6"}),
        ("status=draft,published", {"Same", "Post 1", "Post 4"}),
        ("status=draft&status=published", {"Same", "Post 1", "Post 4"}),
        ("status=failed", set()),
        ("tag=t1", {"Post 1", "Post 3", "Same"}),
        ("tag=none", set()),
        ("tag=none,t1", set()),
        ("tag=t1&tag=none", {"Post 1", "Post 3", "Same"}),
        ("platform=nowhere,site&status=published", {"Post 1", "Post 4"}),
        ("tag=t1&status=published", {"Post 1"}),
        ("platform=site&status=published", {"Post 1", "Post 4"}),
        ("platform=nowhere", set()),
        ("createdAfter=2026-11-24T09:00:28Z", {"Same", "Post 6"}),
        ("createdBefore=2026-11-24T09:00:14Z", {"Post 0"}),
        ("createdAfter=2026-11-24T10:00:13%2B01:00&createdBefore=2026-11-24T09:00:15Z", {"Post 1"}),
        ("updatedAfter=2026-11-24T09:00:35Z", {"Post 6"}),
        ("updatedBefore=2026-11-24T09:00:14Z", {"Post 0"}),
        ("scheduledAfter=2026-12-06T09:00:00Z", {"Post 0"}),
        ("scheduledBefore=2026-12-06T09:00:00Z", {"Post 6"}),
        ("publishedAfter=2026-11-24T09:00:14Z", {"Post 4"}),
        ("publishedBefore=2026-11-24T09:00:15Z", {"Post 1"}),
        ("trashed=true", set()),
    ],
)
def test_each_filter_narrows_the_list(api: Api, seven_posts: list[str], query: str, expected: set[str]) -> None:
    assert titles(api, query) == titles(api, query + "&limit=1&sort=title") == expected


def test_count_is_that_of_all_pages(api: Api, seven_posts: list[str]) -> None:
    assert api.get("/posts?limit=1").json["count"] is None
    assert api.get("/posts?limit=1&count=true").json["count"] == len(seven_posts)
    assert api.get("/posts?limit=1&count=true&fields=title&tag=t1").json["count"] == 3
    assert api.get("/posts?count=true&tag=none").json["count"] == 0


def test_the_tag_filter_follows_changes_of_tags(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post(tags=["old"])
    api.put(f"/posts/{post.id}", tags=["new"])
    assert titles(api, "tag=old") == set()
    assert titles(api, "tag=new") == {"A post"}


def test_created_and_updated_filters_use_their_own_times(api: Api, time: Time) -> None:
    post = api.post("/posts", title="Old and changed").json
    between = time.passes(hours=1).strftime("%Y-%m-%dT%H:%M:%SZ")
    time.passes(hours=1)
    api.put(f"/posts/{post['id']}", content="Newer")
    assert titles(api, f"createdBefore={between}") == titles(api, f"updatedAfter={between}") == {"Old and changed"}
    assert titles(api, f"createdAfter={between}") == titles(api, f"updatedBefore={between}") == set()


def test_the_trash_has_its_own_list(api: Api, a_post: Callable[..., Post]) -> None:
    api.delete(f"/posts/{a_post(title='Thrown').id}")
    a_post(title="Kept")
    assert titles(api, "") == {"Kept"}
    assert titles(api, "trashed=true") == {"Thrown"}


def test_fields_selects_the_fields_of_each_post(api: Api, seven_posts: list[str]) -> None:
    answer = api.get("/posts?fields=id,scheduledAt&fields=deliveries&limit=2").json
    assert all(set(post) == {"id", "scheduledAt", "deliveries"} for post in answer["data"])
    assert answer["nextCursor"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("limit=0", {"?limit": "out_of_range"}),
        ("limit=101", {"?limit": "out_of_range"}),
        ("limit=ten", {"?limit": "wrong_type"}),
        ("limit=" + "9" * 5000, {"?limit": "wrong_type"}),
        ("limit=1&limit=2", {"?limit": "repeated"}),
        ("sort=length", {"?sort": "not_one_of"}),
        ("status=gone", {"?status": "not_one_of"}),
        ("trashed=perhaps", {"?trashed": "wrong_type"}),
        ("createdAfter=yesterday", {"?createdAfter": "not_a_time"}),
        ("publishedBefore=2026-11-24T09:00:00", {"?publishedBefore": "not_a_time"}),
        ("platform=No!", {"?platform": "invalid"}),
        ("fields=secrets", {"?fields": "not_one_of"}),
        ("page=2", {"?page": "unknown"}),
        ("status=gone&limit=0&page=2", {"?status": "not_one_of", "?limit": "out_of_range", "?page": "unknown"}),
    ],
)
def test_invalid_list_parameters_are_rejected(api: Api, query: str, expected: dict[str, str]) -> None:
    assert faults(api.get(f"/posts?{query}")) == expected


def test_pages_are_listed_only_if_the_request_asks_for_them(api: Api) -> None:
    for title in ("First", "Second"):
        api.post("/posts", title=title)
    for title in ("About", "Contact"):
        api.post("/posts", title=title, kind="page")

    assert titles(api, "limit=1") == {"First", "Second"}
    assert titles(api, "kind=post") == {"First", "Second"}
    for sort in SORTS:
        assert titles(api, f"kind=page&limit=1&sort={sort}") == {"About", "Contact"}
    assert api.get("/posts?kind=page&count=true").json["count"] == 2
    assert faults(api.get("/posts?kind=story")) == {"?kind": "not_one_of"}
