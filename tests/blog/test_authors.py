"""Authors: bylines, pages and feeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import feedparser
import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.auth import accounts, users
from blogsvc.context import Tools
from blogsvc.errors import InUse, Invalid, StateConflict
from blogsvc.lib.media_names import path_of
from blogsvc.media import images
from blogsvc.models import Author, Post, Setting, transaction
from blogsvc.models.setting import site_changed
from blogsvc.posts import authors, editing, publishing
from tests.blog.reading import attributes, classed, parse_page, text
from tests.blog.test_site_structure import linked_data, titles
from tests.clock import Time
from tests.images import png

Make = Callable[..., Post]
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def two(app: Flask, time: Time) -> list[Author]:
    return [authors.create({"name": name}, time()) for name in ("Ada Lovelace", "Bo")]


def byline(page: Element) -> list[tuple[str, str | None]]:
    cards = [card for shown in classed(page, "byline") for card in classed(shown, "h-card")]
    return [(text(link), link.get("href")) for card in cards for link in card.iter("a")]


def test_a_post_names_all_its_authors_everywhere(
    client: FlaskClient, a_post: Make, two: list[Author], tools: Tools
) -> None:
    media = images.add(png(400, 300), "ada.png", "", tools)
    links = [{"label": "Mastodon", "url": "https://social.example/@ada", "is_me": True}]
    more = {"picture_id": media.id, "links": links, "fediverse": "@ada@social.example", "bio": "Wrote *programs*."}
    authors.change(two[0], more)
    a_post(live=True, title="Engines", slug="engines", authors=["bo", "ada-lovelace"])

    page = parse_page(client.get("/engines").text)
    assert byline(page) == [("Bo", "/author/bo"), ("Ada Lovelace", "/author/ada-lovelace")]
    assert [one["content"] for one in attributes(page, "meta", name="author")] == ["Bo", "Ada Lovelace"]
    assert attributes(page, "meta", name="fediverse:creator")[0]["content"] == "@ada@social.example"
    (bio,) = classed(page, "card")  # only of those that have one
    assert "Wrote programs." in text(bio)
    ada = {
        "@type": "Person",
        "name": "Ada Lovelace",
        "url": "https://blog.example/author/ada-lovelace",
        "image": f"https://blog.example{path_of(media.sizes[0]['name'])}",
        "sameAs": ["https://social.example/@ada"],
    }
    bo = {"@type": "Person", "name": "Bo", "url": "https://blog.example/author/bo"}
    assert linked_data(client, "/engines")["author"] == [bo, ada]
    (entry,) = fromstring(client.get("/feed.xml").data).iter(f"{ATOM}entry")
    assert [one.findtext(f"{ATOM}name") for one in entry.iter(f"{ATOM}author")] == ["Bo", "Ada Lovelace"]
    (item,) = client.get("/feed.json").json["items"]
    assert [one["name"] for one in item["authors"]] == ["Bo", "Ada Lovelace"]
    assert item["authors"][1]["avatar"] == ada["image"]
    assert "<dc:creator>Ada Lovelace</dc:creator>" in client.get("/rss.xml").text


def test_a_post_without_authors_is_by_the_author_of_the_blog(client: FlaskClient, a_post: Make, two: Any) -> None:
    a_post(live=True, slug="words")
    assert byline(parse_page(client.get("/words").text)) == []
    with transaction():
        Setting.write("blog_author", "The editors")
        site_changed()
    assert byline(parse_page(client.get("/words").text)) == [("The editors", "/")]


def test_an_author_has_a_page_and_a_feed_with_the_published_posts(
    client: FlaskClient, a_post: Make, two: list[Author], time: Time
) -> None:
    a_post(live=True, title="Hers", authors=["ada-lovelace"])
    a_post(live=True, title="Both", authors=["bo", "ada-lovelace"])
    a_post(live=True, title="His", authors=["bo"])
    a_post(title="Draft", authors=["ada-lovelace"])
    a_post(live=True, title="Quiet", authors=["ada-lovelace"], is_unlisted=True)

    assert set(titles(client, "/author/ada-lovelace")) == {"Hers", "Both"}
    page = parse_page(client.get("/author/ada-lovelace").text)
    (feed,) = [one for one in attributes(page, "link", rel="alternate") if "/author/" in one["href"]]
    parsed = feedparser.parse(client.get(feed["href"]).data)
    assert not parsed.bozo
    assert {entry.title for entry in parsed.entries} == {"Hers", "Both"}
    assert parsed.feed.title.startswith("Ada Lovelace")
    assert client.get("/author/nobody").status_code == client.get("/feed/author/nobody").status_code == 404


def test_an_author_without_posts_has_a_page_if_there_is_a_biography(client: FlaskClient, two: list[Author]) -> None:
    assert client.get("/author/bo").status_code == client.get("/feed/author/bo").status_code == 404
    authors.change(two[1], {"bio": "Listens."})
    assert "No posts yet." in client.get("/author/bo").text
    assert not feedparser.parse(client.get("/feed/author/bo").data).bozo


def test_the_page_of_an_author_follows_what_is_published(
    client: FlaskClient, a_post: Make, two: list[Author], time: Time
) -> None:
    post = a_post(live=True, title="Words", authors=["bo"])
    editing.edit(post, {"authors": ["ada-lovelace"]}, None, time())
    assert (titles(client, "/author/bo"), titles(client, "/author/ada-lovelace")) == (["Words"], [])
    publishing.publish(post, time())
    assert (titles(client, "/author/bo"), titles(client, "/author/ada-lovelace")) == ([], ["Words"])
    publishing.unpublish(post, time())
    assert titles(client, "/author/ada-lovelace") == []


def test_a_new_post_is_by_whoever_writes_it(client: FlaskClient, app: Flask, time: Time) -> None:
    bo = accounts.add_user("bo@example.org", "Bo B.", "correct horse battery", "author", "UTC", time())
    post = editing.create({"title": "Mine", "content": "x", "slug": "mine"}, None, time(), author_id=bo.id)
    publishing.publish(post, time())
    assert post.authors == ["bo-b"]
    assert byline(parse_page(client.get("/mine").text)) == [("Bo B.", "/author/bo-b")]


def test_two_authors_of_one_name_have_different_addresses(app: Flask, time: Time) -> None:
    assert [authors.create({"name": name}, time()).slug for name in ("Kim", "Kim", "KIM", "!!!", "李")] == [
        "kim",
        "kim-2",
        "kim-3",
        "author",
        "li",
    ]


def test_the_author_of_a_removed_user_stays_on_the_posts(client: FlaskClient, app: Flask, time: Time) -> None:
    accounts.add_user("ann@example.org", "Ann", "correct horse battery", "owner", "UTC", time())
    bo = accounts.add_user("bo@example.org", "Bo", "correct horse battery", "author", "UTC", time())
    publishing.publish(editing.create({"title": "A", "content": "x"}, None, time(), author_id=bo.id), time())
    users.remove(bo.id, time())
    assert titles(client, "/author/bo") == ["A"]
    assert Author.named("bo").user_id is None


def test_another_slug_of_an_author_moves_the_posts_along(
    client: FlaskClient, a_post: Make, two: list[Author], time: Time
) -> None:
    post = a_post(live=True, title="Words", slug="words", authors=["bo", "ada-lovelace"])
    assert client.get("/author/ada-lovelace").status_code == 200
    authors.change(two[0], {"slug": "ada"})
    assert client.get("/author/ada-lovelace").location == "/author/ada"
    assert titles(client, "/author/ada") == ["Words"]
    assert byline(parse_page(client.get("/words").text)) == [("Bo", "/author/bo"), ("Ada Lovelace", "/author/ada")]
    assert Post.get(post.id).authors == ["bo", "ada"]
    publishing.publish(post, time())
    assert not Post.get(post.id).has_unpublished_changes


def test_an_author_is_merged_into_another(client: FlaskClient, a_post: Make, two: list[Author]) -> None:
    a_post(live=True, title="Both", slug="both", authors=["bo", "ada-lovelace"])
    a_post(live=True, title="Hers", authors=["ada-lovelace"])
    assert client.get("/author/ada-lovelace").status_code == 200
    authors.merge(two[0], into=two[1])
    assert byline(parse_page(client.get("/both").text)) == [("Bo", "/author/bo")]
    assert set(titles(client, "/author/bo")) == {"Both", "Hers"}
    assert client.get("/author/ada-lovelace").location == "/author/bo"


def test_an_author_with_posts_is_not_removed(a_post: Make, two: list[Author], time: Time) -> None:
    owner = accounts.add_user("ann@example.org", "Ann", "correct horse battery", "owner", "UTC", time())
    a_post(authors=["bo"])
    with pytest.raises(InUse) as error:
        authors.remove(two[1])
    assert [title for _, title in error.value.posts] == ["A post"]
    authors.remove(two[0])
    assert [one.slug for one in Author.all() if one.user_id is None] == ["bo"]
    of_user = Author.of_user(owner.id)
    assert of_user is not None
    with pytest.raises(StateConflict, match="author of a user"):
        authors.remove(of_user)


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"name": " "}, "#/name"),
        ({"name": "x" * 101}, "#/name"),
        ({"name": "A", "slug": "A b"}, "#/slug"),
        ({"name": "A", "slug": "bo"}, "#/slug"),
        ({"name": "A", "bio": "x" * 2001}, "#/bio"),
        ({"name": "A", "fediverse": "ada"}, "#/fediverse"),
        ({"name": "A", "picture_id": "med_1"}, "#/pictureId"),
        ({"name": "A", "links": [{"label": "x", "url": "javascript:alert(1)", "is_me": True}]}, "#/links/0/url"),
        ({"name": "A", "links": [{"label": " ", "url": "https://a.example", "is_me": True}]}, "#/links/0/label"),
        ({"name": "A", "links": [{"label": "x", "url": "https://a.example", "is_me": True}] * 11}, "#/links"),
    ],
)
def test_invalid_fields_of_an_author_are_refused(
    two: list[Author], time: Time, fields: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(Invalid) as error:
        authors.create(fields, time())
    assert [fault.pointer for fault in error.value.faults] == [pointer]


def test_a_post_can_name_only_authors_that_exist(a_post: Make, two: list[Author], time: Time) -> None:
    with pytest.raises(Invalid) as error:
        a_post(authors=["bo", "adalovelace"])
    (fault,) = error.value.faults
    assert (fault.pointer, fault.code) == ("#/authors/1", "unknown_author")
    assert "ada-lovelace" in fault.detail


def test_tags_have_feeds(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, title="Gold", tags=["a/b", "gold & silver"])
    a_post(live=True, title="Other")
    for tag in ("a/b", "gold & silver"):
        page = parse_page(client.get(f"/tag/{tag}").text)
        (feed,) = [one for one in attributes(page, "link", rel="alternate") if "/feed/tag/" in one["href"]]
        parsed = feedparser.parse(client.get(feed["href"]).data)
        assert (parsed.bozo, [entry.title for entry in parsed.entries]) == (False, ["Gold"])
    assert client.get("/feed/tag/none").status_code == 404


def test_every_post_can_be_reached_from_the_feed(client: FlaskClient, a_post: Make, time: Time) -> None:
    for number in range(45):
        a_post(live=True, title=f"Post {number}", content="x" * (400_000 if number == 30 else 10))
        time.passes(minutes=1)
    seen, address = [], "/feed.xml"
    while address:
        feed = feedparser.parse(client.get(address).data)
        seen += [entry.title for entry in feed.entries]
        address = next((link.href for link in feed.feed.links if link.rel == "next"), "")
        address = address.removeprefix("https://blog.example")
    assert seen == [f"Post {number}" for number in reversed(range(45))]
