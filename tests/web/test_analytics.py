"""Analytics: figures compared with the previous period, in charts with tables."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from blogsvc.analytics.page_views import record_view
from blogsvc.connectors.base import Figures
from blogsvc.models import Connection, CopyStats, Post, User, db, transaction
from blogsvc.web.analytics.charts import Point, chart, round_up
from blogsvc.web.analytics.comparison import change
from blogsvc.web.analytics.pages import MAX_ROWS
from blogsvc.web.analytics.tables import duration, percent
from tests.clock import NOW, Time
from tests.web.page_walk import Pages


def add_views(post: Post, times: int, time: Time, *, referrer: str | None = None) -> None:
    for number in range(times):
        record_view(post.id, f"192.0.2.{number}", "a browser", referrer, True, time())


def test_views_are_compared_with_the_previous_period(pages: Pages, a_post: Callable[..., Post], time: Time) -> None:
    post = a_post(live=True, title="The ferry")
    add_views(post, 4, time)
    time.passes(days=10)
    add_views(post, 6, time, referrer="news.example")
    page = pages.get("/desk/analytics?days=7").text
    assert '<dd class="num">6</dd>\n<dd class="note num">2 more' in page
    assert "news.example" in page
    page = pages.get("/desk/analytics?days=30").text
    assert '<dd class="num">10</dd>' in page
    assert "The ferry" in page


def test_readers_who_came_from_a_destination_came_from_its_name_for_people(
    pages: Pages, connect: Callable[..., str], a_post: Callable[..., Post], time: Time
) -> None:
    connect("webhook")
    with transaction():
        Connection.named("webhook").account_url = "https://social.example/in"
    add_views(a_post(live=True), 2, time, referrer="social.example")
    page = pages.get("/desk/analytics").text
    assert re.search(r'<th scope="row">\s*Webhook <span class="note">destination</span>', page)


def test_a_chart_has_a_table_with_its_numbers(pages: Pages, a_post: Callable[..., Post], time: Time) -> None:
    add_views(a_post(live=True), 3, time)
    page = pages.get("/desk/analytics").text
    assert (
        f'<th scope="row">{NOW.day} Nov {NOW.year}, so far</th><td class="num">3</td>\n<td class="num">0</td>' in page
    )


def test_a_post_has_its_own_analytics(pages: Pages, a_post: Callable[..., Post], time: Time) -> None:
    one, other = a_post(live=True, title="One"), a_post(live=True, title="Other")
    add_views(one, 2, time)
    add_views(other, 5, time)
    page = pages.get(f"/desk/analytics/{one.id}").text
    assert '<dd class="num">2</dd>' in page
    assert "Other" not in page


def test_an_author_sees_only_analytics_of_their_own_posts(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages], a_post: Callable[..., Post], time: Time
) -> None:
    ben = somebody("author", name="Ben")
    theirs, others = a_post(live=True, title="By Ben"), a_post(live=True, title="By Ann")
    add_views(others, 5, time)
    browser = browser_of(ben)
    assert "By Ann" not in browser.get("/desk/analytics").text
    assert browser.get(f"/desk/analytics/{others.id}").status_code == 404
    with transaction():
        Post.get(theirs.id).author_id = ben.id
    add_views(theirs, 1, time)
    page = browser.get("/desk/analytics").text
    assert "By Ben" in page
    assert "By Ann" not in page


def test_the_posts_on_the_page_are_those_read_most_here_and_elsewhere(
    pages: Pages, connect: Callable[..., str], a_post: Callable[..., Post], tick: Callable[[], None], time: Time
) -> None:
    for number in range(1, MAX_ROWS + 2):
        add_views(a_post(live=True, title=f"Post {number}"), number, time)
    platforms = ["site", connect("hook")]
    elsewhere, everywhere = (a_post(live=True, title=title, platforms=platforms) for title in ("Shared", "Also shared"))
    tick()
    with transaction():
        for post, views in ((elsewhere, 100), (everywhere, 1)):
            copy = Post.get(post.id).delivery_to("hook")
            assert copy is not None
            db.session.add(CopyStats.of(copy.id, Figures(views=views), time()))
    add_views(everywhere, 13, time)
    listed = re.findall(r'days=30">([^<]+)</a>', pages.get("/desk/analytics").text)
    assert listed == ["Shared", "Also shared", *(f"Post {number}" for number in range(13, 3, -1))]


def test_an_htmx_request_returns_only_the_analytics_fragment(pages: Pages) -> None:
    fragment = pages.fragment("/desk/analytics?days=7").text
    assert fragment.strip().startswith('<div id="analytics"')
    assert fragment.strip() in pages.get("/desk/analytics?days=7").text


def test_an_unknown_range_falls_back_to_the_default(pages: Pages) -> None:
    assert pages.get("/desk/analytics?days=1000000").status_code == 200


@pytest.mark.parametrize(("count", "top"), [(1, 1), (3, 5), (10, 10), (11, 20), (501, 1000), (7_000_000, 10_000_000)])
def test_a_chart_axis_ends_at_a_round_number(count: int, top: int) -> None:
    assert round_up(count) == top


@pytest.mark.parametrize(
    ("now", "before", "words"),
    [
        (12, 10, "+20 %"),
        (5, 10, "−50 %"),
        (10, 10, "no change"),
        (1001, 1000, "almost no change"),
        (3, 1, "2 more"),
        (8, 9, "1 fewer"),
        (5000, 4, "4,996 more"),
        (3, 0, "none in the previous period"),
        (0, 0, None),
        (None, 3, None),
    ],
)
def test_a_change_is_described_in_words(now: int | None, before: int | None, words: str | None) -> None:
    assert change(now, before) == words


def test_chart_columns_are_proportional_to_their_values() -> None:
    drawn = chart([Point("a", "a", 5), Point("b", "b", 10)], [10, 0])
    assert [(column.y, column.height) for column in drawn.columns] == [(50.0, 50.0), (0.0, 100.0)]
    assert drawn.line == "5,0 15,100"


def test_the_axes_of_a_chart_have_whole_numbers_and_few_dates() -> None:
    days = [Point(f"{day} Nov", "", 5) for day in range(1, 31)]
    drawn = chart(days)
    assert drawn.ticks == [5, 0]
    assert [(label.text, label.anchor) for label in drawn.labels] == [
        ("6 Nov", "middle"),
        ("14 Nov", "middle"),
        ("22 Nov", "middle"),
        ("30 Nov", "end"),
    ]
    assert chart([Point("", "", 15)]).ticks == [20, 10, 0]


@pytest.mark.parametrize(
    ("count", "total", "words"),
    [(0, 0, "–"), (3, 3, "100 %"), (0, 3, "0 %"), (2, 3, "66.7 %"), (99_999, 100_000, "99.9 %"), (1, 9999, "0.1 %")],
)
def test_a_success_rate_is_all_or_nothing_only_if_it_really_is(count: int, total: int, words: str) -> None:
    assert percent(count, total) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0 s"),
        (0.42, "0.4 s"),
        (9.96, "10 s"),
        (59.6, "59 s"),
        (61.2, "1 min 1 s"),
        (119.9, "1 min 59 s"),
        (3660, "1 h 1 min"),
        (180_000, "2 d 2 h"),
    ],
)
def test_a_lateness_is_a_duration_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words
