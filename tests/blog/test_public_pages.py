"""The public pages and their addresses."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from blogsvc.context import Tools
from blogsvc.models import Delivery, Post, Setting, transaction
from blogsvc.posts import editing, publishing, trash
from tests.blog.reading import HOSTILE, attributes, classed, gzipped, parse_page, publish_unchecked, text
from tests.clock import NOW, Time
from tests.outside import Outside

Make = Callable[..., Post]


def test_a_draft_is_not_public(client: FlaskClient, a_post: Make) -> None:
    a_post(title="A draft", slug="a-draft")

    assert client.get("/a-draft").status_code == 404
    assert "A draft" not in client.get("/").text


@pytest.mark.parametrize("head", ["---\nNote: keep this line.\n---\n", '---\ntitle: "keep this line."\n---\n'])
def test_text_that_an_author_typed_between_rules_is_shown(client: FlaskClient, a_post: Make, head: str) -> None:
    a_post(live=True, slug="rules", content=f"{head}Body.")

    assert all("keep this line." in client.get(page).text for page in ("/rules", "/feed.xml"))


def test_a_scheduled_post_is_not_public(client: FlaskClient, a_post: Make, time: Time) -> None:
    post = a_post(title="Later", slug="later")
    publishing.schedule(post, time.now.replace(year=2027), time.now)

    assert client.get("/later").status_code == 404
    assert not any("Later" in client.get(page).text for page in ("/", "/archive", "/feed.xml", "/sitemap.xml"))


def test_an_edit_of_a_published_post_shows_once_it_is_published_again(
    client: FlaskClient, a_post: Make, time: Time
) -> None:
    post = a_post(live=True, title="Old title", slug="words", tags=["old"])
    editing.edit(post, {"title": "New title", "content": "New.", "tags": ["new"]}, None, time.passes(minutes=1))

    for page in ("/words", "/", "/archive", "/feed.xml", "/feed.json", "/tag/old"):
        assert "Old title" in client.get(page).text
        assert "New title" not in client.get(page).text
    assert client.get("/tag/new").status_code == 404

    publishing.publish(post, time.passes(minutes=1))
    for page in ("/words", "/", "/archive", "/feed.xml", "/feed.json", "/tag/new"):
        assert "New title" in client.get(page).text
        assert "Old title" not in client.get(page).text
    assert client.get("/tag/old").status_code == 404


@pytest.mark.parametrize("takes_down", [publishing.unpublish, trash.discard])
def test_an_unpublished_or_deleted_post_disappears_everywhere(
    client: FlaskClient, a_post: Make, time: Time, takes_down: Callable[..., object]
) -> None:
    post = a_post(live=True, title="Regretted", slug="regretted", tags=["regret"])
    assert client.get("/regretted").status_code == 200

    takes_down(post, time.passes(minutes=1))
    assert client.get("/regretted").status_code == 404
    assert client.get("/tag/regret").status_code == 404
    assert not any("Regretted" in client.get(page).text for page in ("/", "/archive", "/feed.xml", "/sitemap.xml"))


def test_a_former_slug_redirects_to_the_current_one(client: FlaskClient, a_post: Make, time: Time) -> None:
    post = a_post(live=True, slug="before")
    editing.edit(post, {"slug": "after"}, None, time.now)
    assert client.get("/before").status_code == 200
    assert client.get("/after").status_code == 404  # not published under it yet

    publishing.publish(post, time.now)
    answer = client.get("/before")
    assert (answer.status_code, answer.location) == (301, "/after")
    assert "no-cache" in answer.headers["Cache-Control"]
    assert client.get("/after").status_code == 200

    editing.edit(post, {"slug": "before"}, None, time.now)  # a draft with the old slug changes nothing for readers
    editing.edit(post, {"slug": "third"}, None, time.now)
    assert client.get("/before").location == "/after"


@pytest.mark.parametrize("path", ["/company-sold", "/archive?before=company-sold"])
def test_a_slug_that_only_a_draft_had_is_no_address(client: FlaskClient, a_post: Make, time: Time, path: str) -> None:
    for title in ("Other", "Another"):
        a_post(live=True, title=title)
    post = a_post(live=True, slug="trees")
    for slug in ("company-sold", "trees-grow"):
        editing.edit(post, {"slug": slug}, None, time.now)
        assert client.get(path).status_code == 404
    publishing.publish(post, time.now)
    assert client.get(path).status_code == 404
    assert client.get("/trees").location == "/trees-grow"


@pytest.mark.parametrize("path", ["/", "/archive", "/tag/ink"])
def test_a_list_tells_nothing_of_posts_that_are_not_public(
    client: FlaskClient, a_post: Make, time: Time, path: str
) -> None:
    for slug in ("oldest", "shown"):
        a_post(live=True, slug=slug, tags=["ink"])
        time.passes(minutes=1)
    editing.edit(a_post(live=True, slug="renamed", tags=["ink"]), {"slug": "next-name"}, None, time.now)
    publishing.unpublish(a_post(live=True, slug="unpublished", tags=["ink"]), time.now)
    trash.discard(a_post(live=True, slug="trashed", tags=["ink"]), time.now)
    publishing.schedule(a_post(slug="scheduled", tags=["ink"]), time.now.replace(year=2027), time.now)

    shown = 301 if path == "/archive" else 200  # the archive leads to the year
    assert [client.get(f"{path}?before={slug}").status_code for slug in ("shown", "renamed")] == [shown, shown]
    for slug in ("next-name", "unpublished", "trashed", "scheduled", "nothing"):
        assert client.get(f"{path}?before={slug}").status_code == 404, slug


@pytest.mark.parametrize("path", ["/nothing", "/a/b/c", "/tag/none", "/?before=nothing", "/%00", "/tag/%00", "/tag/"])
def test_an_unknown_address_shows_a_404_page(client: FlaskClient, path: str) -> None:
    answer = client.get(path)

    assert answer.status_code == 404
    assert text(next(parse_page(answer.text).iter("h1"))) == "Nothing at this address"


def test_an_unknown_api_path_returns_a_problem_document(client: FlaskClient) -> None:
    answer = client.get("/api/v1/nothing")

    assert answer.status_code == 404
    assert answer.mimetype == "application/problem+json"


def test_an_empty_blog_has_all_its_pages(client: FlaskClient) -> None:
    for page, words in (("/", "No posts yet."), ("/archive", "No posts yet."), ("/tags", "No tags yet.")):
        assert words in text(parse_page(client.get(page).text))


def test_lists_are_paged_with_links_in_both_directions(client: FlaskClient, a_post: Make, time: Time) -> None:
    for number in range(45):
        time.passes(minutes=number % 2)  # some at the same instant
        a_post(live=True, title=f"Post number {number}")
    wanted = [f"Post number {number}" for number in reversed(range(45))]

    seen, addresses, address = [], [], "/"
    while address:
        addresses.append(address)
        page = parse_page(client.get(address).text)
        seen += [text(classed(entry, "p-name")[0]) for entry in classed(page, "entry")]
        address = next((link["href"] for link in attributes(page, "a", rel="next")), "")
    assert seen == wanted
    assert len(addresses) == 3

    page = parse_page(client.get(addresses[-1]).text)
    assert [link["href"] for link in attributes(page, "a", rel="prev")] == [addresses[1]]
    page = parse_page(client.get(addresses[1]).text)
    assert [link["href"] for link in attributes(page, "a", rel="prev")] == ["/"]


def test_a_post_links_to_its_neighbors_and_to_related_posts(client: FlaskClient, a_post: Make, time: Time) -> None:
    for slug, tags in (("one", ["ink"]), ("two", ["ink", "paper"]), ("three", ["paper", "ink"]), ("four", ["glue"])):
        time.passes(days=1)
        a_post(live=True, slug=slug, title=slug, tags=tags)
    page = parse_page(client.get("/two").text)

    assert attributes(page, "link", rel="prev")[0]["href"] == "/one"
    assert attributes(page, "link", rel="next")[0]["href"] == "/three"
    (related,) = page.iter("aside")
    assert [link["href"] for link in attributes(related, "a")] == ["/three", "/one"]


def test_a_post_is_an_h_entry_with_links_to_its_copies(client: FlaskClient, a_post: Make, time: Time) -> None:
    post = a_post(live=True, title="Marked up", slug="marked", tags=["ink & paper"], summary="In short.")
    with transaction():
        copy = Delivery.to(post, "mastodon", None, time.now)
        copy.state, copy.url, copy.copy_revision_id = "delivered", "https://social.example/1", post.live_revision_id
        other = Delivery.to(post, "wordpress", None, time.now)
        other.state, other.url, other.copy_revision_id = "delivered", "https://wp.example/1", post.live_revision_id
        closed = Delivery.to(post, "slack", None, time.now)
        closed.state, closed.url, closed.copy_revision_id = (
            "delivered",
            "https://a.slack.example/1",
            copy.copy_revision_id,
        )
        never = Delivery.to(post, "devto", None, time.now)
        never.state, never.url = "failed", "https://never.example/1"
    page = parse_page(client.get("/marked").text)

    (entry,) = classed(page, "h-entry")
    assert text(classed(entry, "p-name")[0]) == "Marked up"
    assert text(classed(entry, "e-content")[0]) == "Some words."
    assert text(classed(entry, "p-summary")[0]) == "In short."
    assert classed(entry, "dt-published")[0].get("datetime") == "2026-11-24T09:00:00Z"
    assert classed(entry, "u-url")[0].get("href") == "/marked"
    assert [link.get("href") for link in classed(entry, "u-syndication")] == [
        "https://social.example/1",
        "https://wp.example/1",
    ]
    rows = {text(section) for section in classed(entry, "rows")[0].iter("section")}
    assert {"Discuss on Mastodon", "Also on WordPress"} <= rows
    assert classed(entry, "p-category")[0].get("href") == "/tag/ink%20%26%20paper"
    assert client.get("/tag/ink%20%26%20paper").status_code == 200


def test_the_home_page_is_an_h_feed(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, title="First")
    (feed,) = classed(parse_page(client.get("/").text), "h-feed")

    (entry,) = classed(feed, "h-entry")
    assert text(classed(entry, "p-summary")[0]) == "Some words."


def test_the_head_contains_structured_data_and_feed_links(client: FlaskClient, a_post: Make, time: Time) -> None:
    with transaction():
        Setting.write("blog_author", "Ann")
    a_post(live=True, title="</script><b>", slug="facts", content="![x](/media/p.png) Text.", tags=["ink"])
    page = parse_page(client.get("/facts").text)

    facts = json.loads(text(next(page.iter("script"))))
    assert (facts["@type"], facts["headline"], facts["author"][0]["name"]) == ("BlogPosting", "</script><b>", "Ann")
    assert facts["datePublished"] == "2026-11-24T09:00:00.000Z"
    assert attributes(page, "link", rel="canonical")[0]["href"] == "https://blog.example/facts"
    assert attributes(page, "meta", property="og:type")[0]["content"] == "article"
    assert attributes(page, "meta", property="og:image")[0]["content"] == "https://blog.example/media/p.png"
    assert {link["type"] for link in attributes(page, "link", rel="alternate")} == {
        "application/atom+xml",
        "application/feed+json",
    }


def test_a_canonical_url_elsewhere_is_used_in_the_page(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="copy", canonical_url="https://original.example/a")
    page = parse_page(client.get("/copy").text)

    assert attributes(page, "link", rel="canonical")[0]["href"] == "https://original.example/a"
    assert "/copy" not in client.get("/sitemap.xml").text


@pytest.mark.parametrize(("language", "direction"), [("ar", "rtl"), ("he-IL", "rtl"), ("az-Arab", "rtl"), ("de", None)])
def test_a_post_in_another_language_has_lang_and_dir_attributes(
    client: FlaskClient, a_post: Make, language: str, direction: str | None
) -> None:
    a_post(live=True, slug="other", language=language)
    page = parse_page(client.get("/other").text)

    (entry,) = classed(page, "h-entry")
    assert (entry.get("lang"), entry.get("dir")) == (language, direction)
    assert attributes(page, "link", hreflang=language)[0]["href"] == "https://blog.example/other"


def test_a_blog_in_a_right_to_left_language_has_dir_rtl(client: FlaskClient, a_post: Make) -> None:
    with transaction():
        Setting.write("blog_language", "ar")
    a_post(live=True, slug="own")
    page = parse_page(client.get("/own").text)

    assert (page.get("lang"), page.get("dir")) == ("ar", "rtl")


def test_hostile_text_is_escaped_on_every_page(client: FlaskClient, a_post: Make, tools: Tools) -> None:
    with transaction():
        for name in ("blog_title", "blog_description", "blog_author"):
            Setting.write(name, HOSTILE)
    words = {"title": HOSTILE, "summary": HOSTILE, "tags": [HOSTILE], "content": HOSTILE + "\n\n\x0b\x01"}
    for slug in ("one", HOSTILE.replace("/", "")):
        publish_unchecked(a_post(), NOW, slug=slug, cover_image="javascript:alert(1)", **words)
    home = parse_page(client.get("/").text)
    addresses = [link["href"] for link in attributes(home, "a", **{"class": "u-url"})]
    tag = classed(parse_page(client.get("/one").text), "p-category")[0].get("href")

    for address in ("/", "/archive", "/tags", "/nothing", "/one", tag, *addresses):
        page = parse_page(client.get(address).text)
        assert {script.get("type") for script in page.iter("script")} <= {"application/ld+json"}
        assert not any(name.startswith("on") for element in page.iter() for name in element.attrib)
        assert not [image for image in page.iter("img") if "javascript" in (image.get("src") or "")]
    for feed in ("/feed.xml", "/sitemap.xml"):
        assert "<script" not in client.get(feed).text


def test_every_page_stays_within_its_size_budget(client: FlaskClient, a_post: Make) -> None:
    sentence = "Editors corrected proofs with a *blue pencil* since no camera could see the colour of it. "
    paragraphs = (f"{sentence.replace('blue', f'blue {n}') * 5}\n\n" for n in range(19))
    a_post(live=True, slug="long", content="".join(paragraphs), tags=["ink", "paper"])
    answer = client.get("/long")
    page = parse_page(answer.text)

    assert gzipped(answer.data) < 14 * 1024
    assert not [script for script in page.iter("script") if script.get("type") != "application/ld+json"]
    assert len(attributes(page, "link", rel="stylesheet")) == 1
    with client.get(attributes(page, "link", rel="stylesheet")[0]["href"]) as style:
        assert gzipped(style.data) <= 7.5 * 1024
    assert gzipped(client.get("/nothing").data) < 3 * 1024


def test_a_page_links_to_its_copies_as_soon_as_they_exist(
    client: FlaskClient, a_post: Make, connect: Callable[..., str], outside: Outside, tick: Callable[[], None]
) -> None:
    connect("hook")
    outside.always(json={"id": "1", "url": "https://hook.example/one"})
    a_post(live=True, slug="one", platforms=["site", "hook"])
    assert "u-syndication" not in client.get("/one").text

    tick()
    assert 'href="https://hook.example/one"' in client.get("/one").text
