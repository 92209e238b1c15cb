"""Publishing from the pages can be undone for a few seconds, in which nothing changes and nothing leaves the server."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from blogsvc.connections import disconnect, manage
from blogsvc.models import Connection, Event, PendingPublish, Post, User, db
from blogsvc.models.pending_publish import next_pending_at
from blogsvc.posts import autosave, editing, publishing, trash
from tests.clock import NOW

TEN = timedelta(seconds=10)
FRAGMENT = {"HX-Request": "true", "HX-Request-Type": "partial"}


@pytest.fixture(autouse=True)
def sandbox(app: Any, tools: Any) -> None:
    manage.connect("sandbox", "sandbox", {"outcome": "works"}, tools)


@pytest.fixture
def publish(pages: Any) -> Callable[..., Any]:
    def send(post: Post, *platforms: str, headers: Any = None, **form: Any) -> Any:
        form = {"platforms": list(platforms) or ["site"], "when": "now", **form}
        answer = pages.post(f"/desk/posts/{post.id}/publish", headers=headers, **form)
        reread()
        return answer

    return send


def reread() -> None:
    db.session.rollback()
    db.session.expire_all()


def undone(pages: Any, post: Post, **form: Any) -> Any:
    answer = pages.post(f"/desk/posts/{post.id}/undo", **form)
    reread()
    return answer


def snapshot(post: Post) -> dict[str, Any]:
    """Return all that readers, platforms and the calendar could notice of a post."""
    reread()
    words = {"state", "scheduled_at", "wall_time", "live_revision_id", "site_revision_id", "published_at", "content"}
    return {name: getattr(post, name) for name in words} | {
        "copies": [(one.destination, one.state, one.revision_id) for one in post.deliveries]
    }


def event_count() -> int:
    return db.session.scalar(select(func.count()).select_from(Event)) or 0


def test_nothing_happens_for_ten_seconds_after_publishing(pages, publish, a_post, time, tick):
    post = a_post()
    before, events = snapshot(post), event_count()
    answer = publish(post)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/desk/posts/{post.id}/status")
    time.passes(seconds=9)
    tick()
    assert (snapshot(post), event_count()) == (before, events)
    assert pages.get(f"/{post.slug}").status_code == 404
    time.passes(seconds=1)
    tick()
    assert post.state == "published"
    assert post.delivery_to("site").state == "delivered"
    assert pages.get(f"/{post.slug}").status_code == 200


@pytest.mark.parametrize("state", ["draft", "scheduled", "live", "missed", "unpublished"])
def test_undo_returns_the_post_to_its_state_before(pages, publish, a_post, time, tick, tools, state):
    post = a_post(live=state in ("live", "unpublished"), platforms=["site"])
    if state in ("scheduled", "missed"):
        publishing.schedule(post, NOW + timedelta(hours=1), NOW)
    if state == "missed":
        time.passes(days=3)
        tick()
    if state == "unpublished":
        publishing.unpublish(post, tools.now())
    # An edit that the scheduled or live version does not have.
    autosave.autosave(post, {"content": "Other words."}, None, post.rev, tools.now())
    before, events = snapshot(post), event_count()
    publish(post, "site", "sandbox", **{"option:sandbox:outcome": "is slow"})
    text = undone(pages, post, headers=FRAGMENT, where="sheet").text
    assert "Publishing is undone" in text
    time.passes(minutes=5)
    tick()
    after = snapshot(post)
    assert after == before
    new = {one.type for one in db.session.scalars(select(Event).order_by(Event.id).offset(events))}
    assert new <= {"post.updated", "attention.needed"}
    if state in ("scheduled", "live"):
        assert (post.platforms, post.overrides) == (["site"], {})
    else:  # a draft keeps the choices for it
        assert post.platforms == ["site", "sandbox"]


def test_the_published_text_is_that_of_the_moment_of_publishing(pages, publish, a_post, time, tick, tools):
    post = a_post(content="As published.")
    publish(post)
    editing.edit(post, {"content": "Typed afterwards.", "title": "Another"}, None, tools.now())
    time.passes(seconds=10)
    tick()
    assert post.live_revision().content == "As published."
    assert post.live_revision().reason == "published"
    assert (post.content, post.has_unpublished_changes) == ("Typed afterwards.", True)


@pytest.mark.parametrize("state", ["draft", "scheduled", "live"])
@pytest.mark.parametrize("is_undone", [True, False])
def test_a_text_typed_for_a_destination_is_published_and_stays_if_that_is_undone(
    pages, publish, a_post, time, tick, tools, state, is_undone
):
    a_post(platforms=["x"])  # connects it
    post = a_post(live=state == "live", summary="In short.")
    if state == "scheduled":
        publishing.schedule(post, NOW + timedelta(days=2), NOW)
    publish(post, "site", "x", **{"text:x": "Typed here.", "shown:x": "A post\r\n\r\nIn short."})
    if is_undone:
        undone(pages, post)
    time.passes(seconds=10)
    tick()
    db.session.expire_all()
    assert post.overrides == {"x": {"content": "Typed here."}}
    if is_undone:
        assert post.delivery_to("x") is None
        assert post.has_unpublished_changes == (state != "draft")
    else:
        assert "Typed here." in pages.get(f"/desk/deliveries/{post.delivery_to('x').id}/hand-over").text
        assert not post.has_unpublished_changes


@pytest.mark.parametrize("is_live", [True, False])
def test_a_newer_text_for_a_destination_is_not_replaced_when_the_time_to_undo_ends(
    publish, a_post, time, tick, tools, is_live
):
    post = a_post(live=is_live, platforms=["site", "x"])
    publish(post, "site", "x", **{"text:x": "First.", "shown:x": "A post"})
    assert post.overrides == {"x": {"content": "First."}}
    editing.edit(post, {"overrides": {"x": {"content": "Newer."}}}, None, tools.now())
    time.passes(seconds=10)
    tick()
    db.session.expire_all()
    assert post.overrides == {"x": {"content": "Newer."}}
    assert post.has_unpublished_changes


def test_a_text_that_is_too_long_does_not_reach_a_scheduled_post_if_publishing_is_undone(
    pages, publish, a_post, time, tick, tools
):
    post = a_post(platforms=["site", "sandbox"])
    publishing.schedule(post, NOW + timedelta(days=2), NOW)
    publish(post, "site", **{"text:sandbox": "long " * 110, "shown:sandbox": "A post"})
    undone(pages, post)
    time.passes(days=2)
    tick()
    db.session.expire_all()
    assert post.delivery_to("sandbox").state == "delivered"
    assert post.has_unpublished_changes


def test_an_update_of_a_live_post_can_be_undone_too(pages, publish, a_post, time, tick, tools):
    post = a_post(live=True, content="Old words.")
    editing.edit(post, {"content": "New words."}, None, tools.now())
    assert "Publishing changes" in publish(post, headers=FRAGMENT, where="sheet").text
    assert "Old words." in pages.get(f"/{post.slug}").text
    time.passes(seconds=10)
    tick()
    assert "New words." in pages.get(f"/{post.slug}").text
    assert not post.has_unpublished_changes


def test_the_wish_is_kept_through_a_restart_and_carried_out_once(publish, a_post, time, app, tools, tick):
    post_id = a_post().id
    publish(Post.get(post_id), "site", "sandbox", **{"option:sandbox:outcome": "works"})
    assert next_pending_at() == time() + TEN
    db.session.expunge_all()  # all that a new process finds is in the database
    time.passes(days=3)
    tick()
    tick()
    assert Post.get(post_id).state == "published"
    assert db.session.scalar(select(func.count()).select_from(PendingPublish)) == 0
    published = select(func.count()).where(Event.type == "post.publishing")
    assert db.session.scalar(published) == 1


def test_the_status_counts_down_and_offers_undo_also_without_javascript(pages, publish, a_post, time, tick):
    post = a_post()
    dialog = publish(post, "site", "sandbox", headers=FRAGMENT, where="sheet").text
    assert re.search(r'<h2 id="sheet-title"[^>]*>Publishing <span class="sr">in a few seconds</span>', dialog)
    time.passes(seconds=3)
    page = pages.get(f"/desk/posts/{post.id}/status").text
    assert re.search(r'aria-hidden="true">in <span class="num" data-until="[^"]+" data-left="7.0">7 s</span>', page)
    assert page.count('Starts in <span class="num"') == 2
    assert "This blog, Sandbox. Nothing has left this server yet." in page
    assert f'<form method="post" action="/desk/posts/{post.id}/undo"' in page
    # The sheet of a post that is about to be published shows its status.
    assert pages.get(f"/desk/posts/{post.id}/publish").headers["Location"] == f"/desk/posts/{post.id}/status"
    assert 'id="status-sheet"' in pages.get(f"/desk/posts/{post.id}/publish", headers=FRAGMENT).text
    time.passes(seconds=7)
    tick()
    polled = pages.get(f"/desk/posts/{post.id}/status?where=sheet&pending=1", headers=FRAGMENT)
    assert polled.headers["HX-Trigger"] == "postchanged"
    assert "Undo" not in polled.text
    assert "too late to undo" in undone(pages, post, headers=FRAGMENT).text
    assert post.state == "published"


def test_what_waits_for_an_account_is_shown_before_anything_leaves_the_server(pages, publish, a_post):
    post = a_post(platforms=["site", "wordpress"])
    dialog = publish(post, "site", "wordpress", headers=FRAGMENT, where="sheet").text
    assert "This blog. Nothing has left this server yet." in dialog
    assert "Waiting for a WordPress account" in dialog
    assert "Close, keep publishing" in dialog


def test_a_later_wish_replaces_the_one_that_can_be_undone(pages, api, publish, a_post, time, tick, tools):
    def wishes(post: Post) -> dict[str, Callable[[], object]]:
        return {
            "api": lambda: api.post(f"/posts/{post.id}/publish", json={"platforms": ["sandbox"]}),
            "scheduled": lambda: publish(post, "site", when="at", at="2026-12-01T09:00"),
            "trashed": lambda: trash.discard(post, tools.now()),
        }

    for name in ("api", "scheduled", "trashed"):
        post = a_post(title=name)
        publish(post)
        wishes(post)[name]()
        reread()
        assert PendingPublish.of(post.id) is None, name
        time.passes(minutes=1)
        tick()
        assert post.site_revision_id is None, name


def test_publishing_twice_asks_for_one_more_time_to_undo(publish, a_post, time, tick):
    post = a_post()
    publish(post)
    time.passes(seconds=8)
    publish(post, "sandbox")
    time.passes(seconds=8)
    tick()
    assert post.state == "draft"
    time.passes(seconds=2)
    tick()
    assert {one.destination for one in post.deliveries} == {"sandbox"}


def test_publishing_is_not_put_off_for_an_hour_when_the_system_time_is_set_back(publish, a_post, time, tick):
    post = a_post()
    publish(post)
    time.passes(hours=-1)
    tick()
    assert post.state == "published"


def test_a_destination_that_was_disconnected_meanwhile_waits_for_an_account(publish, a_post, time, tick, tools):
    post = a_post()
    publish(post, "site", "sandbox")
    disconnect.disconnect(Connection.named("sandbox"), tools.now())
    time.passes(seconds=10)
    tick()
    assert (post.state, post.open_count, post.delivery_to("sandbox").state) == ("published", 1, "blocked")


def test_the_destinations_count_as_those_of_the_last_time_only_once_published(
    pages, publish, a_post, owner, time, tick
):
    first = a_post()
    publish(first, "sandbox")
    undone(pages, first)
    assert "last_platforms" not in db.session.get(User, owner.id).preferences
    publish(first, "sandbox")
    time.passes(seconds=10)
    tick()
    assert db.session.get(User, owner.id).preferences["last_platforms"] == ["sandbox"]


def test_owners_choose_how_long_publishing_can_be_undone(pages, publish, a_post, time, tick):
    form = {"title": "A blog", "language": "en", "accent": "#006b9f", "face": "charter", "width": "normal"}
    form |= {"slug_script": "latin"}
    assert re.search(r'<option selected value="10">10 seconds', pages.get("/desk/settings/blog").text)
    assert pages.post("/desk/settings/blog", **form, undo="30").status_code == 303
    post = a_post()
    publish(post)
    time.passes(seconds=29)
    tick()
    assert post.state == "draft"
    pages.post("/desk/settings/blog", **form, undo="0")
    at_once = a_post(title="At once")
    publish(at_once)
    assert at_once.state == "published"
    assert pages.post("/desk/settings/blog", **form, undo="3600").status_code == 422


def test_what_cannot_be_published_is_refused_at_once(publish, a_post, pages):
    own = {"sandbox": {"content": "long " * 200}}
    post = a_post(platforms=["site"], overrides=own)
    assert publish(post, "site", "sandbox").status_code == 422
    assert publish(post, "nowhere").status_code == 422
    assert publish(post, "sandbox", **{"option:sandbox:outcome": "explodes"}).status_code == 422
    assert PendingPublish.of(post.id) is None
    assert post.platforms == ["site"]


def test_others_cannot_undo_a_post_that_they_may_not_see(browser_of, somebody, publish, a_post):
    post = a_post()
    publish(post)
    answer = browser_of(somebody("author", name="Ben")).post(f"/desk/posts/{post.id}/undo")
    assert answer.status_code == 404
    assert PendingPublish.of(post.id) is not None
