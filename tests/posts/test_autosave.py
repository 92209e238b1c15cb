"""Autosave: text is stored in every state of a post, and changes no state."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from blogsvc.errors import Invalid, Stale, StateConflict
from blogsvc.lib.workers.text_jobs import requester
from blogsvc.models import Event, Post, Revision, db, transaction
from blogsvc.models.event import IN_ORDER
from blogsvc.posts import autosave, editing, publishing
from tests.api.test_costly_text import REPEATED
from tests.clock import NOW, Time

MakePost = Callable[..., Post]


def save(post: Post, now: Any, rev: str | None = None, **changes: Any) -> Post:
    return autosave.autosave(post, changes, None, post.rev if rev is None else rev, now)


def revisions(post: Post) -> list[tuple[str, str]]:
    rows = db.session.scalars(select(Revision).where(Revision.post_id == post.id).order_by(Revision.number))
    return [(row.reason, row.content) for row in rows]


def events(post: Post) -> list[str]:
    return list(db.session.scalars(select(Event.type).where(Event.post_id == post.id).order_by(*IN_ORDER)))


@pytest.fixture
def draft(app: object) -> Post:
    return autosave.begin(None, NOW)


def test_a_new_draft_exists_before_anything_is_typed(draft: Post) -> None:
    assert (draft.state, draft.title, draft.content, draft.slug) == ("draft", "", "", "untitled")
    assert autosave.begin(None, NOW).slug == "untitled-2"


def test_autosaves_of_one_session_make_one_revision(draft: Post, time: Time) -> None:
    for text in ("O", "On", "One"):
        save(draft, time.passes(seconds=3), title="T", content=text)
    assert revisions(draft) == [("autosaved", "One")]
    save(draft, time.passes(minutes=11), content="Two")
    save(draft, time.passes(minutes=1), content="Two and more")
    assert revisions(draft) == [("autosaved", "One"), ("autosaved", "Two and more")]


def test_one_session_of_autosaves_records_one_event(draft: Post, time: Time) -> None:
    for text in ("O", "On"):
        save(draft, time.passes(seconds=3), content=text)
    for text in ("One", "Ones"):
        save(draft, time.passes(minutes=11), content=text)
    assert events(draft) == ["post.created", "post.updated", "post.updated"]


@pytest.mark.parametrize(
    "state", ["scheduled", "missed", "publishing", "published", "partial", "failed", "unpublished"]
)
def test_autosave_changes_no_state(state: str, a_post: MakePost, time: Time) -> None:
    post = a_post(live=state not in {"scheduled", "missed"})
    with transaction():
        post.state = state  # type: ignore[assignment]
    save(post, time.passes(minutes=1), content="Other words.")
    assert (post.state, post.content) == (state, "Other words.")


def test_a_scheduled_post_is_published_as_scheduled_despite_later_autosaves(
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


def test_updating_the_schedule_publishes_the_newer_text(
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


def test_the_schedule_of_a_published_post_cannot_be_updated(a_post: MakePost) -> None:
    with pytest.raises(StateConflict, match="no longer scheduled"):
        autosave.update_schedule(a_post(live=True), NOW)


def test_a_schedule_is_not_updated_to_an_empty_text(
    a_post: MakePost, time: Time, tick: Callable[[], None], client: FlaskClient
) -> None:
    post = a_post(slug="mine")
    publishing.schedule(post, time.passes(hours=1), NOW)
    save(post, NOW, content=" ")
    with pytest.raises(Invalid, match="Add content"):
        autosave.update_schedule(post, NOW)
    tick()
    assert "Some <em>words</em>" in client.get("/mine").text


def test_autosave_of_a_live_post_changes_only_the_working_copy(a_post: MakePost, client: FlaskClient) -> None:
    post = a_post(live=True, slug="live")
    save(post, NOW, content="Newer words.")
    assert post.has_unpublished_changes is True
    assert "Newer words" not in client.get("/live").text
    save(post, NOW, content="Some *words*.")
    assert post.has_unpublished_changes is False


def test_autosave_never_overwrites_a_published_revision(draft: Post, time: Time) -> None:
    save(draft, NOW, title="T", content="One")
    publishing.publish(draft, NOW)
    save(draft, time.passes(minutes=1), content="Two")
    assert revisions(draft) == [("published", "One"), ("autosaved", "Two")]


def test_an_autosave_based_on_an_old_rev_is_rejected(draft: Post, time: Time) -> None:
    seen = draft.rev
    save(draft, NOW, content="From one tab.")
    with pytest.raises(Stale):
        save(draft, NOW, rev=seen, content="From the other.")
    assert draft.content == "From one tab."


def test_an_autosave_with_identical_content_and_an_old_rev_is_no_conflict(draft: Post) -> None:
    seen = draft.rev
    save(draft, NOW, content="Said twice, because the answer was lost.")
    save(draft, NOW, rev=seen, content="Said twice, because the answer was lost.")


def test_a_concurrent_change_of_tags_does_not_conflict_with_content(draft: Post) -> None:
    seen = draft.rev
    save(draft, NOW, tags=["new"])
    save(draft, NOW, rev=seen, content="Words.")
    assert (draft.tags, draft.content) == (["new"], "Words.")


@pytest.mark.parametrize("rev", ["", "nonsense", "a-b-c"])
def test_an_autosave_with_an_invalid_rev_is_rejected(draft: Post, rev: str) -> None:
    with pytest.raises(Stale):
        save(draft, NOW, rev=rev, content="x")


def test_destinations_are_saved_with_the_content(draft: Post, connect: Callable[..., str]) -> None:
    connect("elsewhere")
    autosave.autosave(draft, {}, ["site", "elsewhere"], draft.rev, NOW)
    assert draft.platforms == ["site", "elsewhere"]


def test_content_overwritten_after_a_conflict_is_kept_as_a_revision(draft: Post) -> None:
    save(draft, NOW, content="Theirs.")
    autosave.autosave(draft, {"content": "Mine."}, None, draft.rev, NOW, apart=True)
    assert revisions(draft) == [("autosaved", "Theirs."), ("autosaved", "Mine.")]


def test_content_set_aside_after_a_conflict_is_kept_as_a_revision(draft: Post, time: Time) -> None:
    save(draft, NOW, content="Theirs.")
    autosave.set_aside(draft, {"content": "Mine."}, NOW)
    assert draft.content == "Theirs."
    assert autosave.set_aside(draft, {"content": "Theirs."}, NOW) is None
    save(draft, time.passes(minutes=1), content="Theirs, and on.")
    assert revisions(draft) == [("autosaved", "Theirs."), ("set aside", "Mine."), ("autosaved", "Theirs, and on.")]


def test_the_slug_of_a_draft_follows_its_title(draft: Post, a_post: MakePost) -> None:
    for title in ("W", "What I", "What I saw"):
        save(draft, NOW, title=title)
    assert draft.slug == "what-i-saw"
    assert editing.create({"title": "W", "content": ""}, None, NOW).slug == "w", (
        "slugs of earlier autosaves are free again"
    )


def test_a_slug_chosen_by_the_author_does_not_change(draft: Post) -> None:
    save(draft, NOW, title="What I saw", slug="seen")
    save(draft, NOW, title="What we saw")
    assert draft.slug == "seen"


def test_the_slug_of_a_scheduled_post_does_not_change(draft: Post, time: Time) -> None:
    save(draft, NOW, title="What I saw", content="x")
    publishing.schedule(draft, time.passes(hours=1), NOW)
    save(draft, NOW, title="What we saw")
    assert draft.slug == "what-i-saw"


def test_a_taken_slug_is_rejected_and_nothing_is_saved(draft: Post, a_post: MakePost) -> None:
    a_post(slug="taken")
    with pytest.raises(Invalid):
        save(draft, NOW, content="x", slug="taken")
    assert draft.content == ""


def test_a_post_without_a_title_cannot_be_published(draft: Post) -> None:
    save(draft, NOW, content="Words.")
    with pytest.raises(Invalid) as refusal:
        publishing.publish(draft, NOW)
    assert [fault.pointer for fault in refusal.value.faults] == ["#/title"]


SENTENCES = [f"Sentence {number} has exactly six words." for number in range(100)]
LONG = " ".join(SENTENCES)


def test_a_text_that_an_autosave_removes_is_kept(draft: Post, time: Time) -> None:
    save(draft, NOW, content=LONG)
    save(draft, time.passes(seconds=5), content="")
    save(draft, time.passes(seconds=5), content="Anew")
    assert revisions(draft) == [("before removal", LONG), ("autosaved", "Anew")]


def test_a_text_that_another_text_replaces_is_kept(draft: Post, time: Time) -> None:
    save(draft, NOW, content=LONG)
    other = LONG.translate(str.maketrans("aeiou", "eioua"))
    save(draft, time.passes(seconds=5), content=other)
    assert revisions(draft) == [("before removal", LONG), ("autosaved", other)]


def test_the_longest_text_of_a_session_is_kept_while_it_is_removed_word_by_word(draft: Post, time: Time) -> None:
    save(draft, NOW, content=LONG)
    for left in range(99, 59, -1):
        save(draft, time.passes(seconds=1), content=" ".join(SENTENCES[:left]))
        expected = "longest" if left >= 92 else "before removal"
        assert revisions(draft) == [(expected, LONG), ("autosaved", " ".join(SENTENCES[:left]))]


def test_new_words_that_are_removed_after_a_large_removal_are_kept_too(draft: Post, time: Time) -> None:
    save(draft, NOW, content=LONG)
    kept, news = SENTENCES[:50], [f"Another {number}." for number in range(40)]
    for count in range(41):
        save(draft, time.passes(seconds=1), content=" ".join(kept + news[:count]))
    for count in range(40, -1, -1):
        save(draft, time.passes(seconds=1), content=" ".join(kept + news[:count]))
    assert [content for _, content in revisions(draft)] == [LONG, " ".join(kept + news), " ".join(kept)]


@pytest.mark.parametrize("back", ["", " And more."])
def test_a_removal_that_is_undone_leaves_one_revision(draft: Post, time: Time, back: str) -> None:
    save(draft, NOW, content=LONG)
    save(draft, time.passes(seconds=5), content="")
    save(draft, time.passes(seconds=5), content=LONG + back)
    assert revisions(draft) == [("autosaved", LONG + back)]
    assert events(draft) == ["post.created"]


def test_typing_and_correcting_makes_one_revision(draft: Post, time: Time) -> None:
    for text in ("Hello ther", "Hello there", "Hello", "Hello ev", "Hello everyone who", "Hello everyone who reads"):
        save(draft, time.passes(seconds=2), content=text)
    assert revisions(draft) == [("autosaved", "Hello everyone who reads")]


def test_the_autosaves_of_two_users_are_not_merged(draft: Post, time: Time) -> None:
    for user in ("per_ann", "per_bo"):
        requester.set(user)
        save(draft, time.passes(seconds=2), content=f"By {user}")
    requester.set("")
    assert [content for _, content in revisions(draft)] == ["", "By per_ann", "By per_bo"]


def test_a_text_that_cannot_be_rendered_is_saved_while_the_post_is_scheduled(a_post: MakePost, time: Time) -> None:
    post = publishing.schedule(a_post(), time() + timedelta(hours=1), time())
    save(post, time.passes(seconds=3), content=REPEATED)
    assert (post.content, post.state) == (REPEATED, "scheduled")
    live = post.live_revision()
    assert live is not None
    assert live.content == "Some *words*."
