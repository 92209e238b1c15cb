"""Analytics in a browser: charts by keyboard, touch and mouse, and without scripts."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect
from sqlalchemy import select

from blogsvc.connections import manage
from blogsvc.models import Attempt, Connection, Delivery, Post, db, transaction
from blogsvc.models.page_view import add_views
from blogsvc.posts import editing, publishing
from tests.browser.conftest import NARROW, Desk, a_desk

# The views of the last days, the newest last, and the host that all of them came from.
VIEWS = {"The ferry": (0, 3, 5, 2), "ثلاثة أسرار للكتابة الجيدة": (0, 0, 4, 1), "מכתב לכותב צעיר": (0, 0, 1, 0)}
HOSTS = {"The ferry": "mastodon.example", "ثلاثة أسرار للكتابة الجيدة": "news.example", "מכתב לכותב צעיר": None}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str) -> Iterator[Desk]:
    with a_desk(tmp_path_factory.mktemp("analytics"), shared_database_url) as desk:
        with desk.app() as (_, tools):
            now = tools.now()
            manage.connect("sandbox", "fedi", {}, tools)
            with transaction():
                Connection.named("fedi").account_url = "https://mastodon.example/@ann"
            for title, views in VIEWS.items():
                post = editing.create({"title": title, "content": "Words."}, ["site"], now)
                publishing.publish(post, now)
                row = {"post_id": post.id, "referrer": HOSTS[title], "visitor": None}
                for days, count in enumerate(reversed(views)):
                    with transaction():
                        for _ in range(count):
                            add_views([{**row, "viewed_at": now - timedelta(days=days)}])  # type: ignore[typeddict-item]
            add_deliveries(now - timedelta(hours=1))
        yield desk


def add_deliveries(due: datetime) -> None:
    """Add deliveries to "fedi": 21 arrived, 0 to 200 seconds late, one of them after a failed attempt, and 3 failed."""
    with transaction():
        for number in range(24):
            post = editing.create({"title": f"Sent {number}", "content": "Words."}, ["fedi"], due)
            delivery = Delivery.to(post, "fedi", Connection.named("fedi"), due)
            delivery.state = "delivered" if number < 21 else "failed"
            delivery.delivered_at = due + timedelta(seconds=10 * number) if number < 21 else None
            if number == 5 or number > 20:
                attempt = Attempt(id=f"att_{number}", number=1, operation="create", started_at=due, finished_at=due)
                attempt.outcome = "retried" if number == 5 else "failed"
                delivery.attempts.append(attempt)


def slider(page: Page) -> Locator:
    return page.get_by_role("slider", name="Views: choose a date")


def test_the_values_of_a_chart_are_readable_by_keyboard(page: Page, look: Callable[..., None]) -> None:
    page.goto("/desk/analytics?days=7")
    expect(page.locator(".chosen")).to_have_text(re.compile(r"so far: 3 views previous period: 0"))
    slider(page).focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".chosen")).to_contain_text(": 10 views")
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile(r"20\d\d: 10 views, previous period: 0$"))
    page.keyboard.press("Home")
    expect(page.locator(".chosen")).to_contain_text(": 0 views")
    assert page.locator(".ticks span").all_text_contents() == ["10", "5", "0"]
    assert page.locator(".dates text").count() == 4
    # The script also works on what htmx loads.
    page.get_by_role("link", name="30 days").click()
    page.wait_for_url("**/analytics?days=30")
    slider(page).focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".chosen")).to_contain_text(": 10 views")
    look(page, "analytics-30")


def test_the_values_of_a_chart_are_readable_by_touch_and_mouse(
    page: Page, open_browser: Callable[..., BrowserContext]
) -> None:
    phone = open_browser(viewport=NARROW, has_touch=True).new_page()
    for each in (page, phone):
        each.goto("/desk/analytics?days=7")
        box = slider(each).bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] * 5.5 / 7, box["y"] + box["height"] / 2  # the sixth of seven columns
        if each is phone:
            each.touchscreen.tap(x, y)
        else:
            each.mouse.move(x, y)
        expect(each.locator(".chosen")).to_contain_text(": 10 views")
        expect(each.locator("rect.picked")).to_have_count(1)


def test_the_values_of_a_chart_are_in_a_table_without_scripts(plain_page: Page) -> None:
    plain_page.goto("/desk/analytics?days=7")
    expect(plain_page.locator(".chosen")).to_contain_text("so far: 3 views")
    expect(slider(plain_page)).to_be_hidden()
    plain_page.get_by_text("Show table").click()
    table = plain_page.get_by_role("region", name="Table: Views").get_by_role("table")
    expect(table.get_by_role("row").nth(-2)).to_contain_text("10")


def test_a_title_from_right_to_left_is_a_row_from_right_to_left(page: Page) -> None:
    page.goto("/desk/analytics?days=7")
    rows = page.locator("#analytics .bars").first.locator("tbody tr")
    assert rows.count() == 3
    for number, is_rtl in enumerate((False, True, True)):
        geometry = rows.nth(number).evaluate(
            """row => {
              const text = document.createRange();
              text.selectNodeContents(row.querySelector("a"));
              const [title, views] = [row.querySelector("th"), row.querySelector(".num")];
              const cell = title.getBoundingClientRect();
              const gaps = ({left, right}) => [left - cell.left, cell.right - right];
              return {
                direction: getComputedStyle(title).direction,
                gapsOfTitle: gaps(text.getBoundingClientRect()),
                gapsOfBar: gaps(title.querySelector("rect").getBoundingClientRect()),
                numberDirection: getComputedStyle(views).direction,
                numberIsAfterTitle: views.getBoundingClientRect().left >= cell.right,
              };
            }"""
        )
        start, end = (1, 0) if is_rtl else (0, 1)
        assert geometry["direction"] == ("rtl" if is_rtl else "ltr")
        assert geometry["gapsOfTitle"][start] < 20 < geometry["gapsOfTitle"][end]
        assert geometry["gapsOfBar"][start] < 20
        assert geometry["numberDirection"] == "ltr"
        assert geometry["numberIsAfterTitle"]
    ends = rows.evaluate_all(
        "rows => rows.map(row => Math.round(row.querySelector('.num').getBoundingClientRect().right))"
    )
    assert len(set(ends)) == 1


def test_analytics_shows_which_post_brought_readers_from_where(plain_page: Page) -> None:
    plain_page.goto("/desk/analytics?days=7")
    posts = plain_page.get_by_role("region", name="Posts and where their readers came from")
    assert texts(posts.locator("thead th")) == ["Post", "Views", "fedi", "news.example", "Direct or unknown"]
    assert [texts(row.locator("td")) for row in posts.locator("tbody tr").all()] == [
        ["10", "10", "0", "0"],
        ["5", "0", "5", "0"],
        ["1", "0", "0", "1"],
    ]
    sources = plain_page.get_by_role("region", name="Sources").locator("tbody tr")
    expect(sources).to_have_text(["fedi destination 10", "news.example 5", "Direct or unknown 1"])
    posts.get_by_role("link", name="The ferry").click()
    expect(sources).to_have_text(["fedi destination 10"])


def test_analytics_shows_how_reliable_and_punctual_each_destination_was(plain_page: Page) -> None:
    plain_page.goto("/desk/analytics?days=7")
    section = plain_page.get_by_role("region", name="Deliveries: success and lateness")
    assert [texts(row.locator("th, td")) for row in section.locator("tbody tr").all()] == [
        ["fedi", "24", "87.5 %", "4", "3", "1 min 40 s", "3 min 10 s"],
        ["This blog", "3", "100 %", "0", "0", "0 s", "slowest of 3: 0 s"],
        ["All destinations", "27", "88.9 %", "4", "3", "1 min 25 s", "3 min 8 s"],
    ]
    section.get_by_text("What these figures mean").click()
    expect(section.get_by_role("term")).to_have_text(texts(section.locator("thead th"))[1:])


def test_what_analytics_shows_can_be_downloaded_as_csv(page: Page) -> None:
    found = []
    page.goto("/desk/analytics?days=7")
    for link in page.get_by_role("link", name="Download CSV").all():
        with page.expect_download() as download:
            link.click()
        name = re.sub("[0-9]{4}-[0-9]{2}-[0-9]{2}", "DATE", download.value.suggested_filename)
        table = name.removeprefix("analytics-").removesuffix("-DATE-to-DATE.csv")
        with download.value.path().open(encoding="utf-8-sig", newline="") as file:
            header, *rows = csv.reader(file)
        assert (table, header[0], len(rows), rows[0][-1]) == EXPECTED[table]
        found.append(table)
    assert found == list(EXPECTED)


# The first column of each file, its number of rows, and its last value of the first row.
EXPECTED = {
    table: (table, column, rows, last)
    for table, column, rows, last in (
        ("days", "Date", 7, ""),
        ("posts", "Post ID", 3, ""),
        ("post-sources", "Post ID", 3, "10"),
        ("sources", "Source", 3, "10"),
        ("destinations", "Destination", 2, ""),
        ("deliveries", "Destination", 2, "21"),
    )
}


def test_analytics_without_readers_says_so(page: Page, desk: Desk, look: Callable[..., None]) -> None:
    with desk.app():
        unread = db.session.scalar(select(Post.id).where(Post.title == "Sent 0"))
    page.goto(f"/desk/analytics/{unread}?days=7")
    expect(page.locator("#analytics")).to_contain_text("No views in this period. A view counts when a reader opens")
    expect(page.locator("#analytics")).to_contain_text("so there are no sources to show")
    expect(slider(page)).to_have_count(0)
    expect(page.get_by_role("region", name="Deliveries: success and lateness").locator("tbody tr")).to_have_count(1)
    look(page, "analytics-unread")


def texts(found: Locator) -> list[str]:
    return [text.strip() for text in found.all_text_contents()]
