"""Responses from memory: the same as those of Flask, and none that is out of date."""

from __future__ import annotations

import gzip
import logging
import os
import time as clock
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text, update
from werkzeug.datastructures import Headers
from werkzeug.test import create_environ, run_wsgi_app

from blogsvc.analytics import page_views
from blogsvc.config import STATIC
from blogsvc.models import PageView, Post, Setting, db, transaction
from blogsvc.models.setting import describe_blog
from blogsvc.posts import editing, publishing
from blogsvc.server.response_cache import responses
from tests.blog.reading import CHROME
from tests.clock import Time
from tests.databases import another
from tests.flask_requests import flask_requests
from tests.tiers import matrix

Make = Callable[..., Post]
PAGES = ["/", "/archive", "/tag/ink", "/one", "/feed.xml", "/feed.json", "/sitemap.xml", "/robots.txt"]
FILES = ["/static/blog.css", "/static/desk/app.js", "/static/vendor/lucide-static@1.62.0/sprite.svg"]
FONT = "/static/vendor/literata@5.3.0/literata-latin-wght-normal.woff2"
READS = {"User-Agent": CHROME}
PATIENCE = 10.0  # seconds


@pytest.fixture
def site(a_post: Make) -> Post:
    a_post(live=True, slug="two", tags=["ink"], content="Other words. " * 50)
    return a_post(live=True, slug="one", tags=["ink"], content="Some words. " * 50)


Comparable = tuple[int, list[tuple[str, str]], bytes]


def from_memory(client: FlaskClient, method: str, path: str, headers: dict[str, str], base_url: str) -> Comparable:
    answer = client.open(path, base_url, method=method, headers=headers)
    return answer.status_code, _without_date(answer.headers), answer.data


def from_flask(app: Flask, method: str, path: str, headers: dict[str, str], base_url: str) -> Comparable:
    """Return what Flask alone answers."""
    environ = create_environ(path, base_url, method=method, headers=headers)

    def flask_alone(environ: Any, start_response: Any) -> Any:
        return Flask.wsgi_app(app, environ, start_response)

    parts, status, found = run_wsgi_app(flask_alone, environ, buffered=True)
    return int(status[:3]), _without_date(found), b"".join(parts)


def _without_date(headers: Headers) -> list[tuple[str, str]]:
    return sorted((name, value) for name, value in headers if name != "Date")


