"""The tag index and the archive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from xml.etree.ElementTree import Element

import pytest
from flask.testing import FlaskClient

from blogsvc.blog.overviews import MOST_ON_ONE_PAGE
from blogsvc.models import Post, transaction
from blogsvc.posts import editing, publishing, trash
from tests.blog.reading import attributes, classed, parse_page, text
from tests.clock import NOW, Time

Make = Callable[..., Post]
ODD_TAGS = ("a/b", "🦊", "..", "what?", "C#", "50%", "a//b", "<b>&", ".", "%2F")


def rows(page: Element) -> list[str]:
    return [text(row) for row in next(page.iter("main")).iter("li")]


def published(a_post: Make, *dates: str) -> None:
    for date in dates:
        a_post(live=True, title=f"Of {date}", dated_at=datetime.fromisoformat(date).replace(tzinfo=UTC))


def test_the_index_has_the_tags_that_readers_see_with_counts(client: FlaskClient, a_post: Make, time: Time) -> None:
    a_post(live=True, tags=["ink", "paper"])
    a_post(live=True, tags=["ink"])
    a_post(tags=["draft"])
    edited = a_post(live=True, tags=["before"])
    editing.edit(edited, {"tags": ["after"]}, None, time.now)
    publishing.unpublish(a_post(live=True, tags=["unpublished"]), time.now)
    trash.discard(a_post(live=True, tags=["trashed"]), time.now)
    publishing.schedule(a_post(tags=["scheduled"]), time.now.replace(year=2027), time.now)

    page = parse_page(client.get("/tags").text)
    assert rows(page) == ["before 1", "ink 2", "paper 1"]
    publishing.publish(edited, time.now)
    assert rows(parse_page(client.get("/tags").text))[0] == "after 1"


def test_tags_are_sorted_without_case_and_accents_below_their_initials(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, tags=["zebra", "Écriture", "eagle", "apple", "Ångström", "2026", "🦊", "ink", "Ink pads"])
    page = parse_page(client.get("/tags").text)

    names = [row.removesuffix(" 1") for row in rows(page)]
    assert names == ["Ångström", "apple", "eagle", "Écriture", "ink", "Ink pads", "zebra", "🦊", "2026"]
    assert [text(heading) for heading in page.iter("h2")] == ["A", "E", "I", "Z", "#"]


def test_every_tag_of_the_index_has_its_page(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, tags=list(ODD_TAGS))
    main = next(parse_page(client.get("/tags").text).iter("main"))
    links = {text(link): link.get("href") for link in main.iter("a")}

    assert set(links) == set(ODD_TAGS)
    for tag, address in links.items():
        answer = client.get(address)
        assert (answer.status_code, tag in text(next(parse_page(answer.text).iter("h1")))) == (200, True), tag


DATES = ("2024-03-01", "2024-03-31", "2024-12-31T23:59", "2022-07-01", "2025-01-01T00:00", "2025-08-08")


def years_of(page: Element) -> dict[str, str | None]:
    years = next(nav for nav in page.iter("nav") if nav.get("aria-label") == "Years")
    return {text(link): link.get("href") for link in years.iter("a")}


def canonical_of(page: Element) -> str:
    return str(attributes(page, "link", rel="canonical")[0]["href"])


def test_the_archive_has_all_years_with_counts_and_their_posts_by_month(client: FlaskClient, a_post: Make) -> None:
    published(a_post, *DATES)
    page = parse_page(client.get("/archive").text)

    assert years_of(page) == {"2025 · 2": "#l-2025", "2024 · 3": "#l-2024", "2022 · 1": "#l-2022"}
    assert [text(heading) for heading in page.iter("h2")] == ["2025 2 posts", "2024 3 posts", "2022 1 post"]
    assert [text(heading) for heading in page.iter("h3")] == ["August", "January", "December", "March", "July"]
    months = classed(page, "months")
    assert [text(post) for post in months[0].iter("li")] == ["8 Of 2025-08-08", "1 Of 2025-01-01T00:00"]
    assert "6 posts since July 2022" in text(page)
    assert canonical_of(page) == "https://blog.example/archive"


def test_a_long_archive_shows_the_newest_year(client: FlaskClient, a_post: Make) -> None:
    published(a_post, *DATES, *["2024-05-05"] * (MOST_ON_ONE_PAGE - 5))
    page = parse_page(client.get("/archive").text)

    assert years_of(page) == {"2025 · 2": "/archive/2025", "2024 · 498": "/archive/2024", "2022 · 1": "/archive/2022"}
    assert [text(post) for post in classed(page, "months")[0].iter("li")] == [
        "8 Of 2025-08-08",
        "1 Of 2025-01-01T00:00",
    ]
    assert [link["href"] for link in attributes(page, "a", rel="next")] == ["/archive/2024"]
    assert text(next(parse_page(client.get("/archive/2025").text).iter("main"))) == text(next(page.iter("main")))
    for path in ("/archive", "/archive/2025"):
        assert canonical_of(parse_page(client.get(path).text)) == "https://blog.example/archive/2025"


def test_the_archive_draws_how_many_posts_each_month_has(client: FlaskClient, a_post: Make) -> None:
    published(a_post, *DATES, *["2024-05-05"] * 18)
    (path,) = parse_page(client.get("/archive").text).iter("{http://www.w3.org/2000/svg}path")
    drawn = str(path.get("d"))
    assert drawn.startswith("M0 72L0 ")
    assert drawn.count("C") == 43  # from January 2022 to August 2025


@pytest.mark.parametrize("dates", [DATES, ["2025-01-01"] * 24])
def test_few_posts_and_few_months_make_no_curve(client: FlaskClient, a_post: Make, dates: Sequence[str]) -> None:
    published(a_post, *dates)
    assert "<svg" not in client.get("/archive").text


def test_the_curve_of_a_long_history_stays_small(client: FlaskClient, a_post: Make) -> None:
    published(a_post, *["1900-01-01"] * 22, "1950-06-01", "2025-08-08")
    (path,) = parse_page(client.get("/archive").text).iter("{http://www.w3.org/2000/svg}path")
    assert len(str(path.get("d"))) < 12_000


def test_a_post_without_a_title_has_its_first_words_in_the_archive(client: FlaskClient, a_post: Make) -> None:
    post = a_post(live=True, content="Just a note.")
    with transaction():
        post.live_revision().title = " "
    assert rows(parse_page(client.get("/archive").text)) == ["24 Just a note."]


def test_a_year_of_the_archive_leads_to_its_neighbours(client: FlaskClient, a_post: Make) -> None:
    published(a_post, "2024-03-01", "2024-12-31T23:59", "2022-07-01", "2025-01-01")
    page = parse_page(client.get("/archive/2024").text)

    assert [text(heading) for heading in page.iter("h3")] == ["December", "March"]
    assert [heading.get("id") for heading in page.iter("h3")] == ["12", "03"]
    assert [link["href"] for link in attributes(page, "a", rel="prev")] == ["/archive/2025"]
    assert [link["href"] for link in attributes(page, "a", rel="next")] == ["/archive/2022"]
    assert not attributes(parse_page(client.get("/archive").text), "a", rel="prev")
    assert not attributes(parse_page(client.get("/archive/2022").text), "a", rel="next")


@pytest.mark.parametrize("path", ["2019", "0000", "9999", "24", "02024", "-2024", "2024x", "2024/1/2/3"])
def test_an_unknown_year_is_not_found(client: FlaskClient, a_post: Make, path: str) -> None:
    published(a_post, "2024-03-01", "2021-03-01")
    assert client.get(f"/archive/{path}").status_code == 404


def test_a_year_without_posts_any_more_is_not_found(client: FlaskClient, a_post: Make, time: Time) -> None:
    post = a_post(live=True)
    assert client.get("/archive/2026").status_code == 200
    publishing.unpublish(post, time.now)
    assert client.get("/archive/2026").status_code == 404


def test_a_former_address_of_the_archive_leads_to_the_year_of_its_post(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="old", dated_at=NOW.replace(year=2021))
    a_post(live=True, slug="new")
    client.get("/archive")  # so that its response is stored

    answer = client.get("/archive?before=old")
    assert (answer.status_code, answer.location) == (301, "/archive/2021")
    assert client.get("/archive?before=none").status_code == 404
    assert client.get("/archive?before=%00").status_code == 404


def test_the_addresses_of_other_blogs_lead_to_the_year_and_month(client: FlaskClient, a_post: Make) -> None:
    published(a_post, "2024-03-01", "2020-12-31T23:00")
    for path, target in {
        "/2024": "/archive/2024",
        "/2024/03/": "/archive/2024#03",
        "/archive/2024/": "/archive/2024",
        "/archive/2024/03": "/archive/2024#03",
        "/2021/01/01/": "/archive/2020#12",  # in its own time zone
    }.items():
        assert client.get(path).location == target, path
    assert client.get("/2019/").status_code == 404


def test_the_overviews_are_linked_and_in_the_sitemap(client: FlaskClient, a_post: Make) -> None:
    published(a_post, "2024-03-01", "2025-03-01")
    assert attributes(next(parse_page(client.get("/").text).iter("footer")), "a", href="/tags")
    assert attributes(next(parse_page(client.get("/archive").text).iter("main")), "a", href="/tags")
    sitemap = client.get("/sitemap.xml").text
    for path in ("/tags", "/archive/2024", "/archive/2025"):
        assert f"<loc>https://blog.example{path}</loc>" in sitemap
