"""The states of a post, the moves that each allows, and the state that follows from its deliveries."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Protocol

State = Literal["draft", "scheduled", "publishing", "published", "partial", "failed", "missed", "unpublished"]

# The moves that an author may make in each state.
POST_MOVES: dict[str, tuple[str, ...]] = {
    "draft": ("edit", "schedule", "publish", "delete"),
    "scheduled": ("edit", "schedule", "unschedule", "publish", "delete"),
    "missed": ("edit", "schedule", "unschedule", "publish", "delete"),
    "unpublished": ("edit", "schedule", "publish", "delete"),
    "publishing": ("edit", "publish", "unpublish", "delete"),
    "published": ("edit", "publish", "unpublish", "delete"),
    "partial": ("edit", "publish", "unpublish", "delete"),
    "failed": ("edit", "publish", "unpublish", "delete"),
}

# The states in which a post never has a time, by the columns of these times.
NEVER_SET: dict[str, frozenset[str]] = {
    "published_at": frozenset({"draft"}),
    "scheduled_at": frozenset({"draft", "unpublished"}),
}

# The states in which a delivery waits for a person, but is no failure.
OPEN_STATES = frozenset({"blocked", "awaiting_hand"})


class Copy(Protocol):
    """What counts of a delivery."""

    @property
    def state(self) -> str: ...

    @property
    def url(self) -> str | None: ...


def state_of(deliveries: Collection[Copy]) -> State:
    """Return the state of a published post, derived only from its deliveries.

    Open deliveries, which wait for a person although nothing is wrong, do not count beside others that are delivered.
    A copy stays delivered while a person has to update or delete it.
    """
    states = {
        "delivered" if delivery.state == "awaiting_hand" and delivery.url else delivery.state for delivery in deliveries
    }
    if states & {"queued", "sending", "retrying"}:
        return "publishing"
    if states & OPEN_STATES:
        states -= OPEN_STATES
        if states <= {"withdrawn"}:
            return "publishing"
    if states <= {"withdrawn"}:
        return "unpublished"
    if states <= {"delivered", "withdrawn"}:
        return "published"
    return "partial" if states & {"delivered", "uncertain"} else "failed"
