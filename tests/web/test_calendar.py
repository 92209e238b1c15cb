"""The calendar: a month in the time zone of the user, and moving posts with forms and by dropping them."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from sqlalchemy import update

from blogsvc.models import Post, User, db
from blogsvc.posts import autosave, publishing, queue_slots
from blogsvc.posts.publish_request import WallTime
from blogsvc.web.calendar.days import usual_start
from tests.clock import Time
from tests.web.page_walk import Pages

BERLIN = "Europe/Berlin"
HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture
def scheduled(a_post: Callable[..., Post], time: Time) -> Callable[..., Post]:
    def make(at: str, title: str = "A post", zone: str = BERLIN, author: User | None = None) -> Post:
        post = publishing.schedule(a_post(title=title), WallTime(datetime.fromisoformat(at), zone), time())
        return set_author(post, author)

    return make


def set_author(post: Post, author: User | None) -> Post:
    if author is not None:
        db.session.execute(update(Post).where(Post.id == post.id).values(author_id=author.id))
        db.session.commit()
    return post


def at(post: Post) -> datetime | None:
    db.session.rollback()
    db.session.expire_all()  # reload rows from the database
    return Post.get(post.id).scheduled_at


def days(html: str) -> list[str]:
    return re.findall(r'<time class="date" datetime="([^"]+)"', html)


def day_of(html: str, title: str) -> str:
    """Return the day under which a post is shown on the page."""
    before, found, _ = html.partition(f">{title}</span>")
    assert found, title
    return days(before)[-1]


def test_a_month_shows_whole_weeks_with_published_and_scheduled_posts(
    pages: Pages, scheduled: Callable[..., Post], a_post: Callable[..., Post]
) -> None:
    scheduled("2026-11-26T09:00", "Soon")
    scheduled("2026-12-03T23:30", "In the week after")
    a_post(title="Out", live=True)
    page = pages.get("/desk/calendar").text
    assert (days(page)[0], days(page)[-1]) == ("2026-10-26", "2026-12-06")
    assert day_of(page, "Soon") == "2026-11-26"
    assert day_of(page, "In the week after") == "2026-12-03"
    assert day_of(page, "Out") == "2026-11-24"
    assert "Europe/Berlin (UTC+1)" in page
    assert "<h1>November 2026</h1>" in page


def test_calendar_days_follow_the_time_zone_of_the_viewer(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages], scheduled: Callable[..., Post]
) -> None:
    scheduled("2026-11-26T00:30", "By night")
    page = browser_of(somebody(name="Kai", time_zone="America/New_York")).get("/desk/calendar?month=2026-11").text
    assert day_of(page, "By night") == "2026-11-25"
    assert "America/New_York (UTC−5)" in page


@pytest.mark.parametrize(
    ("language", "first"),
    [("en-GB", "2026-10-26"), ("en-US,en;q=0.9", "2026-11-01"), ("ar", "2026-10-31"), ("", "2026-10-26")],
)
def test_the_first_day_of_the_week_follows_the_language(pages: Pages, language: str, first: str) -> None:
    page = pages.get("/desk/calendar", headers={"Accept-Language": language}).text
    assert days(page)[0] == first


def test_a_month_that_is_shown_again_has_what_changed_since(pages: Pages, scheduled: Callable[..., Post]) -> None:
    post = scheduled("2026-11-26T00:30", "By night")
    assert day_of(pages.get("/desk/calendar").text, "By night") == "2026-11-26"
    db.session.execute(update(Post).where(Post.id == post.id).values(title="After midnight"))
    db.session.execute(update(User).values(time_zone="America/New_York"))
    db.session.commit()
    page = pages.get("/desk/calendar").text
    assert day_of(page, "After midnight") == "2026-11-25"
    assert "18:30</time>" in page
    assert "By night" not in page


def test_the_first_day_of_the_week_can_be_set(pages: Pages) -> None:
    assert pages.post("/desk/calendar/week", starts="6", month="2026-11").headers["Location"].endswith("month=2026-11")
    assert days(pages.get("/desk/calendar").text)[0] == "2026-11-01"
    pages.post("/desk/calendar/week", starts="nonsense")
    assert days(pages.get("/desk/calendar").text)[0] == "2026-10-26"


@pytest.mark.parametrize(
    ("language", "weekday"),
    [("pt", 6), ("pt-PT", 6), ("zh-Hant-TW", 6), ("de-AT", 0), ("fa", 5), ("en", 0), ("x", 0), ("sr-Latn", 0)],
)
def test_the_first_day_of_the_week_is_known_by_region(language: str, weekday: int) -> None:
    assert usual_start(language) == weekday


@pytest.mark.parametrize("month", ["2026-13", "2026", "1999-01", "2026-1", "9999-12", "x"])
def test_an_invalid_month_returns_404(pages: Pages, month: str) -> None:
    assert pages.get(f"/desk/calendar?month={month}").status_code == 404


def test_a_day_with_a_clock_change_says_so(pages: Pages) -> None:
    march, october = (pages.get(f"/desk/calendar?month=2027-{month}").text for month in ("03", "10"))
    assert days(march.partition("Clocks forward 1 h")[0])[-1] == "2027-03-28"
    assert days(october.partition("Clocks back 1 h")[0])[-1] == "2027-10-31"
    assert "Europe/Berlin (UTC+1, then UTC+2)" in march


def test_a_queue_slot_at_a_skipped_time_shows_its_new_time(pages: Pages) -> None:
    queue_slots.change_zone(BERLIN)
    queue_slots.add_slot(6, "02:30")
    page = pages.get("/desk/calendar?month=2027-03").text
    assert days(page.partition("03:30 <span>free slot; 02:30 is skipped")[0])[-1] == "2027-03-28"


def test_a_free_queue_slot_disappears_when_its_time_has_passed(pages: Pages, time: Time) -> None:
    queue_slots.add_slot(1, "09:02")
    assert "2026-11-24T09:02:00Z" in pages.get("/desk/calendar").text
    time.passes(minutes=3)
    page = pages.get("/desk/calendar").text
    assert "2026-11-24T09:02:00Z" not in page
    assert "2026-12-01T09:02:00Z" in page
    time.passes(days=1)
    assert '<time class="date" datetime="2026-11-25" aria-current="date">' in pages.get("/desk/calendar").text


def test_an_author_sees_and_moves_only_their_own_posts(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages], scheduled: Callable[..., Post]
) -> None:
    author = somebody("author", name="Ben")
    mine = scheduled("2026-11-26T09:00", "Mine", author=author)
    other = scheduled("2026-11-26T10:00", "Another's")
    browser = browser_of(author)
    page = browser.get("/desk/calendar").text
    assert "Mine" in page
    assert "Another" not in page
    assert browser.post(f"/desk/calendar/posts/{other.id}/drop", day="2026-11-27").status_code == 404
    assert browser.post(f"/desk/calendar/posts/{mine.id}/drop", day="2026-11-27").status_code == 200
    assert at(mine) == utc("2026-11-27T08:00")


def test_a_post_dropped_on_a_day_is_moved_there(pages: Pages, scheduled: Callable[..., Post]) -> None:
    post = scheduled("2026-11-26T09:00", "Moved")
    answer = pages.post(f"/desk/calendar/posts/{post.id}/drop", headers=HTMX, day="2026-11-30", month="2026-11")
    assert answer.status_code == 200
    assert answer.text.lstrip().startswith('<div id="calendar"')
    assert day_of(answer.text, "Moved") == "2026-11-30"
    assert "“Moved” is scheduled for Mon 30 Nov, 09:00 (Europe/Berlin)." in answer.text
    assert at(post) == utc("2026-11-30T08:00")


@pytest.mark.parametrize(
    ("form", "status", "words"),
    [
        ({"day": "2026-11-20"}, 422, "This day is in the past"),
        ({"day": "2026-11-24"}, 422, "This time is in the past"),
        ({"day": "2040-01-01"}, 422, "five years"),
        ({"at": "2026-11-27T08:00:00.000Z"}, 409, "no longer free"),
        ({"day": "the ides of March"}, 404, "This date isn&#39;t valid"),
        ({"at": "noon"}, 404, "This time isn&#39;t valid"),
    ],
)
def test_a_rejected_drop_changes_nothing_and_shows_the_error(
    pages: Pages, scheduled: Callable[..., Post], form: dict[str, str], status: int, words: str
) -> None:
    post = scheduled("2026-11-26T09:00")
    answer = pages.post(f"/desk/calendar/posts/{post.id}/drop", headers=HTMX, **form)
    assert (answer.status_code, words in answer.text) == (status, True)
    assert at(post) == utc("2026-11-26T08:00")


def test_a_published_post_cannot_be_moved(pages: Pages, a_post: Callable[..., Post]) -> None:
    post = a_post(title="Out", live=True)
    answer = pages.post(f"/desk/calendar/posts/{post.id}/drop", headers=HTMX, day="2026-11-30")
    assert answer.status_code == 409
    assert "“Out” is already published, so it cannot be moved." in answer.text
    assert day_of(answer.text, "Out") == "2026-11-24"
    assert 'draggable="true"' not in answer.text
    assert pages.get(f"/desk/calendar/posts/{post.id}").status_code == 409


def test_dropping_a_draft_on_a_day_schedules_it_and_back_on_the_drafts_unschedules_it(
    pages: Pages, a_post: Callable[..., Post]
) -> None:
    post = a_post(title="A draft")
    pages.post(f"/desk/calendar/posts/{post.id}/drop", headers=HTMX, day="2026-11-30")
    assert at(post) == utc("2026-11-30T08:00")
    answer = pages.post(f"/desk/calendar/posts/{post.id}/drop", headers=HTMX)
    assert (at(post), Post.get(post.id).state) == (None, "draft")
    assert "is unscheduled" in answer.text


def test_a_post_without_content_cannot_be_dropped_on_a_day(pages: Pages, a_post: Callable[..., Post]) -> None:
    post = a_post(content="")
    answer = pages.post(f"/desk/calendar/posts/{post.id}/drop", headers=HTMX, day="2026-11-30")
    assert (answer.status_code, at(post)) == (422, None)
    assert "Add content before" in answer.text


def test_a_drop_on_a_skipped_or_repeated_local_time_asks_for_a_choice(
    pages: Pages, scheduled: Callable[..., Post]
) -> None:
    post = scheduled("2027-03-20T02:30")
    path = f"/desk/calendar/posts/{post.id}/drop"
    skipped = pages.post(path, headers=HTMX, day="2027-03-28", month="2027-03")
    assert skipped.status_code == 422
    assert "skip 02:30" in skipped.text
    assert ("03:30 (UTC+2), after the clocks change" in skipped.text, "01:30 (UTC+1)" in skipped.text) == (True, True)
    assert at(post) == utc("2027-03-20T01:30")
    repeated = pages.post(path, headers=HTMX, day="2027-10-31")
    assert "show twice 02:30" in repeated.text
    assert pages.post(path, headers=HTMX, day="2027-10-31", fold="1").status_code == 200
    assert at(post) == utc("2027-10-31T01:30")


def test_a_post_can_be_moved_by_a_form_without_javascript(pages: Pages, scheduled: Callable[..., Post]) -> None:
    post = scheduled("2026-11-26T09:00", "By form")
    path = f"/desk/calendar/posts/{post.id}?month=2026-11&view=list"
    form = pages.get(path).text
    assert 'value="2026-11-26"' in form
    assert 'value="09:00"' in form
    answer = pages.post(path, day="2026-12-02", time="17:15")
    assert answer.status_code == 303
    assert answer.headers["Location"] == f"/desk/calendar?month=2026-12&view=list&moved={post.id}"
    assert at(post) == utc("2026-12-02T16:15")
    page = pages.get(answer.headers["Location"]).text
    assert "“By form” is scheduled for Wed 2 Dec, 17:15" in page
    assert "autofocus" in page


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"day": "2026-11-20", "time": "09:00"}, "This day is in the past"),
        ({"day": "2026-11-24", "time": "09:58"}, "This time is in the past"),
        ({"day": "2026-11-27"}, "Choose a time."),
        ({"day": "2026-02-30", "time": "09:00"}, "Not a valid date value."),
    ],
)
def test_an_invalid_form_is_shown_again_with_its_error(
    pages: Pages, scheduled: Callable[..., Post], form: dict[str, str], words: str
) -> None:
    post = scheduled("2026-11-26T09:00")
    answer = pages.post(f"/desk/calendar/posts/{post.id}", **form)
    assert (answer.status_code, words in answer.text) == (422, True)
    assert at(post) == utc("2026-11-26T08:00")


def test_a_skipped_local_time_in_the_form_asks_for_a_choice_and_accepts_it(
    pages: Pages, scheduled: Callable[..., Post]
) -> None:
    post = scheduled("2026-11-26T09:00")
    path = f"/desk/calendar/posts/{post.id}"
    asked = pages.post(path, day="2027-03-28", time="02:30", month="2026-11")
    assert asked.status_code == 422
    sent = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', asked.text))
    assert (sent["day"], sent["time"], sent["month"]) == ("2027-03-28", "02:30", "2026-11")
    folds = re.findall(r'name="fold" value="(\d)"[^>]*>(\d\d:\d\d)', asked.text)
    assert folds == [("1", "01:30"), ("0", "03:30")]
    assert pages.post(path, day="2027-03-28", time="02:30", fold="0").status_code == 303
    assert at(post) == utc("2027-03-28T01:30")


def test_a_post_can_be_unscheduled_by_a_form(pages: Pages, scheduled: Callable[..., Post]) -> None:
    post = scheduled("2026-11-26T09:00")
    answer = pages.post(f"/desk/calendar/posts/{post.id}/unschedule", month="2026-11", follow=True)
    assert (answer.status_code, at(post)) == (200, None)
    assert "is unscheduled. You find it in your drafts." in answer.text


def test_a_draft_can_be_scheduled_to_a_free_queue_slot(pages: Pages, a_post: Callable[..., Post]) -> None:
    queue_slots.change_zone(BERLIN)
    queue_slots.add_slot(4, "09:00")
    post = a_post(title="For Friday")
    page = pages.get("/desk/calendar").text
    assert days(page.partition("09:00 <span>free slot")[0])[-1] == "2026-11-27"
    path = "/desk/calendar/slot?at=2026-11-27T08:00:00.000Z"
    assert "Fri 27 Nov, 09:00 is free" in pages.get(path).text
    assert pages.post(path, post_id=post.id).status_code == 303
    assert at(post) == utc("2026-11-27T08:00")
    assert pages.get(path).status_code == 409
    assert pages.get("/desk/calendar/slot?at=yesterday").status_code == 404


def test_a_post_started_from_a_free_queue_slot_suggests_its_time(pages: Pages) -> None:
    queue_slots.change_zone(BERLIN)
    queue_slots.add_slot(4, "09:00")
    place = pages.get("/desk/calendar/slot?at=2026-11-27T08:00:00.000Z")
    assert 'name="at" value="2026-11-27T08:00:00.000Z"' in place.text
    written = pages.post("/desk/posts", at="2026-11-27T08:00:00.000Z", follow=True)
    assert "This draft is for Fri 27 Nov, 09:00" in written.text
    (dialog,) = re.findall(r'href="(/desk/posts/[^"]*/publish[^"]*)"', written.text)
    assert 'value="2026-11-27T09:00"' in pages.get(dialog.replace("&amp;", "&")).text


def test_a_post_started_with_an_invalid_time_is_created_without_it(pages: Pages) -> None:
    assert "This draft is for" not in pages.post("/desk/posts", at="teatime", follow=True).text


def test_a_queue_slot_that_no_longer_exists_cannot_be_used(pages: Pages, a_post: Callable[..., Post]) -> None:
    post = a_post()
    assert pages.post("/desk/calendar/slot", at="2026-11-27T08:00:00.000Z", post_id=post.id).status_code == 409
    assert at(post) is None


def test_a_post_without_a_title_is_shown_as_untitled(pages: Pages, a_post: Callable[..., Post]) -> None:
    post = a_post(title="For a while")
    db.session.execute(update(Post).where(Post.id == post.id).values(title=""))
    db.session.commit()
    assert "Untitled" in pages.get("/desk/calendar").text


def test_a_busy_month_stays_within_its_size_budget(pages: Pages, scheduled: Callable[..., Post]) -> None:
    """Three posts a day with different titles, and four free queue slots a day."""
    queue_slots.change_zone(BERLIN)
    for weekday in range(7):
        for hour in (8, 12, 16, 20):
            queue_slots.add_slot(weekday, f"{hour:02}:00")
    for day in range(1, 32):
        for hour in (9, 13, 18):
            scheduled(f"2027-01-{day:02}T{hour:02}:00", f"What we found out on day {day}, part {hour} of many")
    page = pages.get("/desk/calendar?month=2027-01")
    assert page.text.count("What we found out") >= 93
    assert len(gzip.compress(page.data)) < 14 * 1024


def test_a_week_shows_its_seven_days_and_leads_to_the_next(pages: Pages, scheduled: Callable[..., Post]) -> None:
    scheduled("2026-11-26T09:00", "Soon")
    scheduled("2026-12-03T09:00", "In the week after")
    page = pages.get("/desk/calendar?week=").text
    assert (days(page)[0], days(page)[-1], len(days(page))) == ("2026-11-23", "2026-11-29", 7)
    assert "<h1>23 Nov to 29 Nov 2026</h1>" in page
    assert "In the week after" not in page
    assert 'href="/desk/calendar?week=2026-11-30"' in page
    assert day_of(pages.get("/desk/calendar?week=2026-12-01").text, "In the week after") == "2026-12-03"


@pytest.mark.parametrize("week", ["2026-13-01", "1999-01-01", "x", "2026-11"])
def test_a_week_that_does_not_exist_is_not_found(pages: Pages, week: str) -> None:
    assert pages.get(f"/desk/calendar?week={week}").status_code == 404


def test_the_calendar_is_filtered_by_tag_author_and_destination(
    pages: Pages, a_post: Callable[..., Post], connect: Callable[..., str], time: Time
) -> None:
    connect()
    for title, words in (("On ink", {"tags": ["ink"]}), ("Elsewhere", {"platforms": ["hook"]})):
        publishing.schedule(
            a_post(title=title, **words), WallTime(datetime.fromisoformat("2026-11-26T09:00"), BERLIN), time()
        )
    a_post(title="A draft on ink", tags=["ink"])
    page = pages.get("/desk/calendar?tag=ink").text
    assert ("On ink" in page, "A draft on ink" in page, "Elsewhere" in page) == (True, True, False)
    assert 'name="tag" value="ink"' in pages.get(f"/desk/calendar/posts/{a_post().id}?month=2026-11&tag=ink").text
    page = pages.get("/desk/calendar?week=&to=hook").text
    assert ("On ink" in page, "Elsewhere" in page) == (False, True)
    assert "No posts match the filters" in pages.get("/desk/calendar?tag=none").text


def test_a_post_started_on_a_day_is_suggested_for_its_first_free_slot(pages: Pages) -> None:
    queue_slots.add_slot(4, "11:15")
    answer = pages.post("/desk/posts", day="2026-11-27", follow=True)
    assert "This draft is for Fri 27 Nov, 12:15." in answer.text
    assert pages.post("/desk/posts", day="2026-12-05").location.endswith("?at=2026-12-05T09:00")


def test_a_post_cannot_be_started_on_a_day_that_has_passed(pages: Pages) -> None:
    answer = pages.post("/desk/posts", day="2026-11-20")
    assert answer.status_code == 422
    assert "This day is in the past" in answer.text
    assert pages.post("/desk/posts", day="soon").status_code == 404


@pytest.mark.parametrize("was", ["2026-11-26T09:00", None])
def test_a_drop_on_a_day_can_be_undone(
    pages: Pages, scheduled: Callable[..., Post], a_post: Callable[..., Post], was: str | None
) -> None:
    post = scheduled(was) if was else a_post()
    before = at(post)
    page = pages.post(f"/desk/calendar/posts/{post.id}/drop", headers=HTMX, day="2026-11-28", month="2026-11").text
    assert at(post) != before
    assert "is scheduled for Sat 28 Nov" in page
    assert pages.undo(page).status_code == 200
    assert at(post) == before


def test_unscheduling_can_be_undone_unless_newer_edits_would_be_scheduled(
    pages: Pages, scheduled: Callable[..., Post], time: Time
) -> None:
    post = scheduled("2026-11-26T09:00")
    page = pages.post(f"/desk/calendar/posts/{post.id}/drop", headers=HTMX, month="2026-11").text
    pages.undo(page)
    assert at(post) == utc("2026-11-26T08:00")
    autosave.autosave(Post.get(post.id), {"content": "Newer."}, None, Post.get(post.id).rev, time())
    page = pages.post(f"/desk/calendar/posts/{post.id}/drop", headers=HTMX, month="2026-11").text
    assert "is unscheduled" in page
    assert "Undo" not in page
