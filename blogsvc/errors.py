"""The errors that the packages raise; the API turns them into problem documents, the pages into messages.

BlogError                 base class; its message is shown to the user
  NotFound                the object does not exist, or no longer
  StateConflict           the object's state does not allow this action; `allowed` lists the actions it allows
    InUse                 posts use the object; `posts` lists them
  Stale                   the object has changed since the caller read it
  Forbidden               the caller lacks permission; `scope` is the missing scope, if that is the reason
  Invalid                 validation failed; `faults` lists every error with its location
    Refused               a platform rejected the settings
      OtherOrigin         the settings lead to a server that nobody entered or confirmed
    TextRefused           rendering or converting a text takes more time or memory than is allowed
  Busy                    the database is locked, unreachable or full; nothing was changed, retry
    Unsure                the database connection was lost during a commit; the outcome is unknown
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Every `code` of a Fault. The page of the problem `invalid` lists them.
ERROR_CODES = {
    "ambiguous": "Two fields give the same value in two ways. Send only one of them.",
    "bad_encoding": "The text contains an unpaired surrogate, which is not a valid character.",
    "beyond_key": "The value grants more than the calling key has itself.",
    "conflict": "The platform already has different content under this identifier.",
    "control_character": "The text contains a control character, or a line break in a single-line field.",
    "damaged": "The image is truncated or corrupt.",
    "disconnected": "The platform rejects this credential.",
    "duplicate": "The platform already has this content.",
    "empty": "The file is empty.",
    "empty_span": "The range ends before it starts.",
    "gone": "The content no longer exists on the platform.",
    "in_future": "The time is in the future.",
    "in_past": "The time is in the past.",
    "invalid": "The value has the wrong format; `detail` describes the correct one.",
    "invalid_name": "The name may contain only lowercase letters, digits and hyphens.",
    "loop": "Redirects would lead in a circle, or too many of them would follow each other.",
    "misconfigured": "The setting does not point to what it should; `detail` says what was found.",
    "no_connection": "The connection no longer exists.",
    "no_words": "The search query contains no words.",
    "not_a_time": "The value is not a valid date and time.",
    "not_a_url": "The value is not a URL that starts with https:// or http://.",
    "not_an_image": "The file is not a supported image, whatever its name says.",
    "not_fetched": "The image could not be fetched from its address.",
    "not_one_of": "The value is not one of the allowed values; `detail` lists them.",
    "origin_changed": "The address leads to another server than the one that the stored credentials were entered for.",
    "other_origin": "The address leads to a server that nobody entered. Confirm that server, or enter its URL.",
    "out_of_range": "The number or date is too small or too large.",
    "quota_exceeded": "A quota is used up; `detail` names the limit and the setting that raises it.",
    "read_only": "The field is read-only. Omit the field, or send the value that you read.",
    "refused_address": "This server does not send requests to this address.",
    "rejected": "The platform rejects the value.",
    "repeated": "The value is given more than once.",
    "repeated_time": "The local time occurs twice because of a clock change; set `fold` to choose one.",
    "required": "The value is required.",
    "skipped_time": "The local time does not exist because of a clock change; set `fold` to choose a side.",
    "taken": "The value is already in use.",
    "too_costly": "Decoding the image, or rendering the text, takes more time or memory than is allowed.",
    "too_far_ahead": "The time is more than five years in the future.",
    "too_long": "The text, list or range is too long.",
    "too_many": "The maximum number has been reached.",
    "too_many_frames": "The animation has too many frames.",
    "too_many_pixels": "The image has too many pixels.",
    "too_many_pixels_in_all": "The frames of the animation have too many pixels in total.",
    "too_short": "The text or list is too short.",
    "unknown": "There is no field or parameter with this name. Check the spelling.",
    "unknown_author": "There is no author with this slug.",
    "unknown_connector": "There is no connector with this name.",
    "unknown_field": "The connector has no setting with this name.",
    "unknown_platform": "There is no destination with this name; `detail` says whether a connector exists.",
    "unknown_scope": "There is no scope with this name.",
    "unknown_series": "There is no series with this slug.",
    "unknown_zone": "There is no time zone with this name.",
    "unreachable": "No server answers at this address.",
    "unsupported": "The platform does not support this.",
    "wrong_type": "The value has the wrong type, for example text instead of a number.",
}


class BlogError(Exception):
    """An expected error, whose message is safe to show to the user."""


class NotFound(BlogError):
    """The object does not exist."""


class StateConflict(BlogError):
    """The object's `state` does not allow the action; `allowed` lists the actions that it allows."""

    def __init__(self, message: str, *, state: str, allowed: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.state = state
        self.allowed = allowed


class InUse(StateConflict):
    """Posts still use the object; `posts` holds the id and title of each."""

    def __init__(self, message: str, *, posts: tuple[tuple[str, str], ...], allowed: tuple[str, ...] = ()) -> None:
        super().__init__(message, state="used", allowed=allowed)
        self.posts = posts


def check_transition(noun: str, state: str, action: str, transitions: Mapping[str, tuple[str, ...]]) -> None:
    """Raise StateConflict if `transitions`, the allowed actions by state, do not list this action."""
    allowed = transitions[state]
    if action not in allowed:
        others = f"Allowed actions: {', '.join(allowed)}." if allowed else "No actions are allowed in this state."
        raise StateConflict(f"Can't {action} this {noun} because it is {state}. {others}", state=state, allowed=allowed)


class Stale(BlogError):
    """The object has changed since the caller read it."""


class Forbidden(BlogError):
    """The caller lacks permission; `scope` is the missing scope, if that is the reason."""

    def __init__(self, message: str, scope: str | None = None) -> None:
        super().__init__(message)
        self.scope = scope


@dataclass(frozen=True)
class Fault:
    """One validation error: its location (a JSON pointer such as `#/title`), its code, and how to fix it."""

    pointer: str
    code: str
    detail: str
    platform: str | None = None
    rule: str | None = None
    remediation: str | None = None


class Invalid(BlogError):
    """Validation failed; `faults` lists every error."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(fault.detail for fault in faults))
        self.faults = faults


class Refused(Invalid):
    """A platform rejected the settings of a connection."""


class OtherOrigin(Refused):
    """The settings lead to another server, `origin`, which a person must confirm before it gets the secrets."""

    def __init__(self, fault: Fault, origin: str) -> None:
        super().__init__(fault)
        self.origin = origin


class TextRefused(Invalid):
    """A text takes too much time or memory to render or convert. The message says what to change."""

    def __init__(self, detail: str, pointer: str = "#/content") -> None:
        super().__init__(Fault(pointer, "too_costly", detail))


class Busy(BlogError):
    """The database cannot be used at the moment. `retry_after` is in seconds."""

    def __init__(self, message: str, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unsure(Busy):
    """A commit may or may not have succeeded. Retry only if the rows show whether it did."""
