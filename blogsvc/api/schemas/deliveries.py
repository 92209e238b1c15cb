"""Schemas of deliveries, their attempts and their copies."""

from __future__ import annotations

from typing import Literal

from blogsvc.api.schemas.fields import DeliveryState, Instant, Out


class ErrorOut(Out):
    """An error of a delivery: a `code` for programs and a `detail` for people."""

    code: str
    """The code, for example `disconnected`, `rejected` or `rate_limited`. New codes can be added at any time."""
    detail: str
    """What happened and what to do, in English. Often contains the response of the platform."""


class DeliveryOut(Out):
    """The delivery of a post to one destination."""

    id: str
    """The id, for example `dlv_01m86a3kq7f2h9x4c5v8b1n6de`."""
    platform: str
    """The name of the destination, for example `mastodon`. `site` is this blog."""
    state: DeliveryState
    """The state of the delivery.

    `queued`: waits for its first attempt. `sending`: an attempt is running. `delivered`: the destination has the copy.
    `retrying`: an attempt failed, and the next one is at `nextAttemptAt`. `failed`: not retried; `lastError` says why;
    retry or dismiss the delivery. `uncertain`: a request was sent but no response arrived, so that the copy may or may
    not exist; resolve the delivery if it stays uncertain. `blocked`: no account is connected for this destination, or
    its account is disconnected; `lastError` says why. The delivery continues when the account is connected. If that is
    long after the time of the post, the delivery stays blocked with the error `late`: retry or dismiss it.
    `awaiting_hand`: a person has to post, update or delete the copy, because blogsvc can't send to this platform; then
    resolve the delivery, or dismiss it. `withdrawn`: the copy was unpublished or deleted.
    """
    url: str | None
    """The URL of the copy. Null until the platform has returned one."""
    remote_id: str | None
    """The platform's own id of the copy. Null until the copy exists."""
    attempts: int
    """The number of attempts so far."""
    last_error: ErrorOut | None
    """The error of the latest attempt, or why the delivery is blocked. Null if the attempt succeeded."""
    next_attempt_at: Instant | None
    """When the next attempt is due. Null if none is planned, or while the account is disconnected.

    With `awaiting_hand`, when the person asked to be reminded.
    """
    delivered_at: Instant | None
    """When the copy was last created or updated. Null if it never was."""
    drift: Literal["edited", "gone"] | None
    """How the copy differs from what was sent: somebody edited it (`edited`) or deleted it (`gone`) on the platform.

    Retry the delivery to restore the copy, or dismiss it. Null if the copy is unchanged.
    """
    is_draft: bool
    """True if the platform keeps the withdrawn copy as a draft. Publishing again publishes this draft."""
    extra_count: int
    """The number of extra copies on the platform, which exist if a request arrived late. Remove or dismiss them."""
    losses: list[str]
    """What readers of the copy miss because the platform doesn't show it: sentences such as `The table is missing.`."""
    mailed_at: Instant | None
    """When subscribers were e-mailed, or may have been. They are not e-mailed again unless somebody asks for that."""


class AttemptOut(Out):
    """One attempt to send a post, with its outcome."""

    number: int
    """The number of the attempt. The first one is 1."""
    operation: str
    """What was sent: `create`, `update` or `delete`."""
    started_at: Instant
    """When the attempt started."""
    finished_at: Instant | None
    """When the attempt finished. Null while it runs."""
    milliseconds: int | None
    """How long the attempt took, in milliseconds. Null while it runs."""
    outcome: str | None
    """The outcome: `succeeded`, `failed`, or `lost` if the attempt ended without a result. Null while it runs."""
    error: ErrorOut | None
    """The error. Null if the attempt succeeded or is running."""


class ExtraCopyOut(Out):
    """A copy besides the one that the delivery knows."""

    remote_id: str
    """The platform's own id of the copy."""
    url: str | None
    """The URL of the copy. Null if it is not known."""
    found_at: Instant
    """When the copy was found."""
    is_kept: bool
    """True if the delivery was dismissed, so that the copy stays."""
    error: str | None
    """Why the copy could not be removed. Null if removing it was not tried, or has not failed."""


class MailOut(Out):
    """How an e-mail to subscribers is doing."""

    status: Literal["sending", "sent", "failed"]
    """The status: `sending`, `sent`, or `failed`; `error` says why it failed."""
    recipients: int | None
    """The number of subscribers that the e-mail is for. Null if the platform doesn't report it."""
    delivered: int | None
    """The number of subscribers that got the e-mail. Null if the platform doesn't report it."""
    opened: int | None
    """The number of subscribers that opened the e-mail. Null if the platform doesn't report it."""
    error: str
    """Why the e-mail failed, or why some subscribers did not get it. Empty if there was no error."""


class DeliveryDetailOut(DeliveryOut):
    """A delivery with all its attempts."""

    post_id: str
    """The id of the post."""
    looked_at: Instant | None
    """When the copy was last compared with what was sent. Null if it never was."""
    attempt_log: list[AttemptOut]
    """All attempts, oldest first."""
    extra_copies: list[ExtraCopyOut]
    """Copies besides the one that the delivery knows. Empty if there are none."""
    mail: MailOut | None
    """The latest e-mail to subscribers, as the platform reported it last. Null if there is none."""


class DeliveriesOut(Out):
    """The deliveries of a post."""

    data: list[DeliveryOut]
    """The deliveries, one for each destination."""
    next_cursor: str | None = None
    """Always null: all deliveries of a post are on one page."""


class CopyOut(Out):
    """The result of a check of a copy on its platform."""

    delivery_id: str
    """The id of the delivery that created the copy."""
    platform: str
    """The name of the destination."""
    state: Literal["in-step", "edited", "gone", "unknown"]
    """The state of the copy.

    `in-step`: equals what was sent. `edited`: somebody edited it on the platform. `gone`: it no longer exists.
    `unknown`: it could not be checked; `detail` says why.
    """
    url: str | None
    """The URL of the copy. Null if the platform returned none."""
    detail: str | None
    """An explanation of the state. Null if there is none."""


class CopiesOut(Out):
    """The state of each copy of a post."""

    data: list[CopyOut]
    """The copies, one for each delivery that was checked."""
