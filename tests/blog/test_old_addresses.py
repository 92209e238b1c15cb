"""Addresses of imported blogs lead to the right pages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event

from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.models import Author, Media, Post, Series, db, transaction
from blogsvc.models.redirect import Target, keep
from blogsvc.posts import editing, publishing, trash
from blogsvc.redirects import manage
from tests.clock import Time
from tests.images import png

Make = Callable[..., Post]


def keep_for(post: Post, *addresses: str) -> None:
    with transaction():
        keep({address: Target(post_id=post.id) for address in addresses})


def location(client: FlaskClient, address: str) -> str:
    """Follow an old address, which must lead to a page of the blog in one step, and return its path."""
    answer = client.get(address)
    assert answer.status_code == 301, f"{address}: {answer.status_code}"
    assert answer.location.startswith("/")
    assert answer.headers["Cache-Control"] == "public, no-cache"
    with client.get(answer.location) as page:
        assert page.status_code == 200, answer.location
    assert client.head(address).location == answer.location
    return str(answer.location)


@pytest.mark.parametrize(
    "path",
    [
        "/ferries/",
        "/ferries/amp/",
        "/ferries/amp",
        "/ferries/?amp=1",
        "/ferries/embed/",
        "/ferries/trackback/",
        "/ferries/feed/",  # of its comments
        "/ferries/feed/atom/",
        "/ferries/2/",  # the second part of a long post
        "/ferries/comment-page-3/",
        "/ferries.html",
        "/ferries/index.html",
        "/ferries.md",  # as Ghost offers it to machines
        "/index.php/ferries/",
        "/2020/01/ferries/",
        "/2020/01/05/ferries/",
        "/2020/01/05/ferries.html",
        "/2020/1/5/ferries/amp/",
    ],
)
def test_other_forms_of_the_address_of_a_post_lead_to_it(client: FlaskClient, a_post: Make, path: str) -> None:
    a_post(live=True, slug="ferries")
    assert location(client, path) == "/ferries"


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/rss/", "/rss.xml"),
        ("/rss", "/rss.xml"),
        ("/feed", "/feed.xml"),
        ("/feed/", "/feed.xml"),
        ("/feed/rss/", "/rss.xml"),
        ("/feed/rss2/", "/rss.xml"),
        ("/feed/rdf/", "/rss.xml"),
        ("/index.xml", "/rss.xml"),
        ("/feed/atom", "/feed.xml"),
        ("/feed/atom/", "/feed.xml"),
        ("/atom.xml", "/feed.xml"),
        ("/feed/json/", "/feed.json"),
        ("/comments/feed/", "/rss.xml"),
        ("/?feed=rss2", "/rss.xml"),
        ("/?feed=comments-rss2", "/rss.xml"),
        ("/index.php?feed=atom", "/feed.xml"),
        ("/tag/boats/", "/tag/boats"),
        ("/tag/boats/rss/", "/rss.xml"),
        ("/tag/boats/page/2/", "/tag/boats"),
        ("/tags/boats/", "/tag/boats"),
        ("/category/boats/", "/tag/boats"),
        ("/category/travel/boats/", "/tag/boats"),
        ("/category/boats/feed/", "/rss.xml"),
        ("/category/boats/feed/atom/", "/feed.xml"),
        ("/page/2/", "/archive"),
        ("/archive/", "/archive"),
        ("/2026/", "/archive/2026"),
        ("/2026/11/", "/archive/2026#11"),
        ("/2026/11/24/", "/archive/2026#11"),
        ("/sitemap.xml/", "/sitemap.xml"),
        ("/sitemap-posts.xml", "/sitemap.xml"),
        ("/wp-sitemap-posts-post-1.xml", "/sitemap.xml"),
        ("/index.php", "/"),
        ("/index.html", "/"),
        ("/amp/", "/"),
    ],
)
def test_lists_and_feeds_lead_to_those_of_this_blog(client: FlaskClient, a_post: Make, path: str, page: str) -> None:
    a_post(live=True, slug="one", tags=["boats"])
    assert location(client, path) == page


@pytest.mark.parametrize(
    "page",
    [
        *("/tag/boats", "/tag/on%2Foff", "/author/zo%C3%AB", "/series/ships", "/archive/2026"),
        *("/feed/tag/boats", "/feed/author/zo%C3%AB", "/feed/series/ships"),
    ],
)
def test_a_slash_too_many_leads_to_the_list_or_feed_without_it(
    client: FlaskClient, a_post: Make, time: Time, page: str
) -> None:
    with transaction():
        Author.of("Zoë", time.now, slug="zoë").bio = "Writes."
        Series.of("Ships", time.now)
    a_post(live=True, slug="one", tags=["boats", "on/off"], series="ships")
    manage.create("/*", "https://elsewhere.example/*", 301, "https://blog.example")
    assert location(client, f"{page}/") == page


@pytest.mark.parametrize("page", ["/series/none", "/archive/2019", "/archive/0000", "/archive/9999", "/feed/tag/none"])
def test_a_list_that_the_blog_does_not_have_leads_nowhere(client: FlaskClient, a_post: Make, page: str) -> None:
    a_post(live=True, slug="one")
    assert client.get(page).status_code == client.get(f"{page}/").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        *("/tag/none/", "/category/none/", "/tag/none/rss/", "/author/ann/", "/none/feed/", "/none/amp/"),
        *("/2019/", "/2026/13/", "/0000/", "/2026/12/", "/p/8a2f/", "/desk/none", "/wp-content/uploads/a.jpg"),
        *("/tag/", "/a/b/c", "/%00", "/" + "a" * 600, "/amp/amp/amp/amp/amp/amp", "/tag/boats?before=none"),
    ],
)
def test_an_address_that_no_page_had_is_not_found(client: FlaskClient, a_post: Make, path: str) -> None:
    a_post(live=True, slug="one", tags=["boats"])
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("fields", [{"kind": "page"}, {"is_unlisted": True}])
def test_the_date_of_a_post_that_is_not_in_the_archive_is_not_found(
    client: FlaskClient, a_post: Make, fields: dict[str, object]
) -> None:
    a_post(live=True, slug="one", **fields)
    for path in ("/2026/", "/2026/11/", "/2026/11/24/", "/archive/2026/"):
        assert client.get(path).status_code == 404, path


@pytest.mark.parametrize(
    "path",
    [
        *("//evil.example", "//evil.example/", "//evil.example/..", "/\\evil.example", "//evil.example/one/"),
        *("/one//evil.example", "/https://evil.example/", "/one/\r\nLocation: x/", "///evil.example/one/"),
        *("/.evil.example/", "/@evil.example/", "evil.example/one/"),
    ],
)
def test_a_hostile_address_never_leaves_the_blog(client: FlaskClient, a_post: Make, path: str) -> None:
    a_post(live=True, slug="one")
    answer = client.get("/", environ_overrides={"PATH_INFO": path})  # as a server hands it over, decoded
    assert answer.status_code in (400, 404), answer.location


def test_stored_addresses_lead_to_their_post_by_its_current_slug(client: FlaskClient, a_post: Make, time: Time) -> None:
    post = a_post(live=True, slug="before")
    keep_for(post, "/archives/13", "/p/8a2f-5", "/?p=13", "/2020/01/день", "/blog/?p=13")
    editing.edit(post, {"slug": "after"}, None, time.now)
    publishing.publish(post, time.now)

    old = ("/archives/13/", "/archives/13/amp/", "/p/8a2f-5/", "/?p=13", "/?p=13&utm_source=x", "/index.php?p=13")
    for address in (*old, "/2020/01/%D0%B4%D0%B5%D0%BD%D1%8C/", "/blog/?p=13"):
        assert location(client, address) == "/after"


def test_a_query_of_the_front_page_is_only_that_of_a_stored_address(client: FlaskClient, a_post: Make) -> None:
    post = a_post(live=True, slug="one")
    keep_for(post, "/?p=13")

    assert client.get("/").status_code == 200  # and is stored
    assert client.get("/?p=13").status_code == 301
    assert client.get("/?p=14").status_code == 200
    assert client.get("/?utm_source=x").status_code == 200


@pytest.mark.parametrize("takes_down", [publishing.unpublish, trash.discard])
def test_the_addresses_of_a_post_that_is_not_public_are_not_found(
    client: FlaskClient, a_post: Make, time: Time, takes_down: Callable[..., object]
) -> None:
    post = a_post(live=True, slug="one", tags=["boats"])
    keep_for(post, "/archives/13", "/?p=13")
    with transaction():
        keep({"/tag/on-boats": Target(tag="boats")})
    assert location(client, "/tag/on-boats/") == "/tag/boats"

    takes_down(post, time.passes(minutes=1))
    for address in ("/archives/13/", "/?p=13", "/one/", "/2020/01/one/", "/tag/on-boats/", "/2026/"):
        assert client.get(address).status_code == 404, address


def test_a_page_of_the_blog_wins_over_an_old_address(client: FlaskClient, a_post: Make) -> None:
    old, new = a_post(live=True, slug="old"), a_post(live=True, slug="news")
    keep_for(old, "/news", "/archive", "/tag/boats")

    assert client.get("/news").status_code == 200
    assert location(client, "/news/") == f"/{new.slug}"
    assert client.get("/archive").status_code == 200
    assert location(client, "/tag/boats/") == "/old"


def test_old_images_and_their_sizes_lead_to_the_imported_image(client: FlaskClient, tools: Tools, app: Flask) -> None:
    media: Media = images.add(png(), "pic.png", "", tools)
    old = ("/wp-content/uploads/2020/01/pic.jpg", "/wp-content/uploads/2020/01/big-scaled.jpg")
    with transaction():
        keep({address: Target(media_id=media.id) for address in (*old, "/content/images/2020/01/pic.jpg")})

    for path in (
        "/wp-content/uploads/2020/01/pic.jpg",
        "/wp-content/uploads/2020/01/pic-300x200.jpg",
        "/wp-content/uploads/2020/01/big-1024x768.jpg",
        "/content/images/2020/01/pic.jpg",
        "/content/images/size/w600/2020/01/pic.jpg",
        "/content/images/size/w256h256/format/webp/2020/01/pic.jpg",
    ):
        assert location(client, path) == media.path
    assert client.get("/wp-content/uploads/2020/01/other-300x200.jpg").status_code == 404


def test_the_search_costs_few_queries_whatever_the_path(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True)
    client.get("/none/")  # which reads the newest posts, to suggest the closest
    searches: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if "FROM redirect" in statement or "JOIN" in statement:
            searches.append(statement)

    event.listen(db.engine, "before_cursor_execute", note)
    for path in ("/none/", "/a" * 240, "/2020/01/02/none.html/amp/feed/2/3/4", "/x-300x200.jpg", "/?p=1"):
        searches.clear()
        client.get(path)
        assert 0 < len(searches) <= 2, path


def test_the_tags_of_all_forms_of_a_path_cost_one_query(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True)
    client.get("/none/")  # which reads the newest posts, to suggest the closest
    searches: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if "FROM post_label" in statement:
            searches.append(statement)

    event.listen(db.engine, "before_cursor_execute", note)
    assert client.get("/category/travel/boats/page/2/feed/").status_code == 404
    assert len(searches) == 1
