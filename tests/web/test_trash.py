"""The trash: keep, restore and erase, with permissions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from blogsvc.errors import NotFound
from blogsvc.models import Post, User, db, transaction
from blogsvc.posts import publishing, trash
from tests.clock import Time
from tests.web.page_walk import Pages

Make = Callable[..., Post]


@pytest.fixture
def discarded(a_post: Make, time: Time) -> Callable[..., Post]:
    def make(**words: str) -> Post:
        post = a_post(**words)
        trash.discard(post, time())
        return post

    return make


def reload_post(post: Post) -> Post:
    db.session.rollback()
    db.session.expire_all()
    return Post.get(post.id, trashed=True)


def is_erased(post_id: str) -> bool:
    db.session.rollback()
    db.session.expire_all()
    try:
        Post.get(post_id, trashed=True)
    except NotFound:
        return True
    return False


def test_the_trash_is_empty_at_first(pages: Pages, a_post: Make) -> None:
    a_post()
    page = pages.get("/desk/trash").text
    assert "The trash is empty." in page
    assert "Empty trash" not in page


def test_a_deleted_post_is_in_the_trash_with_its_expiry_date(pages: Pages, discarded: Callable[..., Post]) -> None:
    discarded(title="Regretted")
    page = pages.get("/desk/trash").text
    assert "Regretted" in page
    assert "Thu 24 Dec" in page, "30 days after 24 November"


def test_several_posts_can_be_restored_as_drafts(pages: Pages, discarded: Callable[..., Post]) -> None:
    posts = [discarded(title=f"{n}") for n in range(3)]
    answer = pages.post("/desk/trash/restore", post=[post.id for post in posts[:2]], follow=True)
    assert "2 posts restored from the trash." in answer.text
    assert [reload_post(post).deleted_at is None for post in posts] == [True, True, False]


def test_a_move_to_the_trash_can_be_undone_for_all_its_posts(pages: Pages, a_post: Make, time: Time) -> None:
    earlier, *posts = (a_post(title=f"{n}") for n in range(3))
    pages.post("/desk/bulk/discard", post=earlier.id)
    pages.get("/desk")
    time.passes(seconds=5)
    pages.post("/desk/bulk/discard", post=[post.id for post in posts])
    page = pages.get("/desk")
    assert "2 posts moved to the trash." in page.text
    assert "2 posts put back." in pages.undo(page.text).text
    assert [reload_post(post).deleted_at is None for post in (earlier, *posts)] == [False, True, True]


def test_undo_keeps_the_time_of_a_scheduled_post_unless_it_has_passed(pages: Pages, a_post: Make, time: Time) -> None:
    at = time() + timedelta(hours=2)
    post = a_post()
    publishing.schedule(post, at, time())
    pages.post("/desk/bulk/discard", post=post.id)
    pages.undo(pages.get("/desk").text)
    assert (reload_post(post).state, reload_post(post).scheduled_at) == ("scheduled", at)
    pages.post("/desk/bulk/discard", post=post.id)
    page = pages.get("/desk").text
    time.passes(hours=3)
    pages.undo(page)
    assert (reload_post(post).state, reload_post(post).scheduled_at) == ("draft", None)


@pytest.mark.parametrize("is_late", [False, True], ids=["at once", "after the copies were removed"])
def test_undo_publishes_a_live_post_again_where_the_discard_unpublished_it(
    pages: Pages, visitor: Pages, a_post: Make, connect: Callable[..., str], tick: Callable[[], None], is_late: bool
) -> None:
    connect()
    post = a_post(live=True, title="A ferry", platforms=["site", "hook"])
    tick()
    slug = reload_post(post).slug
    assert visitor.get(f"/{slug}").status_code == 200
    pages.post("/desk/bulk/discard", post=post.id, withdraw="yes")
    assert visitor.get(f"/{slug}").status_code == 404
    if is_late:
        tick()
    pages.undo(pages.get("/desk").text)
    tick()
    assert visitor.get(f"/{slug}").status_code == 200
    assert reload_post(post).state == "published"
    assert {one.destination: one.state for one in reload_post(post).deliveries} == {
        "site": "delivered",
        "hook": "delivered",
    }


def test_deleting_permanently_requires_confirmation(pages: Pages, discarded: Callable[..., Post]) -> None:
    post, other = discarded(title="Gone for good").id, discarded().id
    answer = pages.post("/desk/trash/erase", post=post)
    assert "Delete this post permanently?" in answer.text
    assert not is_erased(post)
    answer = pages.post("/desk/trash/erase", post=post, sure="yes", follow=True)
    assert "1 post deleted permanently." in answer.text
    assert is_erased(post)
    assert not is_erased(other)


def test_the_trash_can_be_emptied(pages: Pages, discarded: Callable[..., Post], a_post: Make) -> None:
    kept, posts = a_post().id, [discarded().id for _ in range(4)]
    answer = pages.post("/desk/trash/erase", all="yes")
    assert "Delete 4 posts permanently?" in answer.text
    pages.post("/desk/trash/erase", post=posts, sure="yes")
    assert all(is_erased(post) for post in posts)
    assert not is_erased(kept)


def test_a_post_outside_the_trash_cannot_be_deleted_permanently(pages: Pages, a_post: Make) -> None:
    post = a_post().id
    answer = pages.post("/desk/trash/erase", post=post, sure="yes", follow=True)
    assert "Select posts first." in answer.text
    assert not is_erased(post)


def test_remaining_copies_are_named(
    pages: Pages, a_post: Make, connect: Callable[..., str], tick: Callable[[], None], time: Time
) -> None:
    connect()
    post = a_post(live=True, platforms=["hook"])
    tick()
    trash.discard(reload_post(post), time())
    assert "Copies on hook" in pages.get("/desk/trash").text
    assert "The copy on hook can no longer be unpublished" in pages.post("/desk/trash/erase", post=post.id).text


def test_an_author_sees_only_their_own_trash(
    discarded: Callable[..., Post], somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    author = somebody("author", name="Bo")
    theirs, other = discarded(title="Bo's"), discarded(title="Ann's")
    with transaction():
        theirs.author_id = author.id
    browser = browser_of(author)
    page = browser.get("/desk/trash").text
    assert "Bo's" in page or "Bo&#39;s" in page
    assert "Ann" not in page
    browser.post("/desk/trash/restore", post=other.id)
    browser.post("/desk/trash/erase", post=other.id, sure="yes")
    assert "Delete this post permanently?" in browser.post("/desk/trash/erase", all="yes").text
    assert reload_post(other).deleted_at is not None
