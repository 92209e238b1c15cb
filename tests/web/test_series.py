"""The settings page of series, without JavaScript."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from werkzeug.test import TestResponse

from blogsvc.models import Post, Series, db
from blogsvc.posts import series
from tests.clock import Time
from tests.web.page_walk import Pages
from tests.web.test_post_details import reload_post, save

PAGE = "/desk/settings/series"
Make = Callable[..., Post]


def send(pages: Pages, action: str, **form: str) -> TestResponse:
    return pages.post(f"{PAGE}/{action}", follow=True, **form)


def test_a_series_is_added_edited_and_removed(pages: Pages, a_post: Make) -> None:
    assert "No series yet." in pages.get(PAGE).text
    assert "The series “On boats” is added." in send(pages, "new", title=" On  boats ", slug="").text
    (row,) = Series.all()
    assert (row.slug, row.title, row.is_complete) == ("on-boats", "On boats", False)
    a_post(series="on-boats")
    assert 'href="/series/on-boats"' not in pages.get(PAGE).text, "readers would not find the page"
    a_post(live=True, series="on-boats")

    assert "1 published post ·" in pages.get(PAGE).text
    assert 'value="on-boats"' in pages.get(f"{PAGE}/{row.id}").text
    cover = "https://a.example/x.png"
    send(pages, row.id, title="Boats", slug="boats", description="All *boats*.", cover_image=cover, is_complete="y")
    db.session.rollback()
    db.session.expire_all()
    row = Series.named(row.id)
    assert (row.slug, row.description, row.cover_image, row.is_complete) == ("boats", "All *boats*.", cover, True)
    page = pages.get(PAGE).text
    assert "1 published post · complete" in page
    assert 'href="/series/boats"' in page

    assert "The series “Boats” is removed. Its posts stay." in send(pages, f"{row.id}/remove").text
    assert "No series yet." in pages.get(PAGE).text


@pytest.mark.parametrize(
    ("form", "where"),
    [
        ({"title": ""}, "title-fault"),
        ({"title": "A", "slug": "A b"}, "slug-fault"),
        ({"title": "A", "cover_image": "boat.png"}, "cover_image-fault"),
        ({"title": "A", "description": "x" * 10_001}, "description-fault"),
    ],
)
def test_a_fault_is_shown_at_its_field(pages: Pages, form: dict[str, str], where: str) -> None:
    answer = send(pages, "new", **form)
    assert answer.status_code == 422
    assert f'id="{where}"' in answer.text
    assert Series.all() == []


def test_of_two_series_with_one_title_a_post_stays_in_its_own(pages: Pages, a_post: Make, time: Time) -> None:
    for slug in ("travel", "travel-2"):
        series.create({"title": "Travel", "slug": slug}, time())
    post = a_post(series="travel-2")
    save(pages, post, series="Travel", summary="Short")
    assert reload_post(post).series == "travel-2"
