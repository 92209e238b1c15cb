"""Reads are answered from memory while nothing changes, and like Flask would answer them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, update

from blogsvc.config import Config
from blogsvc.models import ApiKey, Post, db, transaction
from tests.api.key_calls import make
from tests.api_client import Api
from tests.clock import NOW, Time
from tests.databases import another
from tests.flask_requests import flask_requests

Make = Callable[..., Post]
READS = ["/posts", "/posts?q=words", "/posts?sort=title&limit=1", "/posts?fields=id,title", "/analytics"]
# Headers that differ from one response to the next.
OWN = {"Date", "RateLimit", "X-Request-Id", "X-RateLimit-Remaining", "X-RateLimit-Reset"}

pytestmark = pytest.mark.sqlite("PostgreSQL does not say cheaply whether anything has changed")


@pytest.fixture
def post(api: Api, a_post: Make) -> Post:
    """Return a post, after a first request: it notes the use of the key, which is a change."""
    made = a_post(live=True, content="Some words.")
    api.get("/posts")
    return made


def test_the_second_read_is_the_same_and_does_not_reach_flask(api: Api, post: Post) -> None:
    for path in (*READS, f"/posts/{post.id}", f"/posts/{post.id}?fields=id"):
        first = api.get(path)
        with flask_requests() as reached:
            again = api.get(path)
        assert reached == []
        assert (again.status_code, again.data) == (first.status_code, first.data)
        headers = [sorted((name, value) for name, value in each.headers if name not in OWN) for each in (first, again)]
        assert headers[0] == headers[1]
        assert OWN - {"Date"} <= set(again.headers.keys())


@pytest.mark.settings(cors_origins=("https://app.example", "https://other.example"))
def test_each_origin_gets_its_own_response(api: Api, post: Post) -> None:
    for _ in range(2):
        for origin in ("https://app.example", "https://other.example"):
            answer = api.get("/posts", headers={"Origin": origin})
            assert answer.headers["Access-Control-Allow-Origin"] == origin
        assert "Access-Control-Allow-Origin" not in api.get("/posts").headers
        assert (
            "Access-Control-Allow-Origin" not in api.get("/posts", headers={"Origin": "https://evil.example"}).headers
        )
    with flask_requests() as reached:
        api.get("/posts", headers={"Origin": "https://app.example"})
    assert reached == []


def test_a_client_that_has_the_post_gets_a_304_from_memory(api: Api, post: Post) -> None:
    etag = api.get(f"/posts/{post.id}").headers["ETag"]
    with flask_requests() as reached:
        unchanged = api.get(f"/posts/{post.id}", headers={"If-None-Match": etag})
        changed = api.get(f"/posts/{post.id}", headers={"If-None-Match": '"other"'})
    assert reached == []
    assert (unchanged.status_code, unchanged.data, changed.status_code) == (304, b"", 200)


def test_a_change_shows_at_once(api: Api, post: Post) -> None:
    for number in range(3):
        with transaction():
            db.session.get_one(Post, post.id).title = f"Title {number}"
        assert api.get(f"/posts/{post.id}").json["title"] == f"Title {number}"
        assert api.get("/posts").json["data"][0]["title"] == f"Title {number}"


def test_a_change_by_another_process_shows_at_once(api: Api, post: Post, config: Config) -> None:
    api.get("/posts?status=published")
    with another(config.rows_url, writes=True) as rows:
        rows.execute(update(Post).values(state="draft", version="another"))
    assert api.get("/posts?status=published").json["data"] == []


def test_a_key_that_another_process_revokes_is_refused_at_once(api: Api, post: Post, config: Config) -> None:
    api.get("/posts")
    with another(config.rows_url, writes=True) as rows:
        rows.execute(update(ApiKey).values(revoked_at=NOW))
    assert api.get("/posts").status_code == 401


def test_a_key_is_refused_from_the_moment_it_expires(api: Api, client: FlaskClient, post: Post, time: Time) -> None:
    short = Api(client, make(api, expiresAt="2026-11-24T09:00:30Z")["key"])
    time.passes(seconds=1)
    assert short.get("/posts").status_code == 200
    assert short.get("/posts").status_code == 200
    time.passes(minutes=1)
    assert short.get("/posts").status_code == 401


def test_the_time_of_the_last_use_is_noted_each_minute(api: Api, post: Post, config: Config, time: Time) -> None:
    for _ in range(3):
        time.passes(minutes=1)
        api.get("/posts")
        with another(config.rows_url) as rows:
            assert rows.scalar(select(ApiKey.last_used_at)) == time()


@pytest.mark.settings(reads_per_minute=4)
def test_reads_from_memory_count_for_the_rate_limit(api: Api, a_post: Make) -> None:
    path = f"/posts/{a_post().id}"
    answers = [api.get(path) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 429]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["3", "2", "1", "0", "0"]


def test_another_key_or_header_gets_its_own_answer(api: Api, client: FlaskClient, post: Post) -> None:
    path = f"/posts/{post.id}"
    without = Api(client, make(api, "analytics:read")["key"])
    assert api.get(path).status_code == api.get(path).status_code == 200
    assert without.get(path).status_code == 403
    assert Api(client, None).get(path).status_code == 401
    assert api.get(path, headers={"Accept": "text/html"}).status_code == 406


@pytest.mark.settings(allow_http=False)
def test_a_key_sent_unencrypted_from_elsewhere_is_refused(api: Api, client: FlaskClient, post: Post) -> None:
    path, headers = f"/api/v1/posts/{post.id}", {"Authorization": f"Bearer {api.key}"}
    for address, status in (("127.0.0.1", 200), ("203.0.113.9", 403)):
        answer = client.get(path, headers=headers, environ_overrides={"REMOTE_ADDR": address})
        assert answer.status_code == status
