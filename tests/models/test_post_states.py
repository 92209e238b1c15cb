"""The state of a published post is derived from its deliveries, and each state allows certain moves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.errors import StateConflict
from blogsvc.models import Delivery, Post, transaction
from blogsvc.models.post_states import POST_MOVES, state_of


def test_a_post_can_be_edited_or_deleted_in_every_state() -> None:
    assert all({"edit", "delete"} <= set(moves) for moves in POST_MOVES.values())


@pytest.mark.parametrize(
    ("deliveries", "state"),
    [
        ("delivered delivered", "published"),
        ("delivered withdrawn", "published"),
        ("delivered queued", "publishing"),
        ("failed sending", "publishing"),
        ("failed retrying", "publishing"),
        ("delivered failed", "partial"),
        ("delivered uncertain", "partial"),
        ("failed uncertain", "partial"),
        ("failed failed", "failed"),
        ("withdrawn withdrawn", "unpublished"),
        ("", "unpublished"),
    ],
)
def test_the_state_of_a_post_is_derived_from_its_deliveries(deliveries: str, state: str) -> None:
    assert state_of([Delivery(state=name) for name in deliveries.split()]) == state


@pytest.mark.parametrize("state", POST_MOVES)
@pytest.mark.parametrize("move", ["edit", "schedule", "unschedule", "publish", "unpublish", "delete"])
def test_a_move_that_the_state_forbids_lists_the_allowed_ones(state: str, move: str) -> None:
    post = Post(state=state)
    if move in POST_MOVES[state]:
        post.require_move(move)
        return
    with pytest.raises(StateConflict, match=state) as conflict:
        post.require_move(move)
    assert conflict.value.allowed == POST_MOVES[state]


def test_unchanged_content_creates_no_revision(a_post: Callable[..., Post]) -> None:
    post = a_post()
    with transaction():
        first = post.latest_revision()
        assert post.revise("saved", post.created_at) is first
        post.title = "Other"
        assert post.revise("saved", post.created_at).number == first.number + 1
