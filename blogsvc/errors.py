"""What a verb may refuse, and why; entrances turn these into problem documents and forms.

BlogError                 its message is for the person who asked
  NotFound                no such thing, or not any more
  StateConflict           the thing is in a state that does not allow this move; `allowed` names those that do
    InUse                 posts show it; `posts` names them
  Stale                   it was changed since the caller read it
  Invalid                 the request can be read but not carried out; `faults` says where and why
  Busy                    the database is locked, away or full: nothing was changed, try again
    Unsure                the database was lost while it saved: whether anything was changed is not known
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


class BlogError(Exception):
    """Expected, and safe to show."""


class NotFound(BlogError):
    pass


class StateConflict(BlogError):
    """`state` is where the thing stands, `allowed` the moves that it permits from there."""

    def __init__(self, message: str, *, state: str, allowed: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.state = state
        self.allowed = allowed


class InUse(StateConflict):
    """`posts` are the id and title of each post that would miss the thing."""

    def __init__(self, message: str, *, posts: tuple[tuple[str, str], ...], allowed: tuple[str, ...] = ()) -> None:
        super().__init__(message, state="used", allowed=allowed)
        self.posts = posts


def demand_move(noun: str, state: str, move: str, moves: Mapping[str, tuple[str, ...]]) -> None:
    """Raises StateConflict where `moves` do not allow this move from this state."""
    allowed = moves[state]
    if move not in allowed:
        others = f"these can: {', '.join(allowed)}" if allowed else "nothing can"
        raise StateConflict(
            f"'{move}' cannot be done while a {noun} is {state}; {others}.", state=state, allowed=allowed
        )


class Stale(BlogError):
    pass


@dataclass(frozen=True)
class Fault:
    """One thing wrong with a request: where (a JSON pointer such as `#/title`), what, and the mend."""

    pointer: str
    code: str
    detail: str
    platform: str | None = None
    rule: str | None = None
    remediation: str | None = None


class Invalid(BlogError):
    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(fault.detail for fault in faults))
        self.faults = faults


class Busy(BlogError):
    """`retry_after` is in seconds."""

    def __init__(self, message: str, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unsure(Busy):
    """Who can tell by the rows whether it was done asks again, as after Busy; anybody else looks first."""
