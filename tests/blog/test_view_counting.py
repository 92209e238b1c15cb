"""View counting: who counts as a reader, and what is stored."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from blogsvc.analytics import page_views
from blogsvc.models import PageView, Post, db
from tests.blog.reading import CHROME

Make = Callable[..., Post]
READS = {"User-Agent": CHROME}


def seen() -> list[PageView]:
    page_views.flush_views()
    return list(db.session.scalars(select(PageView).order_by(PageView.id)))


def test_each_page_view_is_recorded_with_its_post(client: FlaskClient, a_post: Make) -> None:
    post = a_post(live=True, slug="one")
    tag = client.get("/one", headers=READS).headers["ETag"]
    client.get("/one", headers=READS | {"If-None-Match": tag})
    client.get("/", headers=READS)

    first, second, home = seen()
    assert (first.post_id, second.post_id, home.post_id) == (post.id, post.id, None)
    assert first.visitor == second.visitor
    assert first.visitor is not None


def test_curl_counts_as_a_reader(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="one")
    client.get("/one", headers={"User-Agent": "curl/8.5.0"})

    assert len(seen()) == 1


@pytest.mark.parametrize("header", ["DNT", "Sec-GPC"])
def test_a_reader_who_opts_out_of_tracking_is_counted_without_a_visitor(
    client: FlaskClient, a_post: Make, header: str
) -> None:
    a_post(live=True, slug="one")
    client.get("/one", headers=READS | {header: "1"})

    (view,) = seen()
    assert view.visitor is None


@pytest.mark.parametrize(
    "headers",
    [
        {"User-Agent": ""},
        {"User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
        {"User-Agent": "Mastodon/4.4 (http.rb/5.2; +https://social.example/)"},
        {"User-Agent": "Mozilla/5.0 HeadlessChrome/140.0"},
        READS | {"Sec-Purpose": "prefetch;prerender"},
        READS | {"Purpose": "prefetch"},
    ],
)
def test_bots_and_prefetches_are_not_counted(client: FlaskClient, a_post: Make, headers: dict[str, str]) -> None:
    a_post(live=True, slug="one")
    client.get("/one", headers=headers)

    assert seen() == []


def test_only_page_views_are_counted(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="one")
    client.head("/one", headers=READS)
    for path in ("/nothing", "/feed.xml", "/feed.json", "/robots.txt", "/favicon.ico"):
        client.get(path, headers=READS)

    assert seen() == []


@pytest.mark.parametrize(
    ("referrer", "kept"),
    [
        ("https://news.example/item?id=1&who=me", "news.example"),
        ("https://blog.example/other", None),
        ("http://localhost/", None),
        ("https://[broken", None),
        ("about:blank", None),
        ("", None),
    ],
)
def test_only_the_host_of_the_referrer_is_stored(
    client: FlaskClient, a_post: Make, referrer: str, kept: str | None
) -> None:
    a_post(live=True, slug="one")
    client.get("/one", headers=READS | {"Referer": referrer})

    (view,) = seen()
    assert view.referrer == kept
