"""A page with the slug 404 replaces the text at addresses that do not exist."""

from __future__ import annotations

from collections.abc import Callable

from flask.testing import FlaskClient

from blogsvc.models import Post
from blogsvc.posts import editing, publishing
from blogsvc.redirects import manage
from tests.blog.reading import attributes, parse_page, text
from tests.clock import Time

Make = Callable[..., Post]
DEFAULT = "Nothing at this address"


def main_of(client: FlaskClient, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 404
    return text(next(parse_page(answer.text).iter("main")))


def test_its_title_and_content_replace_the_default_text(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="ferries", title="Ferries")
    assert DEFAULT in main_of(client, "/ferry")
    a_post(live=True, kind="page", slug="404", title="Lost at sea", content="Try the *harbour*.")

    shown = main_of(client, "/ferry")
    assert "Lost at sea Try the harbour." in shown
    assert DEFAULT not in shown
    page = parse_page(client.get("/ferry").text)
    assert attributes(page, "form", role="search")
    assert attributes(page, "a", href="/ferries")
    assert attributes(page, "meta", name="robots")[0]["content"] == "noindex"
    assert "Lost at sea · " in text(next(page.iter("title")))


def test_it_has_no_address_and_is_in_no_list(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, kind="page", slug="404", title="Lost at sea", content="Xylophone.")
    assert "Lost at sea" in main_of(client, "/404")
    for path in ("/", "/archive", "/feed.xml", "/feed.json", "/rss.xml", "/sitemap.xml", "/search?q=xylophone"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "Lost at sea" not in answer.text
        assert "example/404" not in answer.text


def test_it_follows_the_page_at_once(client: FlaskClient, a_post: Make, time: Time) -> None:
    page = a_post(kind="page", slug="404", title="Lost at sea")
    assert DEFAULT in main_of(client, "/nothing")
    publishing.publish(page, time())
    assert "Lost at sea" in main_of(client, "/nothing")
    editing.edit(page, {"title": "Off the map"}, None, time())
    assert "Lost at sea" in main_of(client, "/nothing")  # until it is published
    publishing.publish(page, time())
    assert "Off the map" in main_of(client, "/nothing")

    editing.edit(page, {"slug": "found"}, None, time())
    publishing.publish(page, time())
    assert DEFAULT in main_of(client, "/nothing")
    assert client.get("/404").location == "/found"
    assert client.get("/found").status_code == 200
    assert attributes(parse_page(client.get("/search?q=map").text), "a", href="/found")

    publishing.unpublish(page, time())
    assert DEFAULT in main_of(client, "/nothing")


def test_a_post_with_this_slug_stays_a_post(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="404", title="The story of a status code")
    assert client.get("/404").status_code == 200
    assert "The story" in client.get("/").text
    assert DEFAULT in main_of(client, "/nothing")


def test_an_address_that_is_gone_keeps_its_own_text(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, kind="page", slug="404", title="Lost at sea")
    manage.create("/old", None, 410, "https://blog.example")
    answer = client.get("/old")
    assert answer.status_code == 410
    assert "Lost at sea" not in answer.text
