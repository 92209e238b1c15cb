"""What the API answers. Generated (`make clients`)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from .._reading import each, time
from .._record import Record
from .values import DeliveryState, Health, MessageState, PlatformKind, PostStatus, Scope


class ProblemError(Record):
    """What is wrong with a field (`pointer`) or a parameter of the query (`parameter`)."""

    pointer: str | None
    parameter: str | None
    code: str
    detail: str
    platform: str | None
    rule: str | None
    remediation: str | None

    _optional = frozenset({"pointer", "parameter", "platform", "rule", "remediation"})


class Rates(Record):
    """Calls a minute."""

    read: int
    write: int
    publish: int


class Me(Record):
    """The key that is asking. `limits` are calls a minute."""

    id: str
    name: str
    prefix: str
    scopes: list[str]
    limits: Rates
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None

    _reads = {"limits": Rates, "createdAt": time, "lastUsedAt": time, "expiresAt": time}


class DateRange(Record):
    """What was looked at."""

    from_: str
    to: str
    interval: str
    timezone: str


class DeliveryFigures(Record):
    """Counts by outcome; `successRate` is 0 to 1, `medianLateness` in seconds; null without a case."""

    delivered: int
    failed: int
    uncertain: int
    pending: int
    withdrawn: int
    retried: int
    success_rate: float | None
    median_lateness: float | None


class Totals(Record):
    """The figures of all that was looked at."""

    views: int | None
    visitors: int | None
    likes: int | None
    comments: int | None
    shares: int | None
    clicks: int | None
    deliveries: DeliveryFigures

    _reads = {"deliveries": DeliveryFigures}
    _optional = frozenset({"views", "visitors", "likes", "comments", "shares", "clicks"})


class DayFigures(Record):
    """The figures of a day, or of the week or month that begins with it."""

    views: int | None
    visitors: int | None
    likes: int | None
    comments: int | None
    shares: int | None
    clicks: int | None
    date: str

    _optional = frozenset({"views", "visitors", "likes", "comments", "shares", "clicks"})


class PlatformFigures(Record):
    """The figures of one platform."""

    views: int | None
    visitors: int | None
    likes: int | None
    comments: int | None
    shares: int | None
    clicks: int | None
    platform: str
    deliveries: DeliveryFigures

    _reads = {"deliveries": DeliveryFigures}
    _optional = frozenset({"views", "visitors", "likes", "comments", "shares", "clicks"})


class PostFigures(Record):
    """The figures of one post."""

    views: int | None
    visitors: int | None
    likes: int | None
    comments: int | None
    shares: int | None
    clicks: int | None
    post_id: str
    title: str

    _optional = frozenset({"views", "visitors", "likes", "comments", "shares", "clicks"})


class Referrer(Record):
    """From where readers came."""

    host: str
    views: int


class Analytics(Record):
    """How posts did. What `groupBy` does not ask for is empty."""

    range: DateRange
    totals: Totals
    series: list[DayFigures]
    by_platform: list[PlatformFigures]
    by_post: list[PostFigures]
    referrers: list[Referrer]
    collected_at: datetime

    _reads = {
        "range": DateRange,
        "totals": Totals,
        "series": each(DayFigures),
        "byPlatform": each(PlatformFigures),
        "byPost": each(PostFigures),
        "referrers": each(Referrer),
        "collectedAt": time,
    }


class DeliveryError(Record):
    """What went wrong: a code for programs, and words for people."""

    code: str
    detail: str


class Attempt(Record):
    """One attempt to send a post there, and what came of it."""

    number: int
    operation: str
    started_at: datetime
    finished_at: datetime | None
    milliseconds: int | None
    outcome: str | None
    error: DeliveryError | None

    _reads = {"startedAt": time, "finishedAt": time, "error": DeliveryError}


class DeliveryDetail(Record):
    """`lookedAt` is when the platform was last asked whether the copy is as it was sent."""

    id: str
    platform: str
    state: DeliveryState
    url: str | None
    remote_id: str | None
    attempts: int
    last_error: DeliveryError | None
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    drift: Literal["edited", "gone"] | None
    post_id: str
    looked_at: datetime | None
    attempt_log: list[Attempt]

    _reads = {
        "lastError": DeliveryError,
        "nextAttemptAt": time,
        "deliveredAt": time,
        "lookedAt": time,
        "attemptLog": each(Attempt),
    }


class Event(Record):
    """Something that happened."""

    id: str
    type: str
    post_id: str | None
    delivery_id: str | None
    data: dict[str, Any]
    created_at: datetime

    _reads = {"createdAt": time}


class NewKey(Record):
    """`key` is its text, which is shown this once."""

    id: str
    name: str
    prefix: str
    scopes: list[Scope]
    limits: Rates
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None
    key: str

    _reads = {"limits": Rates, "createdAt": time, "lastUsedAt": time, "expiresAt": time, "revokedAt": time}


class Key(Record):
    """A key, without its text. `limits` are those that hold for it, in calls a minute."""

    id: str
    name: str
    prefix: str
    scopes: list[Scope]
    limits: Rates
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None

    _reads = {"limits": Rates, "createdAt": time, "lastUsedAt": time, "expiresAt": time, "revokedAt": time}


class Size(Record):
    """A smaller one of a picture."""

    width: int
    height: int
    url: str
    bytes: int


class Media(Record):
    """A picture. `markdown` is what to paste into a post; `sizes` are smaller ones, which our own pages choose from."""

    id: str
    url: str
    filename: str
    type: str
    width: int
    height: int
    bytes: int
    alt: str
    sizes: list[Size]
    markdown: str
    created_at: datetime

    _reads = {"sizes": each(Size), "createdAt": time}


class Connection(Record):
    """What is connected. Secrets never come out."""

    name: str
    connector: str
    label: str
    kind: str
    account: str
    account_url: str | None
    health: Health
    last_error: str | None
    settings: dict[str, str]
    verified_at: datetime | None
    created_at: datetime | None

    _reads = {"verifiedAt": time, "createdAt": time}


class Field(Record):
    """What a platform asks to be connected."""

    name: str
    label: str
    help: str
    secret: bool
    required: bool
    default: str
    choices: list[str]


class Option(Record):
    """What may be chosen per post, in `overrides`. Without choices, any line of text."""

    name: str
    label: str
    help: str
    default: str
    choices: list[str]


class Limit(Record):
    """The most that a platform takes of some part."""

    part: str
    most: int
    unit: str


class Connector(Record):
    """A platform that can be connected: what it asks, what it takes, what it can do, and what that leaves open.

    `once` says why there is never a second copy."""

    key: str
    label: str
    kind: PlatformKind
    docs: str
    fields: list[Field]
    options: list[Option]
    limits: list[Limit]
    carries: list[str]
    abilities: list[str]
    caveats: list[str]
    once: str

    _reads = {"fields": each(Field), "options": each(Option), "limits": each(Limit)}


class Platforms(Record):
    """What is connected, and what can be."""

    connected: list[Connection]
    available: list[Connector]

    _reads = {"connected": each(Connection), "available": each(Connector)}


class Connected(Record):
    """`generated` are the secrets that were made here, which are shown this once; often none."""

    name: str
    connector: str
    label: str
    kind: str
    account: str
    account_url: str | None
    health: Health
    last_error: str | None
    settings: dict[str, str]
    verified_at: datetime | None
    created_at: datetime | None
    generated: dict[str, str]

    _reads = {"verifiedAt": time, "createdAt": time}


class Delivery(Record):
    """How a post fares at one destination."""

    id: str
    platform: str
    state: DeliveryState
    url: str | None
    remote_id: str | None
    attempts: int
    last_error: DeliveryError | None
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    drift: Literal["edited", "gone"] | None

    _reads = {"lastError": DeliveryError, "nextAttemptAt": time, "deliveredAt": time}


class Post(Record):
    """A post, and where it went."""

    id: str
    title: str
    content: str
    summary: str
    slug: str
    tags: list[str]
    platforms: list[str]
    scheduled_at: datetime | None
    status: PostStatus
    canonical_url: str | None
    cover_image: str | None
    language: str | None
    overrides: dict[str, Any]
    url: str | None
    has_unpublished_changes: bool
    word_count: int
    created_at: datetime
    updated_at: datetime
    published_at: datetime | None
    deleted_at: datetime | None
    deliveries: list[Delivery]

    _reads = {
        "scheduledAt": time,
        "createdAt": time,
        "updatedAt": time,
        "publishedAt": time,
        "deletedAt": time,
        "deliveries": each(Delivery),
    }


class Trial(Record):
    """What would be sent to one platform, were it published now."""

    platform: str
    operation: Literal["create", "update", "none"]
    payload: dict[str, Any] | None
    warnings: list[str]
    limits: list[Limit]
    error: DeliveryError | None

    _reads = {"limits": each(Limit), "error": DeliveryError}


class DryRun(Record):
    """What publishing would send to each platform."""

    dry_run: Literal[True]
    platforms: list[Trial]

    _reads = {"platforms": each(Trial)}
    _optional = frozenset({"dryRun"})


class Preview(Record):
    """What each destination would be sent."""

    platforms: list[Trial]

    _reads = {"platforms": each(Trial)}


class Problem(Record):
    """RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[ProblemError] | None

    _reads = {"errors": each(ProblemError)}
    _optional = frozenset({"errors"})