CONDITIONS: list[dict[str, str]] = [
    {},
    {"If-None-Match": "TAG"},
    {"If-None-Match": "W/TAG"},
    {"If-None-Match": '"other", TAG'},
    {"If-None-Match": '"other"'},
    {"If-None-Match": "*"},
    {"If-None-Match": "broken"},
    {"If-Match": "TAG"},
    {"If-Match": '"other"'},
    {"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"},
    {"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
    {"If-Modified-Since": "yesterday"},
    {"If-None-Match": '"other"', "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"},
    {"If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
    {"Range": "bytes=0-9"},
    {"Cookie": "blogsvc=something"},
    {"Host": "other.example"},
    {"Host": "not a host"},
    {"Upgrade": "websocket", "Connection": "Upgrade"},
]
CODINGS = ["", "gzip", "zstd", "gzip, deflate, br, zstd", "identity", "*;q=0.5", "gzip;q=0, *", "x-unknown;q=0.3"]


@matrix(
    "path",
    [*PAGES, *FILES, FONT, "/static/blog.css?v=other", "/one?utm_source=x", "/?before=x"],
    default=lambda path: path in ("/one", "/feed.xml", *FILES[:1], FONT, "/one?utm_source=x", "/?before=x"),
)
def test_both_ways_give_the_same_response(app: Flask, client: FlaskClient, site: Post, path: str) -> None:
    cases = [("http", coding, {}) for coding in CODINGS] + [("https", "gzip", {})]
    cases += [("http", coding, condition) for coding in ("", "gzip") for condition in CONDITIONS]
    for scheme, coding, condition in cases:
        base_url = f"{scheme}://blog.example"
        accepts = {"Accept-Encoding": coding, "X-Request-Id": "same"} if coding else {"X-Request-Id": "same"}
        tag = client.get(path, base_url, headers=accepts).headers.get("ETag", '"none"')  # this response is stored
        headers = accepts | {name: value.replace("TAG", tag) for name, value in condition.items()}
        for method in ("GET", "HEAD"):
            stored = from_memory(client, method, path, headers, base_url)
            assert stored == from_flask(app, method, path, headers, base_url), (method, base_url, headers)


@matrix("path", [*PAGES, *FILES, FONT], default=lambda path: path in ("/one", "/feed.xml", *FILES[:1], FONT))
@pytest.mark.parametrize("coding", ["", "gzip"])
def test_the_second_request_does_not_reach_flask(client: FlaskClient, site: Post, path: str, coding: str) -> None:
    headers = {"Accept-Encoding": coding}
    with flask_requests() as asked:
        first = client.get(path, headers=headers)
        tag = first.headers["ETag"]
        again = client.get(f"{path}?utm_source=x", headers=headers)
        client.head(path, headers=headers)
        unchanged = client.get(path, headers=headers | {"If-None-Match": tag})

    assert asked == [path]
    assert again.data == first.data
    assert (unchanged.status_code, unchanged.data, unchanged.headers["ETag"]) == (304, b"", tag)


@pytest.mark.parametrize("path", ["/nothing", "/desk/login", "/api/v1/health", "/health", "/?before=x", "/media/x.png"])
def test_everything_else_goes_to_flask(client: FlaskClient, site: Post, path: str) -> None:
    with flask_requests() as asked:
        for _ in range(2):
            client.get(path)

    assert len(asked) == 2


def test_only_get_and_head_are_answered_from_memory(client: FlaskClient, site: Post) -> None:
    client.get("/one")

    assert client.post("/one").status_code == 405
    assert client.options("/one").headers["Allow"]


@pytest.mark.parametrize("path", ["/one", "/static/blog.css", "/feed.xml"])
def test_text_is_compressed_if_the_client_accepts_it(client: FlaskClient, site: Post, path: str) -> None:
    plain = client.get(path)
    for _ in range(2):  # by Flask, then from memory
        small = client.get(path, headers={"Accept-Encoding": "gzip, br"})
        assert small.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(small.data) == plain.data
        assert small.headers["Content-Length"] == str(len(small.data))
        assert small.headers["ETag"] != plain.headers["ETag"]
        assert small.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert "Content-Encoding" not in plain.headers


def test_fonts_are_not_compressed(client: FlaskClient) -> None:
    answer = client.get(FONT, headers={"Accept-Encoding": "gzip"})

    assert "Content-Encoding" not in answer.headers
    assert "Vary" not in answer.headers


def soon(is_so: Callable[[], bool]) -> None:
    end = clock.monotonic() + PATIENCE
    while not is_so():
        assert clock.monotonic() < end, "the change does not show"


def change_title(post: Post, time: Time) -> None:
    editing.edit(post, {"title": "Changed"}, None, time.now)
    publishing.publish(post, time.now)


@pytest.mark.parametrize(
    "change",
    [
        change_title,
        lambda post, time: publishing.unpublish(post, time.now),
        lambda post, time: described(),
    ],
)
def test_a_change_of_the_site_shows_at_once(
    client: FlaskClient, site: Post, time: Time, change: Callable[[Post, Time], None]
) -> None:
    pages = ("/one", "/", "/feed.xml")
    before = {path: client.get(path) for path in pages}
    assert client.get("/one").data == before["/one"].data
    change(db.session.merge(site), time)

    for path in pages:
        after = client.get(path, headers={"If-None-Match": before[path].headers["ETag"]})
        assert after.status_code in (200, 404), path
        assert after.data != before[path].data


def described() -> None:
    with transaction():
        describe_blog({"title": "Another title"})


def test_a_change_that_is_rolled_back_changes_nothing(client: FlaskClient, site: Post) -> None:
    before = client.get("/").data

    def fail() -> None:
        with transaction():
            describe_blog({"title": "Another title"})
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert client.get("/").data == before


def test_a_change_by_another_process_shows_soon(client: FlaskClient, site: Post, app: Flask) -> None:
    before = client.get("/").data
    with another(app.extensions["tools"].config.rows_url, writes=True) as rows:
        rows.execute(update(Setting).where(Setting.name == "site_version").values(value="by another process"))
        rows.execute(text("UPDATE post SET title = 'Changed'"))
        rows.execute(text("UPDATE revision SET title = 'Changed'"))
    soon(lambda: client.get("/").data != before)


def test_a_changed_file_shows_soon(client: FlaskClient) -> None:
    file = STATIC / "blog.css"
    stamp = file.stat().st_mtime_ns
    before = client.get("/static/blog.css").headers["ETag"]
    try:
        os.utime(file, ns=(stamp, stamp + 5_000_000_000))
        soon(lambda: client.get("/static/blog.css").headers["ETag"] != before)
    finally:
        os.utime(file, ns=(stamp, stamp))
    soon(lambda: client.get("/static/blog.css").headers["ETag"] == before)


def test_a_versioned_file_is_stored_with_its_version_only(app: Flask, client: FlaskClient) -> None:
    page = client.get("/").text
    address = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
    stored = responses.of(app)
    had = len(stored)
    with flask_requests() as asked:
        for version in (address, address, "/static/blog.css?v=1", "/static/blog.css?v=2", f"{address}&x=1"):
            client.get(version)

    assert len(asked) == 4
    assert len(stored) == had + 1
    assert "immutable" in client.get(address).headers["Cache-Control"]


def test_parameters_without_meaning_and_missing_pages_are_not_stored(
    app: Flask, client: FlaskClient, site: Post
) -> None:
    for number in range(20):
        client.get(f"/one?utm_source={number}")
        client.get(f"/?%70age={number}")
        client.get(f"/?before=nothing-{number}")
        client.get(f"/nothing-{number}")

    assert len(responses.of(app)) == 2


def test_an_encoded_parameter_has_its_meaning(client: FlaskClient, site: Post, a_post: Make, time: Time) -> None:
    for number in range(25):
        time.passes(minutes=1)
        a_post(live=True, slug=f"more-{number}")
    first = client.get("/").text
    cursor = first.partition("?before=")[2].partition('"')[0]

    assert client.get(f"/?%62efore={cursor}").text == client.get(f"/?before={cursor}").text != first


def test_views_are_counted_as_by_flask(client: FlaskClient, site: Post) -> None:
    client.get("/one", headers={"User-Agent": ""})
    for headers in (
        READS,
        READS | {"DNT": "1"},
        READS | {"Referer": "https://news.example/x"},
        {"User-Agent": "a bot"},
    ):
        client.get("/one", headers=headers)
    client.head("/one", headers=READS)
    client.get("/feed.xml", headers=READS)
    client.get("/feed.xml", headers=READS)
    client.get("/", headers=READS)
    client.get("/", headers=READS)
    page_views.flush_views()

    views = db.session.query(PageView).order_by(PageView.id).all()
    kept = [(view.post_id, view.referrer, view.visitor is not None) for view in views]
    one = site.id
    assert kept == [
        *[(one, None, True), (one, None, False), (one, "news.example", True)],
        *[(None, None, True), (None, None, True)],
    ]


def test_the_log_has_the_same_line(client: FlaskClient, site: Post, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "blogsvc.access"):
        for _ in range(2):
            client.get("/one?secret=1", headers={"X-Request-Id": "given"})
            client.get("/tag/ink", headers={"X-Request-Id": "no\x7fid"})

    lines = [record.getMessage().split() for record in caplog.records if record.name == "blogsvc.access"]
    shown = [(method, path, status) for method, path, status, *_ in lines]
    assert shown == [("GET", "/one", "200"), ("GET", "/tag/ink", "200")] * 2
    assert [line[4] for line in lines[::2]] == ["given", "given"]
    assert all(line[4].startswith("req_") for line in lines[1::2])
    assert len({line[4] for line in lines[1::2]}) == 2


@pytest.mark.settings(trusted_proxies=1)
def test_the_headers_of_a_trusted_proxy_count(client: FlaskClient, site: Post) -> None:
    for _ in range(2):
        secure = client.get("/one", headers={"X-Forwarded-Proto": "https"})
        assert "Strict-Transport-Security" in secure.headers
        assert "Strict-Transport-Security" not in client.get("/one").headers


def test_a_file_that_does_not_exist_is_not_found(client: FlaskClient) -> None:
    for path in ("/static/nothing.css", "/static/vendor", "/static/a\0b"):
        assert client.get(path).status_code == 404


def test_every_static_file_is_served(client: FlaskClient) -> None:
    files = [file for file in Path(STATIC).rglob("*") if file.is_file()]
    for file in files:
        assert client.get(f"/static/{file.relative_to(STATIC)}").data == file.read_bytes()
