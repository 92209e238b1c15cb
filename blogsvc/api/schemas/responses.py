"""Schemas of responses."""

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
    """An error: a `code` for programs and a `detail` for people."""

    code: str
    detail: str


class DeliveryOut(Out):
    """The delivery of a post to one destination. `drift` says how the copy differs from what was sent.

    `losses` are sentences about parts of the copy that the platform doesn't show, such as "The table is missing.".
    """

    id: str
    platform: str
    state: DeliveryState
    url: str | None
    remote_id: str | None
    attempts: int
    last_error: ErrorOut | None
    next_attempt_at: Instant | None
    delivered_at: Instant | None
    # Someone edited or deleted the copy on the platform. A retry restores it.
    drift: Literal["edited", "gone"] | None
    # The platform keeps the withdrawn copy as a draft. Publishing again publishes this draft.
    is_draft: bool
    # How many extra copies are on the platform, because a request arrived late. Remove them, or dismiss them.
    extra_count: int
    # What readers of the copy miss, in sentences: the platform shows it without these parts.
    losses: list[str]
    # When subscribers were e-mailed, or may have been. They are not e-mailed again unless somebody asks for that.
    mailed_at: Instant | None


class AttemptOut(Out):
    """One attempt to send a post, with its outcome."""

    number: int
    operation: str
    started_at: Instant
    finished_at: Instant | None
    milliseconds: int | None
    outcome: str | None
    error: ErrorOut | None


class ExtraCopyOut(Out):
    """A copy besides the one that the delivery knows. `error` says why it could not be removed."""

    remote_id: str
    url: str | None
    found_at: Instant
    is_kept: bool
    error: str | None


class MailOut(Out):
    """How an e-mail is doing. A count is null if the platform doesn't report it; `error` says why it failed."""

    status: Literal["sending", "sent", "failed"]
    recipients: int | None
    delivered: int | None
    opened: int | None
    error: str


class DeliveryDetailOut(DeliveryOut):
    """A delivery with all its attempts. `lookedAt` is when the copy was last compared with what was sent.

    `mail` is the latest e-mail to subscribers, as the platform reported it last; null if there is none.
    """

    post_id: str
    looked_at: Instant | None
    attempt_log: list[AttemptOut]
    extra_copies: list[ExtraCopyOut]
    mail: MailOut | None


class DeliveriesOut(Out):
    data: list[DeliveryOut]
    next_cursor: str | None = None


class CopyOut(Out):
    """The state of a copy on its platform. `unknown`: it could not be checked; `detail` says why."""

    delivery_id: str
    platform: str
    state: Literal["in-step", "edited", "gone", "unknown"]
    url: str | None
    detail: str | None


class CopiesOut(Out):
    data: list[CopyOut]


class PostOut(Out):
    """A post and its deliveries."""

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
    cover_alt: str
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
    """An event."""

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
    """The maximum size of one part of a post on a platform."""

    part: str
    most: int
    unit: str


class TrialOut(Out):
    """What publishing now would send to one destination, with warnings and limits."""

    platform: str
    operation: Literal["create", "update", "none"]
    payload: dict[str, Any] | None
    warnings: list[str]
    limits: list[LimitOut]
    error: ErrorOut | None


class PreviewOut(Out):
    """What publishing would send to each destination."""

    platforms: list[TrialOut]


class DryRunOut(Out):
    """What publishing would send to each destination. Nothing was sent."""

    dry_run: Literal[True] = True
    platforms: list[TrialOut]


class PublishedOut(RootModel[PostOut | DryRunOut]):
    """The post after all deliveries have finished (`Prefer: wait`), or the result of a dry run."""


class TextFieldsOut(Out):
    """The text fields of a post except the title."""

    content: str
    summary: str
    slug: str
    tags: list[str]
    canonical_url: str | None
    cover_image: str | None
    cover_alt: str
    language: str | None
    overrides: dict[str, Any]


def text_fields_of(row: PostFields) -> dict[str, Any]:
    return {name: value for name, value in row.words().items() if name in TextFieldsOut.model_fields}


class FieldOut(Out):
    """A setting that a connector needs.

    `address`: it decides where the secrets are sent. To change it to another server, send the secrets again.
    """

    name: str
    label: str
    help: str
    secret: bool
    required: bool
    default: str
    choices: list[str]
    address: bool


class OptionOut(Out):
    """An option that a post can set in `overrides`. If `choices` is empty, any single line of text."""

    name: str
    label: str
    help: str
    default: str
    choices: list[str]


class ConnectorOut(Out):
    """A connector: its settings, options, limits, abilities and caveats.

    `carries` are the parts of a post that it sends. `once` says how it avoids duplicate copies.
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


class MakerOut(Out):
    """The person or API key that made something. `name` is null for a person who was removed."""

    type: Literal["person", "key"]
    id: str
    name: str | None


class ConnectionOut(Out):
    """A connection. Its secrets are never returned.

    `createdBy` is null if it was made on the command line. `adoptedBy` is the person who has taken it over.
    `options` are those of a post for this account, with the choices that it offers, such as newsletters.
    """

    name: str
    connector: str
    label: str
    kind: str
    account: str
    account_url: str | None
    health: Literal["ok", "failing", "disconnected"]
    last_error: str | None
    settings: dict[str, str]
    options: list[OptionOut]
    verified_at: Instant | None
    created_by: MakerOut | None
    adopted_by: MakerOut | None
    created_at: Instant | None


class PlatformsOut(Out):
    """The connections and the available connectors."""

    connected: list[ConnectionOut]
    available: list[ConnectorOut]


class RatesOut(Out):
    """Requests per minute."""

    read: int
    write: int
    publish: int


class MeOut(Out):
    """The API key of this request. `limits` are in requests per minute."""

    id: str
    name: str
    prefix: str
    scopes: list[str]
    limits: RatesOut
    created_at: Instant
    last_used_at: Instant | None
    expires_at: Instant | None


class ProblemErrorOut(BaseModel):
    """A validation error of a field (`pointer`) or a query parameter (`parameter`)."""

    pointer: str | None = None
    parameter: str | None = None
    code: str
    detail: str
    platform: str | None = None
    rule: str | None = None
    remediation: str | None = None


class ProblemOut(BaseModel):
    """A problem document (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[ProblemErrorOut] | None = None
