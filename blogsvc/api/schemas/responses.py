"""What goes out."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    RootModel,
)

from blogsvc.api.schemas.fields import DeliveryState, Instant, Out, PostStatus
from blogsvc.models.post_fields import PostFields


class ErrorOut(Out):
    """What went wrong: a code for programs, and words for people."""

    code: str
    detail: str


class DeliveryOut(Out):
    """How a post fares at one destination."""

    id: str
    platform: str
    state: DeliveryState
    url: str | None
    remote_id: str | None
    attempts: int
    last_error: ErrorOut | None
    next_attempt_at: Instant | None
    delivered_at: Instant | None
    # The copy is not as we left it: somebody changed it there, or it is gone. Retry to put it right.
    drift: Literal["edited", "gone"] | None


class AttemptOut(Out):
    """One attempt to send a post there, and what came of it."""

    number: int
    operation: str
    started_at: Instant
    finished_at: Instant | None
    milliseconds: int | None
    outcome: str | None
    error: ErrorOut | None


class DeliveryDetailOut(DeliveryOut):
    """`lookedAt` is when the platform was last asked whether the copy is as it was sent."""

    post_id: str
    looked_at: Instant | None
    attempt_log: list[AttemptOut]


class DeliveriesOut(Out):
    data: list[DeliveryOut]
    next_cursor: str | None = None


class CopyOut(Out):
    """How a copy stands there. `unknown`: the platform does not tell, or could not be asked; `detail` says why."""

    delivery_id: str
    platform: str
    state: Literal["in-step", "edited", "gone", "unknown"]
    url: str | None
    detail: str | None


class CopiesOut(Out):
    data: list[CopyOut]


class PostOut(Out):
    """A post, and where it went."""

    id: str
    title: str
    content: str
    summary: str
    slug: str
    tags: list[str]
    platforms: list[str]
    scheduled_at: Instant | None
    status: PostStatus
    canonical_url: str | None
    cover_image: str | None
    language: str | None
    overrides: dict[str, Any]
    url: str | None
    has_unpublished_changes: bool
    word_count: int
    created_at: Instant
    updated_at: Instant
    published_at: Instant | None
    deleted_at: Instant | None
    deliveries: list[DeliveryOut]


class PostsOut(Out):
    data: list[PostOut]
    next_cursor: str | None


class EventOut(Out):
    """Something that happened."""

    id: str
    type: str
    post_id: str | None
    delivery_id: str | None
    data: dict[str, Any]
    created_at: Instant


class EventsOut(Out):
    data: list[EventOut]
    next_cursor: str | None = None


class LimitOut(Out):
    """The most that a platform takes of some part."""

    part: str
    most: int
    unit: str


class TrialOut(Out):
    """What would be sent to one platform, were it published now."""

    platform: str
    operation: Literal["create", "update", "none"]
    payload: dict[str, Any] | None
    warnings: list[str]
    limits: list[LimitOut]
    error: ErrorOut | None


class PreviewOut(Out):
    """What each destination would be sent."""

    platforms: list[TrialOut]


class DryRunOut(Out):
    """What publishing would send to each platform."""

    dry_run: Literal[True] = True
    platforms: list[TrialOut]


class PublishedOut(RootModel[PostOut | DryRunOut]):
    """The post once it has settled (`Prefer: wait`), or what a dry run found."""


class WordsOut(Out):
    """An author's words, but for the title."""

    content: str
    summary: str
    slug: str
    tags: list[str]
    canonical_url: str | None
    cover_image: str | None
    language: str | None
    overrides: dict[str, Any]


def words_of(row: PostFields) -> dict[str, Any]:
    return {name: value for name, value in row.words().items() if name in WordsOut.model_fields}


class FieldOut(Out):
    """What a platform asks to be connected."""

    name: str
    label: str
    help: str
    secret: bool
    required: bool
    default: str
    choices: list[str]


class OptionOut(Out):
    """What may be chosen per post, in `overrides`. Without choices, any line of text."""

    name: str
    label: str
    help: str
    default: str
    choices: list[str]


class ConnectorOut(Out):
    """A platform that can be connected: what it asks, what it takes, what it can do, and what that leaves open.

    `once` says why there is never a second copy.
    """

    key: str
    label: str
    kind: Literal["article", "announcement", "newsletter", "file", "event"]
    docs: str
    fields: list[FieldOut]
    options: list[OptionOut]
    limits: list[LimitOut]
    carries: list[str]
    abilities: list[str]
    caveats: list[str]
    once: str


class ConnectionOut(Out):
    """What is connected. Secrets never come out."""

    name: str
    connector: str
    label: str
    kind: str
    account: str
    account_url: str | None
    health: Literal["ok", "failing", "disconnected"]
    last_error: str | None
    settings: dict[str, str]
    verified_at: Instant | None
    created_at: Instant | None


class PlatformsOut(Out):
    """What is connected, and what can be."""

    connected: list[ConnectionOut]
    available: list[ConnectorOut]


class RatesOut(Out):
    """Calls a minute."""

    read: int
    write: int
    publish: int


class MeOut(Out):
    """The key that is asking. `limits` are calls a minute."""

    id: str
    name: str
    prefix: str
    scopes: list[str]
    limits: RatesOut
    created_at: Instant
    last_used_at: Instant | None
    expires_at: Instant | None


class ProblemErrorOut(BaseModel):
    """What is wrong with a field (`pointer`) or a parameter of the query (`parameter`)."""

    pointer: str | None = None
    parameter: str | None = None
    code: str
    detail: str
    platform: str | None = None
    rule: str | None = None
    remediation: str | None = None


class ProblemOut(BaseModel):
    """RFC 9457."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[ProblemErrorOut] | None = None