class Result(Record):
    """What became of one operation: its status, with the post or the problem that it would have answered alone."""

    status: int
    post: Post | None
    problem: Problem | None

    _reads = {"post": Post, "problem": Problem}


class Bulk(Record):
    """What became of each operation, in their order."""

    results: list[Result]

    _reads = {"results": each(Result)}


class Copy(Record):
    """How a copy stands there. `unknown`: the platform does not tell, or could not be asked; `detail` says why."""

    delivery_id: str
    platform: str
    state: Literal["in-step", "edited", "gone", "unknown"]
    url: str | None
    detail: str | None


class Revision(Record):
    """A post as it was saved once."""

    number: int
    reason: str
    restored_from: int | None
    is_live: bool
    title: str
    created_at: datetime

    _reads = {"createdAt": time}


class RevisionInFull(Record):
    """A revision with its words."""

    content: str
    summary: str
    slug: str
    tags: list[str]
    canonical_url: str | None
    cover_image: str | None
    language: str | None
    overrides: dict[str, Any]
    number: int
    reason: str
    restored_from: int | None
    is_live: bool
    title: str
    created_at: datetime

    _reads = {"createdAt": time}


class WebhookDelivery(Record):
    """`id` is the `webhook-id` that the receiver sees."""

    id: str
    type: str
    event_id: str | None
    state: MessageState
    attempts: int
    last_error: DeliveryError | None
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    created_at: datetime

    _reads = {"lastError": DeliveryError, "nextAttemptAt": time, "deliveredAt": time, "createdAt": time}


