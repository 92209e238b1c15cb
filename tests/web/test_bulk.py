"""Bulk actions: each post is changed or rejected on its own, with a reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest

from blogsvc.models import Delivery, Post, User, db, transaction
from blogsvc.posts import publishing, queue_slots
from tests.clock import NOW, Time
from tests.web.page_walk import Pages

Make = Callable[..., Post]


def reload_posts(*posts: Post) -> list[Post]:
    db.session.rollback()
    db.session.expire_all()
    return [Post.get(post.id, trashed=True) for post in posts]


def ids(*posts: Post) -> list[str]:
    return [post.id for post in posts]


def test_a_tag_can_be_added_to_and_removed_from_several_posts(pages: Pages, a_post: Make) -> None:
    posts = a_post(tags=["old"]), a_post()
    answer = pages.post("/desk/bulk", post=ids(*posts), do="tag", label="craft", follow=True)
    assert "2 posts tagged “craft”." in answer.text
    assert [post.tags for post in reload_posts(*posts)] == [["old", "craft"], ["craft"]]
    pages.post("/desk/bulk", post=ids(*posts), do="untag", label="CRAFT")
    assert [post.tags for post in reload_posts(*posts)] == [["old"], []]


def test_bulk_failures_are_reported_with_their_reason(pages: Pages, a_post: Make) -> None:
    full, free = a_post(title="Full", tags=[str(n) for n in range(20)]), a_post()
    answer = pages.post("/desk/bulk", post=ids(full, free), do="tag", label="craft", follow=True)
    assert "1 post tagged “craft”, 1 failed: “Full”: A post can have at most 20 tags." in answer.text


def test_several_posts_can_be_moved_to_the_trash(pages: Pages, a_post: Make, time: Time) -> None:
    posts = a_post(), publishing.schedule(a_post(), time() + timedelta(days=1), time()), a_post(live=True)
    answer = pages.post("/desk/bulk", post=ids(*posts), do="discard", follow=True)
    assert "3 posts moved to the trash" in answer.text
    assert all(post.deleted_at for post in reload_posts(*posts))


@pytest.mark.parametrize(("withdraw", "is_left"), [("yes", False), ("no", True)])
def test_deleting_posts_with_copies_asks_whether_to_unpublish_them(
    pages: Pages,
    a_post: Make,
    connect: Callable[..., str],
    tick: Callable[[], None],
    withdraw: str,
    is_left: bool,
) -> None:
    connect()
    live, draft = a_post(live=True, title="Everywhere", platforms=["site", "hook"]), a_post()
    tick()
    answer = pages.post("/desk/bulk/discard", post=ids(live, draft))
    assert answer.status_code == 200
    assert "These posts also have copies on other platforms" in answer.text
    assert not any(post.deleted_at for post in reload_posts(live, draft))

    pages.post("/desk/bulk/discard", post=ids(live, draft), withdraw=withdraw)
    assert all(post.deleted_at for post in reload_posts(live, draft))
    copy = next(one for one in reload_posts(live)[0].deliveries if one.destination == "hook")
    assert (Delivery.get(copy.id, trashed=True).revision_id is not None) is is_left


def test_a_bulk_action_without_posts_asks_to_select_some(pages: Pages) -> None:
    assert "Select posts first." in pages.post("/desk/bulk", do="discard", follow=True).text


def test_bulk_actions_do_not_change_posts_the_user_cannot_see(
    a_post: Make, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    post, browser = a_post(), browser_of(somebody("author", name="Bo"))
    answer = browser.post("/desk/bulk", post=post.id, do="discard", follow=True)
    assert "1 failed" in answer.text
    browser.post("/desk/bulk", post=post.id, do="tag", label="x")
    assert browser.post(f"/desk/posts/{post.id}/duplicate").status_code == 404
    browser.post("/desk/bulk/schedule", post=post.id, how="at", at="2027-01-01T09:00")
    (post,) = reload_posts(post)
    assert (post.deleted_at, post.tags, post.state) == (None, [], "draft")


def test_the_dashboard_keeps_its_filter_after_a_bulk_action(pages: Pages, a_post: Make) -> None:
    post = a_post()
    given = {"in": "drafts", "q": "post", "tag": "", "evil": "x"}
    answer = pages.post("/desk/bulk", post=post.id, do="tag", label="a", **given)
    assert answer.headers["Location"] == "/desk?in=drafts&q=post"


def test_a_post_can_be_duplicated(pages: Pages, a_post: Make) -> None:
    answer = pages.post(f"/desk/posts/{a_post(title='One').id}/duplicate", follow=True)
    assert "“One (copy)” is created as a draft." in answer.text


def test_a_duplicate_belongs_to_the_user_who_made_it(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages], a_post: Make
) -> None:
    ben = somebody("author", name="Ben")
    post = a_post(title="By Ben")
    with transaction():
        Post.get(post.id).author_id = ben.id
    browser = browser_of(ben)
    browser.post(f"/desk/posts/{post.id}/duplicate", follow=True)  # which is reported once
    assert "By Ben (copy)" in re.sub("<[^>]+>", "", browser.get("/desk?in=drafts").text)


# --- scheduling ---


def test_several_posts_can_be_scheduled_at_one_local_time(pages: Pages, a_post: Make) -> None:
    posts = a_post(), a_post()
    answer = pages.post("/desk/bulk", post=ids(*posts), do="schedule")
    assert answer.headers["Location"] == "/desk/bulk/schedule?" + urlencode({"post": ids(*posts)}, doseq=True)
    assert "Schedule 2 posts" in pages.get(answer.headers["Location"]).text
    answer = pages.post("/desk/bulk/schedule", post=ids(*posts), how="at", at="2026-12-01T09:00", follow=True)
    assert "2 posts scheduled." in answer.text
    assert {post.scheduled_at for post in reload_posts(*posts)} == {datetime(2026, 12, 1, 8, tzinfo=UTC)}
    assert {(post.wall_time, post.time_zone) for post in reload_posts(*posts)} == {
        ("2026-12-01T09:00:00", "Europe/Berlin")
    }


def test_several_posts_can_be_scheduled_to_the_next_free_queue_slots(pages: Pages, a_post: Make) -> None:
    queue_slots.add_slot(2, "09:00")  # Wednesday, and NOW is a Tuesday
    queue_slots.add_slot(4, "17:00")
    posts = [a_post(title=f"{n}") for n in range(3)]
    live = a_post(live=True, title="Live")
    page = pages.get("/desk/bulk/schedule?" + urlencode({"post": ids(*posts)}, doseq=True)).text
    assert "tomorrow" in page
    answer = pages.post("/desk/bulk/schedule", post=ids(posts[0], live, *posts[1:]), how="slots", follow=True)
    assert "3 posts scheduled, 1 failed: “Live”: the post is published." in answer.text
    days = [(post.scheduled_at - NOW).days for post in reload_posts(*posts)]
    assert days == [1, 3, 8], "no slot is lost to a post that cannot be scheduled"


def test_scheduling_more_posts_than_queue_slots_is_an_error(pages: Pages, a_post: Make) -> None:
    answer = pages.post("/desk/bulk/schedule", post=a_post().id, how="slots")
    assert answer.status_code == 422
    assert "There are no free queue slots." in answer.text


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"at": ""}, "Choose a time."),
        ({"at": "soon"}, "Not a valid datetime value."),
        ({"at": "2026-11-24T09:58"}, "This time is in the past"),
        ({"at": "2035-01-01T09:00"}, "more than five years ahead"),
        ({"at": "9999-12-31T23:59"}, "more than five years ahead"),
        ({"at": "0001-01-01T00:00"}, "outside of the calendar"),
        ({"at": "2027-03-28T02:30"}, "The clocks change at that time"),
        ({"at": "2026-12-01T09:00", "how": "never"}, "Not a valid choice"),
    ],
)
def test_an_invalid_time_shows_the_error_at_its_field(pages: Pages, a_post: Make, given: dict, why: str) -> None:
    post = a_post()
    answer = pages.post("/desk/bulk/schedule", **{"post": post.id, "how": "at"} | given)
    assert answer.status_code == 422
    assert why in answer.text
    assert reload_posts(post)[0].state == "draft"


@pytest.mark.parametrize(("fold", "hour"), [("0", 0), ("1", 1)])
def test_an_ambiguous_local_time_asks_which_one_is_meant(pages: Pages, a_post: Make, fold: str, hour: int) -> None:
    post = a_post()
    twice = {"post": post.id, "how": "at", "at": "2027-10-31T02:30"}
    page = pages.post("/desk/bulk/schedule", **twice).text
    assert "First 02:30 (UTC+2)" in page
    assert "Second 02:30 (UTC+1)" in page
    pages.post("/desk/bulk/schedule", fold=fold, **twice)
    assert reload_posts(post)[0].scheduled_at == datetime(2027, 10, 31, hour, 30, tzinfo=UTC)


def test_a_post_without_content_cannot_be_scheduled(pages: Pages, a_post: Make) -> None:
    answer = pages.post("/desk/bulk/schedule", post=a_post(content="").id, how="at", at="2026-12-01T09:00", follow=True)
    assert "Add content before" in answer.text
