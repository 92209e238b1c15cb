"""Feeds, sitemap and robots.txt, parsed as clients parse them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any
from xml.etree import ElementTree

import feedparser
import pytest
from flask.testing import FlaskClient

from blogsvc import create_app
from blogsvc.context import Tools
from blogsvc.models import Author, Post, Setting, transaction
from blogsvc.posts import authors, editing, publishing, series, trash
from blogsvc.scheduler.maintenance import run_daily_maintenance
from tests.blog.reading import HOSTILE, publish_unchecked
from tests.clock import NOW, Time

Make = Callable[..., Post]
CONTENT = "It has a [link](/other), a ![image](/media/a.png) and a note[^1].\n\n[^1]: The note & more."


def test_the_atom_feed_contains_the_full_text_with_absolute_urls(client: FlaskClient, a_post: Make) -> None:
    with transaction():
        Setting.write("blog_author", "Ann")
    a_post(live=True, title="Ink & paper", slug="ink", content=CONTENT, tags=["ink"], language="de")
    feed = feedparser.parse(client.get("/feed.xml").data)

    assert not feed.bozo
    assert feed.version == "atom10"
    (entry,) = feed.entries
    assert (entry.title, entry.link) == ("Ink & paper", "https://blog.example/ink")
    content = entry.content[0]
    assert (content.type, content.base, content.language) == ("text/html", "https://blog.example/ink", "de")
    assert 'href="https://blog.example/other"' in content.value
    assert 'src="https://blog.example/media/a.png"' in content.value
    assert 'href="https://blog.example/ink#in-fn1"' in content.value
    assert "The note &amp; more." in content.value
    assert [tag.term for tag in entry.tags] == ["ink"]
    assert entry.published == "2026-11-24T09:00:00.000Z"


def test_a_feed_has_nothing_that_only_the_script_of_a_page_uses(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, title="Ink", slug="ink", content='## Über\n\n`data-name="x"`')
    (entry,) = feedparser.parse(client.get("/feed.xml").data).entries
    assert 'data-name="über"' in client.get("/ink").text
    assert re.findall("data-name[^<]*", entry.content[0].value) == ['data-name="x"']


def test_a_feed_entry_keeps_its_id_when_the_post_changes(client: FlaskClient, a_post: Make, time: Time) -> None:
    post = a_post(live=True, slug="before")
    (was,) = feedparser.parse(client.get("/feed.xml").data).entries
    editing.edit(post, {"slug": "after", "content": "More."}, None, time.passes(days=1))
    publishing.publish(post, time.passes(hours=1))

    (entry,) = feedparser.parse(client.get("/feed.xml").data).entries
    assert entry.id == was.id == f"tag:blog.example,2026-11-24:{post.id}"
    assert entry.link == "https://blog.example/after"
    assert entry.updated > was.updated
    assert entry.published == was.published


@pytest.mark.parametrize(
    "changes",
    [{"authors": ["ann"]}, {"is_pinned": True}, {"series": "boats"}, {"slug": "b"}, {"meta_title": "For search"}],
)
def test_a_post_is_updated_only_when_its_content_changes(
    client: FlaskClient, a_post: Make, time: Time, changes: dict[str, Any]
) -> None:
    authors.create({"name": "Ann", "slug": "ann"}, time())
    series.create({"title": "Boats", "slug": "boats"}, time())
    post = a_post(live=True, slug="a")

    def change(**fields: Any) -> str:
        editing.edit(post, fields, None, time.passes(days=1))
        publishing.publish(post, time())
        (entry,) = feedparser.parse(client.get("/feed.xml").data).entries
        return str(entry.updated)

    edited_at = change(content="Other words.")
    assert edited_at.startswith("2026-11-25")
    assert change(**changes) == edited_at
    assert change(tags=["ink"]).startswith("2026-11-27")


def test_a_page_says_updated_when_the_content_has_changed(client: FlaskClient, a_post: Make, time: Time) -> None:
    post = a_post(live=True, slug="a")
    editing.edit(post, {"is_pinned": True}, None, time.passes(days=1))
    publishing.publish(post, time())
    assert "Updated" not in client.get("/a").text
    editing.edit(post, {"title": "Another"}, None, time.passes(days=1))
    publishing.publish(post, time())
    assert 'Updated <time class="dt-updated" datetime="2026-11-26' in client.get("/a").text


def test_a_post_that_was_off_the_blog_is_updated_only_when_its_content_has_changed(
    client: FlaskClient, a_post: Make, time: Time
) -> None:
    post = a_post(live=True, slug="a")

    def updated_after(back: Callable[[Post, datetime], Post] | None, **fields: Any) -> str | None:
        """Return the date of the update, after the post was unpublished or brought back from the trash, and changed."""
        if back is None:
            publishing.unpublish(post, time.passes(days=1))
        else:
            trash.discard(post, time.passes(days=1))
            back(post, time())
        editing.edit(post, fields, None, time.passes(days=1))
        publishing.publish(post, time.passes(days=1))
        found = re.search('Updated <time class="dt-updated" datetime="(.{10})', client.get("/a").text)
        return found[1] if found else None

    for back in (None, trash.restore, trash.undo_discard):
        assert updated_after(back) is None
        assert updated_after(back, is_pinned=not post.is_pinned) is None
    changed_on = updated_after(None, title="Another title")
    assert changed_on == "2026-12-14"
    assert updated_after(trash.restore, is_pinned=not post.is_pinned) == changed_on
    assert updated_after(None, title="A post") == "2026-12-20"
    assert updated_after(trash.restore, content="Other words.") == "2026-12-23"


def test_a_feed_entry_keeps_its_id_when_the_address_of_the_blog_changes(
    client: FlaskClient, a_post: Make, tools: Tools
) -> None:
    a_post(live=True)
    run_daily_maintenance(tools)
    (was,) = feedparser.parse(client.get("/feed.xml").data).entries
    with create_app(replace(tools.config, base_url="https://new.example")).test_client() as moved:
        (entry,) = feedparser.parse(moved.get("/feed.xml").data).entries
    assert (entry.id, entry.link) == (was.id, "https://new.example/a-post")


def test_an_imported_post_keeps_the_id_that_it_had_in_feeds(client: FlaskClient, a_post: Make, time: Time) -> None:
    """Readers would show it again. WordPress has URLs as ids, in RSS and Atom; Ghost has only RSS, and other ids."""
    old = {"wordpress": "https://old.example/?p=13", "ghost": "5ddc9063c35e7700383b27e0"}
    for slug, feed_id in old.items():
        post = a_post(live=True, slug=slug)
        with transaction():
            Post.get(post.id).feed_id = feed_id
    editing.edit(post, {"content": "More."}, None, time.passes(days=1))
    publishing.publish(post, time.passes(hours=1))

    rss = ElementTree.fromstring(client.get("/rss.xml").data)
    guids = {item.findtext("link"): item.find("guid") for item in rss.iter("item")}
    for slug, feed_id in old.items():
        guid = guids[f"https://blog.example/{slug}"]
        assert guid is not None
        assert (guid.text, guid.get("isPermaLink")) == (feed_id, "false")
    assert {item["id"] for item in client.get("/feed.json").json["items"]} == set(old.values())
    in_atom = {entry.link: entry.id for entry in feedparser.parse(client.get("/feed.xml").data).entries}
    assert in_atom["https://blog.example/wordpress"] == old["wordpress"]
    assert in_atom["https://blog.example/ghost"].startswith("tag:blog.example,")


def test_the_rss_feed_contains_the_full_text_with_absolute_urls(client: FlaskClient, a_post: Make) -> None:
    with transaction():
        Setting.write("blog_author", "Ann")
    post = a_post(live=True, title="Ink & paper", slug="ink", content=CONTENT, tags=["ink"])
    answer = client.get("/rss.xml")
    feed = feedparser.parse(answer.data)

    assert answer.mimetype == "application/rss+xml"
    assert not feed.bozo
    assert feed.version == "rss20"
    (entry,) = feed.entries
    assert (entry.title, entry.link, entry.author) == ("Ink & paper", "https://blog.example/ink", "Ann")
    assert entry.id.endswith(post.id)
    assert 'src="https://blog.example/media/a.png"' in entry.content[0].value
    assert [tag.term for tag in entry.tags] == ["ink"]
    assert entry.published == "Tue, 24 Nov 2026 09:00:00 GMT"


@pytest.mark.parametrize("path", ["/feed.xml", "/rss.xml"])
def test_a_feed_has_the_cover_of_a_post(client: FlaskClient, a_post: Make, path: str) -> None:
    a_post(live=True, slug="with", cover_image="https://blog.example/media/c.png?a=1&b=2")
    a_post(live=True, slug="without", content=CONTENT)
    feed = feedparser.parse(client.get(path).data)

    assert not feed.bozo
    assert feed.namespaces["media"] == "http://search.yahoo.com/mrss/"
    covers = {entry.link.rpartition("/")[2]: entry.get("media_content", []) for entry in feed.entries}
    assert covers == {
        "with": [{"url": "https://blog.example/media/c.png?a=1&b=2", "medium": "image"}],
        "without": [],
    }


def test_the_json_feed_names_the_authors_of_a_post(client: FlaskClient, a_post: Make, time: Time) -> None:
    with transaction():
        Setting.write("blog_author", "Ann")
        Author.of("Ada", time())
        Author.of("Bo", time())
    a_post(live=True, slug="theirs", authors=["bo", "ada"])
    a_post(live=True, slug="hers")
    feed = client.get("/feed.json").json

    assert feed["authors"] == [{"name": "Ann", "url": "https://blog.example/"}]
    authors = {item["url"].rpartition("/")[2]: item["authors"] for item in feed["items"]}
    assert authors["hers"] == feed["authors"]
    assert authors["theirs"] == [
        {"name": "Bo", "url": "https://blog.example/author/bo"},
        {"name": "Ada", "url": "https://blog.example/author/ada"},
    ]


def test_an_empty_feed_is_valid(client: FlaskClient) -> None:
    feed = feedparser.parse(client.get("/feed.xml").data)

    assert not feed.bozo
    assert feed.feed.updated
    assert not feedparser.parse(client.get("/rss.xml").data).bozo
    assert client.get("/feed.json").json["items"] == []


def test_the_json_feed_contains_the_full_text(client: FlaskClient, a_post: Make) -> None:
    post = a_post(
        live=True, title="Ink & paper", slug="ink", content=CONTENT, cover_image="https://blog.example/media/c.png"
    )
    answer = client.get("/feed.json")

    assert answer.mimetype == "application/feed+json"
    feed = answer.json
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["feed_url"] == "https://blog.example/feed.json"
    (item,) = feed["items"]
    assert (item["title"], item["url"]) == ("Ink & paper", "https://blog.example/ink")
    assert item["id"].endswith(post.id)
    assert 'href="https://blog.example/other"' in item["content_html"]
    assert item["image"] == "https://blog.example/media/c.png"


def test_hostile_text_leaves_the_feeds_well_formed(client: FlaskClient, a_post: Make) -> None:
    words = {"title": HOSTILE + "\x02", "tags": [HOSTILE], "summary": HOSTILE, "content": HOSTILE + "\x0b\x1f]]>"}
    publish_unchecked(a_post(), NOW, slug="one", **words)
    feed = feedparser.parse(client.get("/feed.xml").data, sanitize_html=False)

    assert not feed.bozo
    assert feed.entries[0].tags[0].term == HOSTILE
    assert "<script" not in feed.entries[0].content[0].value
    assert client.get("/feed.json").json["items"][0]["tags"] == [HOSTILE]
    ElementTree.fromstring(client.get("/sitemap.xml").data)


def test_robots_txt_names_the_sitemap_and_disallows_the_api_and_the_dashboard(client: FlaskClient) -> None:
    lines = client.get("/robots.txt").text.splitlines()

    assert "Sitemap: https://blog.example/sitemap.xml" in lines
    assert {"User-agent: *", "Disallow: /api/", "Disallow: /desk"} <= set(lines)
