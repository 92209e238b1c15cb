"""The state of a published post is its deliveries', and each state allows certain moves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.errors import StateConflict
from blogsvc.models import Delivery, Post
from blogsvc.models.post import POST_MOVES, state_of


def test_words_can_be_mended_or_thrown_away_in_every_state() -> None:
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
def test_the_state_of_a_post_is_that_of_its_deliveries(deliveries: str, state: str) -> None:
    assert state_of([Delivery(state=name) for name in deliveries.split()]) == state


@pytest.mark.parametrize("state", POST_MOVES)
@pytest.mark.parametrize("move", ["edit", "schedule", "unschedule", "publish", "unpublish", "delete"])
def test_a_move_that_the_state_does_not_allow_names_those_that_it_does(state: str, move: str) -> None:
    post = Post(state=state)
    if move in POST_MOVES[state]:
        post.may(move)
        return
    with pytest.raises(StateConflict, match=state) as conflict:
        post.may(move)
    assert conflict.value.allowed == POST_MOVES[state]


def test_words_that_did_not_change_make_no_revision(a_post: Callable[..., Post]) -> None:
    post = a_post()
    first = post.latest_revision()
    assert post.revise("saved", post.created_at) is first
    post.title = "Other"
    assert post.revise("saved", post.created_at).number == first.number + 1
