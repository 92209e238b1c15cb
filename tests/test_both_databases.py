"""Both databases give the same response where they would differ by default."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from blogsvc.auth import api_keys
from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.errors import Invalid
from blogsvc.models import Connection, PageView, Post, db, transaction
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import NOW
from tests.outside import Outside

# In order of their code points; a locale would mix the cases, ignore punctuation and sort é next to e.
TITLES = [
    "(a) bracket",
    "10 things",
    "9 things",
    "A-b",
    "Ab",
    "B",
    "a",
    "a b",
    "a-b",
    "ab",
    "eta",
    "zeta",
    "Éta",
    "écru",
    "日本",
    "😀",
]
Posts = Callable[..., Post]


@pytest.mark.parametrize("limit", [3, 100])
def test_titles_are_sorted_by_code_point(api: Api, a_post: Posts, limit: int) -> None:
    for title in sorted(TITLES, key=lambda title: title[::-1]):
        a_post(title=title)
    for sort, expected in (("title", TITLES), ("-title", TITLES[::-1])):
        found, cursor = [], ""
        while cursor is not None:
            page = api.get(f"/posts?sort={sort}&limit={limit}{cursor and '&cursor='}{cursor}").json
            found += [post["title"] for post in page["data"]]
            cursor = page["nextCursor"]
        assert found == expected


def test_connections_are_sorted_by_code_point(api: Api, connect: Callable[..., str]) -> None:
    for name in ("ab", "a-c", "b", "a0"):
        connect(name)
    assert [row["name"] for row in api.get("/platforms").json["data"]] == ["site", "a-c", "a0", "ab", "b"]


def test_tags_are_case_sensitive_and_never_patterns(client: FlaskClient, api: Api, a_post: Posts) -> None:
    post = a_post(live=True, tags=["Ink"])
    for _ in range(2):
        assert [client.get(f"/tag/{tag}").status_code for tag in ("Ink", "ink", "I_k", "%25")] == [200, 404, 404, 404]
        assert [len(api.get(f"/posts?tag={tag}").json["data"]) for tag in ("Ink", "ink")] == [1, 0]
        api.put(f"/posts/{post.id}", content="Other words.")  # the query differs with unpublished changes


@pytest.mark.parametrize("path", ["/posts/%00", "/posts/a%00b/events", "/deliveries/%00"])
def test_a_nul_in_an_id_returns_404(api: Api, path: str) -> None:
    assert api.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/%00", "/tag/%00", "/a%00b", "/?before=%00"])
def test_a_nul_in_a_blog_url_returns_404(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_nul_in_a_query_is_rejected(api: Api) -> None:
    assert faults(api.get("/posts?tag=a%00b")) == {"?tag": "control_character"}


def test_a_referrer_with_a_nul_is_not_stored(client: FlaskClient, a_post: Posts) -> None:
    a_post(live=True, slug="one")
    referrer = {"Referer": "https://exam\0ple.org/", "User-Agent": "A person"}
    assert client.get("/one", headers=referrer).status_code == 200
    assert [view.referrer for view in db.session.query(PageView)] == [None]


def test_long_platform_messages_are_truncated(
    api: Api, a_post: Posts, connect: Callable[..., str], outside: Outside, tick: Callable[[], None]
) -> None:
    post = a_post(live=True, platforms=[connect()])
    outside.always(status=422, json={"message": "no\0 " + "x" * 5000})
    tick()
    (delivery,) = api.get(f"/posts/{post.id}/deliveries").json["data"]
    assert delivery["state"] == "failed"
    assert "x" in delivery["lastError"]["detail"]


@pytest.mark.parametrize("name", ["", "x" * 101, "two\nlines", "a\0b"])
def test_a_key_name_is_one_line_of_at_most_100_characters(app: object, name: str) -> None:
    with pytest.raises(Invalid, match="100 characters"):
        api_keys.create(name, ["all"], None, NOW)


def test_extreme_numbers_and_texts_get_a_response(api: Api) -> None:
    assert faults(api.get(f"/posts?limit={10**30}")) == {"?limit": "out_of_range"}
    assert api.get(f"/posts?tag={'x' * 5000}").json["data"] == []
    assert api.get(f"/posts/{'x' * 5000}").status_code == 404
    for moment in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"):
        assert api.get(f"/posts?createdAfter={moment}").status_code == 200


def test_a_post_with_the_maximum_of_every_field_is_stored(api: Api) -> None:
    """Every field at its maximum length, with characters of four bytes."""
    smile = "😀"
    words = {
        "title": smile * 300,
        "summary": smile * 2000,
        "slug": "s" * 80,
        "tags": [f"{n:02}" + smile * 48 for n in range(20)],
        "canonicalUrl": "https://example.org/" + "x" * 1980,
        "coverImage": "https://example.org/" + "y" * 1980,
        "language": "zh-" + "-".join(["abcdefgh"] * 3),
        "content": "x" * 2**20,
    }
    answer = api.post("/posts", json=words)
    assert answer.status_code == 201, answer.json
    assert {name: answer.json[name] for name in words} == words
    page = api.get("/posts?sort=title&limit=1")
    assert page.json["data"][0]["title"] == smile * 300
    assert len(api.get(f"/posts?tag={quote(words['tags'][0])}").json["data"]) == 1


def test_times_are_stored_to_the_microsecond(a_post: Posts) -> None:
    moment = NOW.replace(microsecond=123457)
    post = a_post()
    with transaction():
        post.published_at = moment
    db.session.expire_all()
    assert db.session.get_one(Post, post.id).published_at == moment


def test_a_long_account_name_is_truncated(app: object, tools: Tools, outside: Outside) -> None:
    long = {"id": "1", "acct": "n\0ame" * 100, "url": "https://m.example/" + "x" * 1975}
    outside.teach("GET", "https://m.example/api/v1/accounts/verify_credentials", json=long)
    outside.teach("GET", "https://m.example/api/v2/instance", json={})
    manage.connect("mastodon", "mastodon", {"url": "https://m.example", "token": "t"}, tools)
    connection = Connection.named("mastodon")
    assert len(connection.account) == 300
    assert connection.account_url == long["url"]