class WebhookAttempt(Record):
    """One attempt to tell it, and what was answered."""

    number: int
    started_at: datetime
    milliseconds: int | None
    status_code: int | None
    error: DeliveryError | None
    answer: str

    _reads = {"startedAt": time, "error": DeliveryError}


class WebhookDeliveryDetail(Record):
    """A message with what was sent, and every attempt."""

    id: str
    type: str
    event_id: str | None
    state: MessageState
    attempts: int
    last_error: DeliveryError | None
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    created_at: datetime
    payload: dict[str, Any]
    attempt_log: list[WebhookAttempt]

    _reads = {
        "lastError": DeliveryError,
        "nextAttemptAt": time,
        "deliveredAt": time,
        "createdAt": time,
        "attemptLog": each(WebhookAttempt),
    }


class WebhookSubscription(Record):
    """An address that is told of events."""

    id: str
    url: str
    events: list[str]
    description: str
    enabled: bool
    disabled_at: datetime | None
    disabled_reason: Literal["owner", "failing", "gone"] | None
    failing_since: datetime | None
    former_secret_until: datetime | None
    created_at: datetime
    updated_at: datetime

    _reads = {"disabledAt": time, "failingSince": time, "formerSecretUntil": time, "createdAt": time, "updatedAt": time}


class WebhookWithSecret(Record):
    """The only answer that holds the secret."""

    id: str
    url: str
    events: list[str]
    description: str
    enabled: bool
    disabled_at: datetime | None
    disabled_reason: Literal["owner", "failing", "gone"] | None
    failing_since: datetime | None
    former_secret_until: datetime | None
    created_at: datetime
    updated_at: datetime
    secret: str

    _reads = {"disabledAt": time, "failingSince": time, "formerSecretUntil": time, "createdAt": time, "updatedAt": time}
