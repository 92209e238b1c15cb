"""What a verb may refuse, and why; entrances turn these into problem documents and forms.

BlogError                 its message is for the person who asked
  NotFound                no such thing, or not any more
  StateConflict           the thing is in a state that does not allow this move; `allowed` names those that do
    InUse                 posts show it; `posts` names them
  Stale                   it was changed since the caller read it
  Forbidden               who asks may not; `scope` is the one that is missing, where that is it
  Invalid                 the request can be read but not carried out; `faults` says where and why
    Refused               a platform says so: its settings do not work there
  Busy                    the database is locked, away or full: nothing was changed, try again
    Unsure                the database was lost while it saved: whether anything was changed is not known
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# What may be wrong with a request: every `code` of a Fault. Each has its line on the page of the problem `invalid`.
FAULTS = {
    "ambiguous": "Two fields say the same thing in two ways; give one of them.",
    "bad_encoding": "The text holds half of a surrogate pair, which is no character.",
    "beyond_key": "It is more than the key that asks has itself.",
    "conflict": "The platform has something else there.",
    "control_character": "The text holds a control character, or a line break where it is one line.",
    "damaged": "The picture is cut off or broken.",
    "disconnected": "The platform refuses this credential.",
    "duplicate": "The platform has it already.",
    "empty": "The file has no bytes.",
    "empty_span": "The span ends before it begins.",
    "gone": "The platform does not have it any more.",
    "in_past": "The time has passed.",
    "invalid": "It is not written the way it must be; `detail` says how.",
    "invalid_name": "The name is not lowercase letters, digits and hyphens.",
    "misconfigured": "The setting does not lead to what it should; `detail` says what was found.",
    "no_connection": "Nothing is connected there any more.",
    "no_words": "There is no word in it to look for.",
    "not_a_picture": "The file is none of the kinds of pictures that are taken, whatever its name says.",
    "not_a_time": "It is no time, or not written as one.",
    "not_a_url": "It is no address that begins with https:// or http://.",
    "not_one_of": "It is none of the values that there are; `detail` lists them.",
    "out_of_range": "The number or date is too small or too large.",
    "refused_address": "The address is one that this server does not go to.",
    "rejected": "The platform does not take it as it is.",
    "repeated": "It is given twice, and may be once.",
    "repeated_time": "The clocks show this wall time twice; `fold` says which is meant.",
    "required": "It is needed and not there.",
    "skipped_time": "The clocks jump over this wall time; `fold` says which side is meant.",
    "taken": "Something else has it already.",
    "too_costly": "The picture takes more time or memory to decode than is allowed.",
    "too_far_ahead": "The time is more than five years ahead.",
    "too_long": "The text, list or span is longer than it may be.",
    "too_many": "There are as many as there may be.",
    "too_many_frames": "The animation has more frames than it may have.",
    "too_many_pixels": "The picture has more pixels than it may have.",
    "too_many_pixels_in_all": "All frames of the animation together have more pixels than they may have.",
    "too_short": "The text or list is shorter than it must be.",
    "unknown": "Nothing here has this name; it may be misspelt.",
    "unknown_connector": "There is no such connector.",
    "unknown_field": "The connector has no such setting.",
    "unknown_platform": "Nothing is connected under this name.",
    "unknown_scope": "There is no such scope.",
    "unknown_zone": "There is no such time zone.",
    "unsupported": "The platform cannot do this.",
    "wrong_type": "It is of another type than it must be: text for a number, for example.",
}


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


class Forbidden(BlogError):
    """`scope` is the one that is missing, where that is it."""

    def __init__(self, message: str, scope: str | None = None) -> None:
        super().__init__(message)
        self.scope = scope


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


class Refused(Invalid):
    pass


class Busy(BlogError):
    """`retry_after` is in seconds."""

    def __init__(self, message: str, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unsure(Busy):
    """Who can tell by the rows whether it was done asks again, as after Busy; anybody else looks first."""
