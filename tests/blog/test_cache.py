"""Page cache and security headers of the blog."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event

import blogsvc
from blogsvc.analytics import page_views
from blogsvc.blog import cache
from blogsvc.models import Post, db
from blogsvc.posts import editing, publishing
from tests.blog.reading import attributes, parse_page
from tests.clock import Time

Make = Callable[..., Post]
PAGES = ["/", "/archive", "/tag/ink", "/one", "/feed.xml", "/feed.json", "/sitemap.xml", "/robots.txt"]


@pytest.mark.parametrize("path", PAGES)
def test_an_unchanged_page_returns_304(client: FlaskClient, a_post: Make, path: str) -> None:
    a_post(live=True, slug="one", tags=["ink"])
    first = client.get(path)
    tag = first.headers["ETag"]

    assert not tag.startswith("W/")
    assert first.headers["Cache-Control"] == "public, no-cache"
    again = client.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    # A compressing proxy weakens the ETag; the page is the same.
    assert client.get(path, headers={"If-None-Match": f"W/{tag}"}).status_code == 304


def test_a_republished_post_shows_at_once(client: FlaskClient, a_post: Make, time: Time) -> None:
    post = a_post(live=True, slug="one")
    had = {"If-None-Match": client.get("/one").headers["ETag"]}
    editing.edit(post, {"content": "Other words."}, None, time.now)
    assert client.get("/one", headers=had).status_code == 304

    publishing.publish(post, time.now)
    answer = client.get("/one", headers=had)
    assert answer.status_code == 200
    assert "Other words." in answer.text


@pytest.mark.parametrize("module", ["blogsvc.blog.heads", "blogsvc.models.theme", "blogsvc.lib.markdown.languages"])
def test_pages_are_made_again_after_a_change_of_the_code_that_renders_them(module: str) -> None:
    package = Path(blogsvc.__file__).parent
    assert Path(str(import_module(module).__file__)) in cache.page_code(package)


def test_each_page_has_its_own_etag(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="one", tags=["ink"])

    assert len({client.get(path).headers["ETag"] for path in PAGES}) == len(PAGES)


def test_a_cached_page_costs_one_query_at_most(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="one")
    db.session.rollback()
    client.get("/one")
    queries: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        queries.append(statement)

    # A running scheduler writes views later, in batches; this stands in for it.
    with page_views.views_waiting.connected_to(lambda _: None):
        event.listen(db.engine, "before_cursor_execute", note)
        assert client.get("/one").status_code == 200
        event.remove(db.engine, "before_cursor_execute", note)
    page_views.flush_views()
    assert len([query for query in queries if query.startswith("SELECT")]) <= 1


def test_head_returns_the_headers_of_get_without_the_body(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="one")
    head, get = client.head("/one"), client.get("/one")

    assert head.data == b""
    assert (head.status_code, head.headers["ETag"]) == (200, get.headers["ETag"])
    assert head.headers["Content-Length"] == str(len(get.data))


def test_meaningless_parameters_and_unknown_paths_do_not_fill_the_cache(
    app: Flask, client: FlaskClient, a_post: Make
) -> None:
    a_post(live=True, slug="one")
    for number in range(20):
        client.get(f"/one?utm_source={number}")
        client.get(f"/?page={number}&fbclid={number}")
        client.get(f"/nothing-{number}")
        client.get(f"/?before=nothing-{number}")

    assert len(cache.pages()) == 3  # the post, the home page, "not found"


def test_the_stylesheet_is_cached_as_immutable(client: FlaskClient) -> None:
    (link,) = attributes(parse_page(client.get("/").text), "link", rel="stylesheet")

    with client.get(link["href"]) as answer:
        assert answer.mimetype == "text/css"
        assert {"public", "max-age=31536000", "immutable"} == set(answer.headers["Cache-Control"].split(", "))
    with client.get("/static/blog.css?v=other") as answer:
        assert "immutable" not in answer.headers["Cache-Control"]


@pytest.mark.parametrize("path", [*PAGES, "/nothing", "/favicon.ico"])
def test_every_response_has_security_headers(client: FlaskClient, a_post: Make, path: str) -> None:
    a_post(live=True, slug="one", tags=["ink"])
    headers = client.get(path).headers

    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; ")
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "strict-origin-when-cross-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "geolocation=()" in headers["Permissions-Policy"]
    assert "Strict-Transport-Security" not in headers
    assert "Set-Cookie" not in headers
    assert "Strict-Transport-Security" in client.get(path, base_url="https://blog.example").headers
