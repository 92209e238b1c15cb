"""Series: their pages, feeds, and the place of a post in one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import Element

import feedparser
import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.errors import Invalid
from blogsvc.models import Post, Series
from blogsvc.posts import editing, publishing, series
from tests.blog.reading import attributes, classed, parse_page, text
from tests.blog.test_site_structure import linked_data
from tests.clock import Time

Make = Callable[..., Post]


@pytest.fixture
def boats(app: Flask, time: Time) -> Series:
    fields = {"title": "Boats", "description": "All about *boats*.", "cover_image": "https://a.example/boat.png"}
    return series.create(fields, time())


def page_of(client: FlaskClient, path: str) -> Element:
    return parse_page(client.get(path).text)


def parts(client: FlaskClient, path: str) -> list[str]:
    return [text(item.find(".//a")) for item in classed(page_of(client, path), "h-entry")]  # type: ignore[arg-type]


def turns(client: FlaskClient, path: str) -> list[str]:
    """Return the links to the neighbours in the series."""
    found = [nav for nav in page_of(client, path).iter("nav") if nav.get("aria-labelledby") == "l-series"]
    return [link.get("href") or "" for nav in found for turn in classed(nav, "turn") for link in turn.iter("a")]


def test_the_page_of_a_series_lists_its_parts_in_reading_order(
    client: FlaskClient, a_post: Make, boats: Series, time: Time
) -> None:
    for title, part in (("Third", 3), ("Undated", None), ("First", 1), ("Last", None)):
        a_post(live=True, title=title, series="boats", series_part=part)
        time.passes(hours=1)
    a_post(title="Draft", series="boats")
    a_post(live=True, title="Quiet", series="boats", is_unlisted=True)
    a_post(live=True, title="Other")

    assert parts(client, "/series/boats") == ["First", "Third", "Undated", "Last"]
    page = page_of(client, "/series/boats")
    assert text(next(page.iter("h1"))) == "Boats"
    assert attributes(page, "meta", name="description")[0]["content"] == "All about boats."
    assert attributes(page, "img", src="https://a.example/boat.png")
    assert "4 parts" in text(page)
    assert "More parts may follow" in text(page)
    data = linked_data(client, "/series/boats")
    assert (data["@type"], data["name"], len(data["hasPart"])) == ("CreativeWorkSeries", "Boats", 4)

    series.change(boats, {"is_complete": True})
    assert "Complete" in text(page_of(client, "/series/boats"))


def test_a_part_says_its_place_and_leads_to_its_neighbours(
    client: FlaskClient, a_post: Make, boats: Series, time: Time
) -> None:
    for number in (2, 3, 1):
        a_post(live=True, title=f"Part {number}", slug=f"boats-{number}", series="boats", series_part=number)
        time.passes(hours=1)
    assert "Boats, part 2 of 3" in text(page_of(client, "/boats-2"))
    assert turns(client, "/boats-1") == ["/boats-2"]
    assert turns(client, "/boats-2") == ["/boats-1", "/boats-3"]
    assert turns(client, "/boats-3") == ["/boats-2"]
    data = linked_data(client, "/boats-2")
    url = "https://blog.example/series/boats"
    blog, of = data["isPartOf"]
    assert (blog["@type"], data["position"]) == ("Blog", 2)
    assert of == {"@type": "CreativeWorkSeries", "@id": url, "url": url, "name": "Boats"}


def test_a_series_has_a_page_with_its_first_part_or_a_description(
    client: FlaskClient, a_post: Make, boats: Series
) -> None:
    described = boats.description
    series.change(boats, {"description": ""})  # as the title of a draft's series, which nobody may see
    assert client.get("/series/boats").status_code == client.get("/feed/series/boats").status_code == 404
    series.change(boats, {"description": described})
    assert "No posts yet." in client.get("/series/boats").text
    assert "0 parts" in client.get("/series/boats").text
    a_post(live=True, title="Alone", slug="alone", series="boats")
    assert "Boats, part 1 of 1" in text(page_of(client, "/alone"))
    assert turns(client, "/alone") == []
    assert "1 part<" in client.get("/series/boats").text


def test_a_post_outside_of_lists_has_no_place(client: FlaskClient, a_post: Make, boats: Series) -> None:
    a_post(live=True, slug="quiet", series="boats", is_unlisted=True)
    a_post(live=True, slug="about", series="boats", kind="page")
    for path in ("/quiet", "/about"):
        assert "of Boats" not in text(page_of(client, path))
        assert "position" not in linked_data(client, path)


def test_a_series_has_a_feed(client: FlaskClient, a_post: Make, boats: Series) -> None:
    a_post(live=True, title="One", series="boats")
    a_post(live=True, title="Other")
    links = attributes(page_of(client, "/series/boats"), "link", rel="alternate")
    (link,) = [one for one in links if "/series/" in one["href"]]
    feed = feedparser.parse(client.get(link["href"]).data)
    assert (feed.bozo, [entry.title for entry in feed.entries]) == (False, ["One"])
    assert feed.feed.title.startswith("Boats")
    assert client.get("/series/none").status_code == client.get("/feed/series/none").status_code == 404


def test_the_page_of_a_series_follows_what_is_published(
    client: FlaskClient, a_post: Make, boats: Series, time: Time
) -> None:
    post = a_post(live=True, title="Words", series="boats")
    editing.edit(post, {"series": None}, None, time())
    assert parts(client, "/series/boats") == ["Words"]
    publishing.publish(post, time())
    assert parts(client, "/series/boats") == []


def test_another_slug_of_a_series_moves_the_posts_along(
    client: FlaskClient, a_post: Make, boats: Series, time: Time
) -> None:
    post = a_post(live=True, title="Words", slug="words", series="boats")
    assert client.get("/series/boats").status_code == 200
    series.change(boats, {"slug": "ships", "title": "Ships"})
    assert client.get("/series/boats").location == "/series/ships"
    assert parts(client, "/series/ships") == ["Words"]
    assert "Ships, part 1 of 1" in text(page_of(client, "/words"))
    publishing.publish(post, time())
    assert (Post.get(post.id).series, Post.get(post.id).has_unpublished_changes) == ("ships", False)


def test_posts_leave_a_series_that_is_removed(client: FlaskClient, a_post: Make, boats: Series, time: Time) -> None:
    post = a_post(live=True, title="Words", slug="words", series="boats", series_part=1)
    assert "of Boats" in client.get("/words").text or "Boats" in client.get("/words").text
    series.remove(boats)
    assert client.get("/series/boats").status_code == 404
    assert "Boats" not in client.get("/words").text
    assert (Post.get(post.id).series, Post.get(post.id).series_part) == (None, None)
    series.create({"title": "Boats"}, time())
    assert parts(client, "/series/boats") == []


def test_long_and_hostile_titles_are_shown_as_text(client: FlaskClient, app: Flask, a_post: Make, time: Time) -> None:
    title = ("<script>alert(1)</script> " + "long " * 40)[:200].strip()
    row = series.create({"title": title}, time())
    a_post(live=True, slug="words", series=row.slug)
    assert text(next(page_of(client, f"/series/{row.slug}").iter("h1"))) == title
    assert title in text(page_of(client, "/words"))


def test_two_series_of_one_title_have_different_addresses(app: Flask, time: Time) -> None:
    slugs = [series.create({"title": title}, time()).slug for title in ("Boats", "BOATS", "!!!")]
    assert slugs == ["boats", "boats-2", "series"]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"title": " "}, "#/title"),
        ({"title": "x" * 201}, "#/title"),
        ({"title": "A", "slug": "A b"}, "#/slug"),
        ({"title": "A", "slug": "boats"}, "#/slug"),
        ({"title": "A", "description": "x" * 10_001}, "#/description"),
        ({"title": "A", "description": "\0"}, "#/description"),
        ({"title": "A", "cover_image": "javascript:alert(1)"}, "#/cover_image"),
    ],
)
def test_invalid_fields_of_a_series_are_refused(
    boats: Series, time: Time, fields: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(Invalid) as error:
        series.create(fields, time())
    assert [fault.pointer for fault in error.value.faults] == [pointer]


def test_a_post_can_name_only_a_series_that_exists(a_post: Make, boats: Series) -> None:
    with pytest.raises(Invalid) as error:
        a_post(series="boat")
    (fault,) = error.value.faults
    assert (fault.pointer, fault.code) == ("#/series", "unknown_series")
    assert "boats" in fault.detail


@pytest.mark.parametrize("part", [0, -1, 10_001])
def test_a_part_is_a_number_from_1_to_10000(a_post: Make, boats: Series, part: int) -> None:
    with pytest.raises(Invalid) as error:
        a_post(series="boats", series_part=part)
    assert [fault.pointer for fault in error.value.faults] == ["#/series_part"]
