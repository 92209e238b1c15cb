"""Analytics as CSV files: safe in a spreadsheet, complete, and only for those who may see the page."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from urllib.parse import quote

import pytest

from blogsvc.models import Post, User
from blogsvc.web.analytics.csv_files import TABLES
from tests.clock import NOW, Time
from tests.web.page_walk import Pages
from tests.web.test_analytics import add_views


def rows_of(pages: Pages, path: str) -> list[list[str]]:
    with pages.get(path) as answer:
        assert answer.status_code == 200
        assert answer.content_type == "text/csv; charset=utf-8"
        return list(csv.reader(StringIO(answer.get_data().decode("utf-8-sig"))))


def test_each_table_has_a_header_and_a_file_name_with_its_days(
    pages: Pages, a_post: Callable[..., Post], time: Time
) -> None:
    post = a_post(live=True, title="The ferry")
    add_views(post, 3, time, referrer="news.example")
    for name, table in TABLES.items():
        for path in (f"/desk/analytics/csv/{name}?days=7", f"/desk/analytics/{post.id}/csv/{name}?days=7"):
            header, *rows = rows_of(pages, path)
            assert header == list(table.header)
            assert {len(row) for row in rows} == {len(header)}
    days = f"{NOW - timedelta(days=6):%Y-%m-%d}-to-{NOW:%Y-%m-%d}"
    with pages.get(f"/desk/analytics/{post.id}/csv/sources?days=7") as answer:
        assert answer.headers["Content-Disposition"] == f"attachment; filename=analytics-{post.slug}-sources-{days}.csv"
    assert rows_of(pages, "/desk/analytics/csv/post-sources")[1:] == [
        [post.id, "The ferry", "news.example", "website", "3"]
    ]
    assert rows_of(pages, "/desk/analytics/csv/days?days=90")[-1][:3] == [f"{NOW:%Y-%m-%d}", "3", "3"]


def test_the_file_of_a_post_in_another_script_is_named_after_its_slug(
    pages: Pages, a_post: Callable[..., Post]
) -> None:
    post = a_post(live=True, slug="привет")
    with pages.get(f"/desk/analytics/{post.id}/csv/sources?days=7") as answer:
        assert f"filename*=UTF-8''analytics-{quote('привет')}-sources-" in answer.headers["Content-Disposition"]
    assert f'href="/{quote("привет")}"' in pages.get(f"/desk/analytics/{post.id}").text


@pytest.mark.parametrize("title", ["=1+1", "+1", "-1", "@SUM(A1)", "＝1"])
def test_a_title_is_never_a_formula(title: str, pages: Pages, a_post: Callable[..., Post], time: Time) -> None:
    add_views(a_post(live=True, title=title), 1, time)
    assert rows_of(pages, "/desk/analytics/csv/posts")[1][1] == f"'{title}"


def test_titles_keep_their_script_commas_and_quotes(pages: Pages, a_post: Callable[..., Post], time: Time) -> None:
    title = 'מכתב, "לכותב" צעיר'
    add_views(a_post(live=True, title=title), 1, time)
    assert rows_of(pages, "/desk/analytics/csv/posts")[1][1] == title


def test_an_author_downloads_only_their_own_figures(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages], a_post: Callable[..., Post], time: Time
) -> None:
    post = a_post(live=True, title="By Ann")
    add_views(post, 5, time)
    browser = browser_of(somebody("author", name="Ben"))
    assert rows_of(browser, "/desk/analytics/csv/posts")[1:] == []
    assert rows_of(browser, "/desk/analytics/csv/post-sources")[1:] == []
    assert browser.get(f"/desk/analytics/{post.id}/csv/posts").status_code == 404


def test_an_unknown_table_is_not_found(pages: Pages) -> None:
    assert pages.get("/desk/analytics/csv/salaries").status_code == 404
