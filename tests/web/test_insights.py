"""Insights: figures against the period before, drawn, and each with its table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.analytics.page_views import record_view
from blogsvc.models import Person, Post, transaction
from blogsvc.web.charts import change, chart, round_up
from tests.clock import NOW, Time
from tests.web.page_walk import Pages


def read(post: Post, times: int, time: Time, *, referrer: str | None = None) -> None:
    for number in range(times):
        record_view(post.id, f"192.0.2.{number}", "a browser", referrer, True, time())


def test_views_are_told_against_the_period_before(pages: Pages, a_post: Callable[..., Post], time: Time) -> None:
    post = a_post(live=True, title="The ferry")
    read(post, 4, time)
    time.passes(days=10)
    read(post, 6, time, referrer="news.example")
    page = pages.get("/desk/insights?days=7").text
    assert '<dd class="num">6</dd><dd class="note num">+50 %' in page
    assert "news.example" in page
    page = pages.get("/desk/insights?days=30").text
    assert '<dd class="num">10</dd>' in page
    assert "The ferry" in page


def test_a_chart_has_a_table_with_its_numbers(pages: Pages, a_post: Callable[..., Post], time: Time) -> None:
    read(a_post(live=True), 3, time)
    page = pages.get("/desk/insights").text
    assert f'<th scope="row">{NOW.day} Nov</th><td class="num">3</td><td class="num">0</td>' in page


def test_a_post_has_its_own(pages: Pages, a_post: Callable[..., Post], time: Time) -> None:
    one, other = a_post(live=True, title="One"), a_post(live=True, title="Other")
    read(one, 2, time)
    read(other, 5, time)
    page = pages.get(f"/desk/insights/{one.id}").text
    assert '<dd class="num">2</dd>' in page
    assert "Other" not in page


def test_an_author_is_told_of_their_own_posts_alone(
    somebody: Callable[..., Person], browser_of: Callable[[Person], Pages], a_post: Callable[..., Post], time: Time
) -> None:
    ben = somebody("author", name="Ben")
    theirs, others = a_post(live=True, title="By Ben"), a_post(live=True, title="By Ann")
    read(others, 5, time)
    browser = browser_of(ben)
    assert "By Ann" not in browser.get("/desk/insights").text
    assert browser.get(f"/desk/insights/{others.id}").status_code == 404
    with transaction():
        Post.get(theirs.id).author_id = ben.id
    read(theirs, 1, time)
    page = browser.get("/desk/insights").text
    assert "By Ben" in page
    assert "By Ann" not in page


def test_htmx_is_answered_the_part_that_the_page_holds(pages: Pages) -> None:
    fragment = pages.fragment("/desk/insights?days=7").text
    assert fragment.strip().startswith('<div id="insights"')
    assert fragment.strip() in pages.get("/desk/insights?days=7").text


def test_a_range_that_there_is_not_is_the_usual_one(pages: Pages) -> None:
    assert pages.get("/desk/insights?days=1000000").status_code == 200


@pytest.mark.parametrize(("count", "top"), [(1, 1), (3, 5), (10, 10), (11, 20), (501, 1000), (7_000_000, 10_000_000)])
def test_an_axis_ends_at_a_number_that_is_good_to_read(count: int, top: int) -> None:
    assert round_up(count) == top


@pytest.mark.parametrize(
    ("now", "before", "words"),
    [
        (12, 10, "+20 %"),
        (5, 10, "−50 %"),
        (10, 10, "no change"),
        (3, 0, "none in the previous period"),
        (0, 0, None),
        (None, 3, None),
    ],
)
def test_a_change_is_said_in_words(now: int | None, before: int | None, words: str | None) -> None:
    assert change(now, before) == words


def test_a_column_reaches_as_far_up_as_it_counts() -> None:
    drawn = chart([("a", 5), ("b", 10)], [10, 0])
    assert [(column.y, column.height) for column in drawn.columns] == [(50.0, 50.0), (0.0, 100.0)]
    assert drawn.line == "5,0 15,100"
