"""Drafting: what is written is kept in every state of a post, and changes none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from blogsvc.errors import Invalid, Stale, StateConflict
from blogsvc.models import Event, Post, Revision, db
from blogsvc.posts import autosave, editing, publishing
from tests.clock import NOW, Time

MakePost = Callable[..., Post]


def save(post: Post, now: Any, rev: str | None = None, **changes: Any) -> Post:
    return autosave.autosave(post, changes, None, post.rev if rev is None else rev, now)


def revisions(post: Post) -> list[tuple[str, str]]:
    rows = db.session.scalars(select(Revision).where(Revision.post_id == post.id).order_by(Revision.number))
    return [(row.reason, row.content) for row in rows]


def events(post: Post) -> list[str]:
    return list(db.session.scalars(select(Event.type).where(Event.post_id == post.id).order_by(Event.position)))


@pytest.fixture
def draft(app: object) -> Post:
    return autosave.begin(None, NOW)


def test_a_draft_is_there_before_its_first_letter(draft: Post) -> None:
    assert (draft.state, draft.title, draft.content, draft.slug) == ("draft", "", "", "untitled")
    assert autosave.begin(None, NOW).slug == "untitled-2"


def test_what_is_written_in_one_session_is_one_revision(draft: Post, time: Time) -> None:
    for text in ("O", "On", "One"):
        save(draft, time.passes(seconds=3), title="T", content=text)
    assert revisions(draft) == [("autosaved", "One")]
    save(draft, time.passes(minutes=11), content="Two")
    save(draft, time.passes(minutes=1), content="Two and more")
    assert revisions(draft) == [("autosaved", "One"), ("autosaved", "Two and more")]


def test_subscribers_hear_of_a_session_once(draft: Post, time: Time) -> None:
    for text in ("O", "On"):
        save(draft, time.passes(seconds=3), content=text)
    for text in ("One", "Ones"):
        save(draft, time.passes(minutes=11), content=text)
    assert events(draft) == ["post.created", "post.updated", "post.updated"]


@pytest.mark.parametrize(
    "state", ["scheduled", "missed", "publishing", "published", "partial", "failed", "unpublished"]
)
def test_no_state_is_changed_by_it(state: str, a_post: MakePost, time: Time) -> None:
    post = a_post(live=state not in {"scheduled", "missed"})
    post.state = state  # type: ignore[assignment]
    db.session.commit()
    save(post, time.passes(minutes=1), content="Other words.")
    assert (post.state, post.content) == (state, "Other words.")


def test_what_has_a_time_goes_out_as_it_was_until_the_author_says_so(
    a_post: MakePost, time: Time, tick: Callable[[], None], client: FlaskClient
) -> None:
    post = a_post(slug="mine")
    publishing.schedule(post, time.passes(hours=1), NOW)
    save(post, NOW, content="Newer words.", slug="other")
    assert (post.state, post.has_unpublished_changes) == ("scheduled", True)
    tick()
    live = db.session.get(Post, post.id)
    assert live is not None
    assert (live.state, live.content) == ("published", "Newer words.")
    assert "Some <em>words</em>" in client.get("/mine", follow_redirects=True).text
    assert "Newer words" not in client.get("/mine", follow_redirects=True).text


def test_updating_the_schedule_sends_the_newer_words(
    a_post: MakePost, time: Time, tick: Callable[[], None], client: FlaskClient
) -> None:
    post = a_post(slug="mine")
    publishing.schedule(post, time.passes(hours=1), NOW)
    save(post, NOW, content="Newer words.")
    autosave.update_schedule(post, NOW)
    assert post.has_unpublished_changes is False
    assert revisions(post)[-1] == ("scheduled", "Newer words.")
    tick()
    assert "Newer words" in client.get("/mine").text


def test_a_schedule_that_is_over_cannot_be_updated(a_post: MakePost) -> None:
    with pytest.raises(StateConflict, match="no longer scheduled"):
        autosave.update_schedule(a_post(live=True), NOW)


def test_what_is_live_stays_and_is_known_to_differ(a_post: MakePost, client: FlaskClient) -> None:
    post = a_post(live=True, slug="live")
    save(post, NOW, content="Newer words.")
    assert post.has_unpublished_changes is True
    assert "Newer words" not in client.get("/live").text
    save(post, NOW, content="Some *words*.")
    assert post.has_unpublished_changes is False


def test_what_readers_see_is_never_rewritten(draft: Post, time: Time) -> None:
    save(draft, NOW, title="T", content="One")
    publishing.publish(draft, NOW)
    save(draft, time.passes(minutes=1), content="Two")
    assert revisions(draft) == [("published", "One"), ("autosaved", "Two")]


def test_a_tab_that_saw_something_else_overwrites_nothing(draft: Post, time: Time) -> None:
    seen = draft.rev
    save(draft, NOW, content="From one tab.")
    with pytest.raises(Stale):
        save(draft, NOW, rev=seen, content="From the other.")
    assert draft.content == "From one tab."


def test_the_same_words_under_an_old_rev_are_no_conflict(draft: Post) -> None:
    seen = draft.rev
    save(draft, NOW, content="Said twice, because the answer was lost.")
    save(draft, NOW, rev=seen, content="Said twice, because the answer was lost.")


def test_a_tag_given_meanwhile_does_not_hold_up_who_writes(draft: Post) -> None:
    seen = draft.rev
    save(draft, NOW, tags=["new"])
    save(draft, NOW, rev=seen, content="Words.")
    assert (draft.tags, draft.content) == (["new"], "Words.")


@pytest.mark.parametrize("rev", ["", "nonsense", "a-b-c"])
def test_a_rev_that_is_none_overwrites_nothing(draft: Post, rev: str) -> None:
    with pytest.raises(Stale):
        save(draft, NOW, rev=rev, content="x")


def test_destinations_are_saved_with_the_words(draft: Post) -> None:
    autosave.autosave(draft, {}, ["site", "elsewhere"], draft.rev, NOW)
    assert draft.platforms == ["site", "elsewhere"]


def test_what_a_choice_writes_over_is_kept(draft: Post) -> None:
    save(draft, NOW, content="Theirs.")
    autosave.autosave(draft, {"content": "Mine."}, None, draft.rev, NOW, apart=True)
    assert revisions(draft) == [("autosaved", "Theirs."), ("autosaved", "Mine.")]


def test_words_that_were_let_go_are_kept_beside(draft: Post, time: Time) -> None:
    save(draft, NOW, content="Theirs.")
    autosave.set_aside(draft, {"content": "Mine."}, NOW)
    assert draft.content == "Theirs."
    assert autosave.set_aside(draft, {"content": "Theirs."}, NOW) is None
    save(draft, time.passes(minutes=1), content="Theirs, and on.")
    assert revisions(draft) == [("autosaved", "Theirs."), ("set aside", "Mine."), ("autosaved", "Theirs, and on.")]


def test_the_address_of_a_draft_follows_its_title(draft: Post, a_post: MakePost) -> None:
    for title in ("W", "What I", "What I saw"):
        save(draft, NOW, title=title)
    assert draft.slug == "what-i-saw"
    assert editing.create({"title": "W", "content": ""}, None, NOW).slug == "w", "those on the way are free"


def test_the_address_that_an_author_chose_stays(draft: Post) -> None:
    save(draft, NOW, title="What I saw", slug="seen")
    save(draft, NOW, title="What we saw")
    assert draft.slug == "seen"


def test_the_address_of_a_post_that_has_a_time_stays(draft: Post, time: Time) -> None:
    save(draft, NOW, title="What I saw", content="x")
    publishing.schedule(draft, time.passes(hours=1), NOW)
    save(draft, NOW, title="What we saw")
    assert draft.slug == "what-i-saw"


def test_an_address_that_is_taken_is_refused_and_nothing_written(draft: Post, a_post: MakePost) -> None:
    a_post(slug="taken")
    with pytest.raises(Invalid):
        save(draft, NOW, content="x", slug="taken")
    assert draft.content == ""


def test_a_post_without_a_title_is_not_published(draft: Post) -> None:
    save(draft, NOW, content="Words.")
    with pytest.raises(Invalid) as refusal:
        publishing.publish(draft, NOW)
    assert [fault.pointer for fault in refusal.value.faults] == ["#/title"]
