"""Status of a post at each destination: a code, a cause, and the action that a user can take.

`web/framework/wording.py` turns the codes into text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from urllib.parse import urlsplit

from blogsvc.connections.waiting import awaited_connector
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Operation
from blogsvc.connectors.site import SiteConnector
from blogsvc.delivery.article import absolute
from blogsvc.models import SITE, Connection, Delivery, Post, StagedDraft
from blogsvc.models.due_drafts import drafts_of

# queued: waits for the scheduler. waiting: continues without a person. open: waits for a person, and nothing is wrong.
# hand: will wait for a person later. trouble: needs a person. down: no copy exists.
Phase = Literal["queued", "sending", "live", "waiting", "open", "hand", "trouble", "down"]
NO_ACCOUNT = "no account yet"
Code = Literal[
    "scheduled",
    "staged",
    "queued",
    "sending",
    "paused",
    "retrying",
    "checking",
    "uncertain",
    "disconnected",
    "not_connected",
    "late",
    "by_hand",
    "ready_to_post",
    "ready_to_update",
    "ready_to_remove",
    "misconfigured",
    "rejected",
    "edited",
    "deleted",
    "edited_and_kept",
    "cannot_unpublish",
    "gave_up",
    "failed",
    "degraded",
    "unmailed",
    "live",
    "unpublished",
    "drafted",
]
NextStep = Literal["retry", "edit", "connect", "reconnect", "resolve", "open", "leave", "hand_over"]
READY: Mapping[Operation, Code] = {
    "create": "ready_to_post",
    "update": "ready_to_update",
    "delete": "ready_to_remove",
}


@dataclass(frozen=True)
class KnownDestination:
    """The names of a destination: `label` of the platform, `account` on the platform."""

    label: str
    account: str


@dataclass(frozen=True)
class DeliveryStatus:
    """The status of one copy. `at` is the time of the next automatic step."""

    platform: str
    label: str
    account: str
    phase: Phase
    code: Code
    operation: Operation = "create"
    cause: str = ""
    at: datetime | None = None
    action: NextStep | None = None
    url: str | None = None
    delivery: Delivery | None = None
    # The platform keeps a withdrawn copy as a draft.
    has_drafts: bool = False

    @property
    def losses(self) -> list[str]:
        """Return what readers miss of the copy, in sentences, unless the author has dismissed it."""
        return (self.delivery.losses or []) if self.delivery is not None and self.code == "degraded" else []

    @property
    def needs_person(self) -> bool:
        return self.phase == "trouble"

    @property
    def is_up(self) -> bool:
        """Return True if readers can see a copy. A copy stays up while it is updated."""
        is_updated = self.operation == "update" and self.phase in ("queued", "sending", "waiting", "open", "hand")
        return self.phase == "live" or is_updated

    @property
    def can_withdraw(self) -> bool:
        return self.delivery is not None and self.delivery.state == "delivered"


def label_of(name: str, connection: Connection | None) -> str:
    """Return the short name of a destination: the platform, or its own name if the platform has a second account."""
    if name == SITE:
        return SiteConnector.label
    kind = connectors().get(connection.connector) if connection is not None else awaited_connector(name)
    return kind.label if kind is not None and name == kind.key else name


def account_of(label: str) -> str:
    """Return an account on a platform with its article: "a WordPress account"."""
    if label.startswith("Another "):
        return label[:1].lower() + label[1:]
    return f"{'an' if label[:1] in 'AEIOU' else 'a'} {label} account"


def labels_of(names: Collection[str]) -> list[str]:
    """Return the short names of destinations."""
    connections = Connection.by_name()
    return [label_of(name, connections.get(name)) for name in names]


def known_as(platform: str, connection: Connection | None, public_url: str) -> KnownDestination:
    if platform == SITE:
        return KnownDestination(SiteConnector.label, urlsplit(public_url).netloc)
    if connection is None:
        awaited = awaited_connector(platform)
        return KnownDestination(awaited.label if awaited else platform, NO_ACCOUNT)
    kind = connectors().get(connection.connector)
    own = "" if platform == connection.connector else platform  # the name of a second account
    return KnownDestination(
        kind.label if kind else connection.connector, " · ".join(filter(None, (own, connection.account)))
    )


def statuses(post: Post, public_url: str) -> list[DeliveryStatus]:
    """Return the status at each destination, the built-in blog first: past, current and scheduled deliveries."""
    connections = Connection.by_name()
    shown = [
        delivery
        for delivery in post.deliveries
        if not delivery.is_leftover or delivery.is_draft or delivery.extra_count
    ]
    result = [status_of(delivery, connections.get(delivery.destination), public_url) for delivery in shown]
    if post.state in ("scheduled", "missed"):
        live = {status.platform for status in result if status.phase != "down"}
        result = [status for status in result if status.platform in live]
        drafts = drafts_of(post)
        wanted = [name for name in post.platforms if name not in live]
        result += [_scheduled(name, connections.get(name), drafts.get(name), public_url) for name in wanted]
    return sorted(result, key=_by_label)


def planned(names: Collection[str], public_url: str) -> list[DeliveryStatus]:
    """Return the status at destinations to which a post will be published, the built-in blog first."""
    connections = Connection.by_name()
    return sorted((_scheduled(name, connections.get(name), None, public_url) for name in names), key=_by_label)


def _by_label(status: DeliveryStatus) -> tuple[bool, str, str]:
    return status.platform != SITE, status.label.casefold(), status.platform


def _scheduled(
    platform: str, connection: Connection | None, draft: StagedDraft | None, public_url: str
) -> DeliveryStatus:
    known = known_as(platform, connection, public_url)
    if platform != SITE and connection is None:
        return DeliveryStatus(platform, known.label, known.account, "open", "not_connected", action="connect")
    if connection is not None and connection.health == "disconnected":
        cause = connection.last_error or ""
        return DeliveryStatus(
            platform,
            known.label,
            known.account,
            "trouble",
            "disconnected",
            cause=cause,
            at=connection.verify_at,
            action="reconnect",
        )
    if draft is not None and draft.error_detail:
        cause = draft.error_detail
        return DeliveryStatus(platform, known.label, known.account, "trouble", "rejected", cause=cause, action="edit")
    kind = connectors().get(connection.connector) if connection is not None else None
    if kind is not None and kind.can("hand_over"):
        return DeliveryStatus(platform, known.label, known.account, "hand", "by_hand")
    code: Code = "staged" if draft is not None and draft.state == "ready" else "scheduled"
    return DeliveryStatus(platform, known.label, known.account, "queued", code)


def status_of(delivery: Delivery, connection: Connection | None, public_url: str) -> DeliveryStatus:
    known = known_as(delivery.destination, connection, public_url)
    phase, code, at, action = _progress(delivery, connection)
    cause = delivery.error_detail or (connection.last_error if connection else None) or ""
    return DeliveryStatus(
        platform=delivery.destination,
        label=known.label,
        account=known.account,
        phase=phase,
        code=code,
        operation=delivery.operation or delivery.needed_operation,
        cause=cause if phase in ("waiting", "trouble") else "",
        at=at,
        action=action,
        url=absolute(delivery.url, public_url),
        delivery=delivery,
        has_drafts=_has_drafts(connection),
    )


def _has_drafts(connection: Connection | None) -> bool:
    kind = connectors().get(connection.connector) if connection is not None else None
    return kind is not None and kind.can("unpublish")


Progress = tuple[Phase, Code, datetime | None, NextStep | None]


def _progress(delivery: Delivery, connection: Connection | None) -> Progress:
    match delivery.state:
        case "blocked" if connection is not None:
            return "open", "late", None, "retry"
        case "blocked":
            return "open", "not_connected", None, "connect"
        case "awaiting_hand":
            phase: Phase = "open" if delivery.next_attempt_at is None else "hand"
            return phase, READY[delivery.operation or "create"], delivery.next_attempt_at, "hand_over"
        case "queued" | "retrying" | "uncertain" if _is_held(delivery, connection):
            return "trouble", "disconnected", connection.verify_at if connection else None, "reconnect"
        case "queued" if connection is not None and _is_later(connection.paused_until, delivery.next_attempt_at):
            return "waiting", "paused", connection.paused_until, None
        case "queued":
            return "queued", "queued", None, None
        case "sending":
            return "sending", "sending", None, None
        case "retrying":
            return "waiting", "retrying", _next_attempt(delivery, connection), "retry"
        case "uncertain" if delivery.next_attempt_at is not None:
            return "waiting", "checking", delivery.next_attempt_at, None
        case "uncertain":
            return "trouble", "uncertain", None, "resolve"
        case "failed":
            return _failed(delivery)
        case "withdrawn" if delivery.is_draft:
            return "down", "drafted", None, None
        case "withdrawn":
            return "down", "unpublished", None, None
    if delivery.drift == "edited":
        return "live", "edited", None, "retry"
    if delivery.drift == "gone":
        return "trouble", "deleted", None, "retry"
    if delivery.is_degraded:
        return "live", "degraded", None, "leave"
    if delivery.mail_failed_at is not None:
        return "live", "unmailed", None, "leave"
    return "live", "live", None, None


def _is_held(delivery: Delivery, connection: Connection | None) -> bool:
    """Return True if the next attempt or look waits for the account. An author can resolve the others without it."""
    is_planned = delivery.next_attempt_at is not None
    return is_planned and connection is not None and connection.health == "disconnected"


def _next_attempt(delivery: Delivery, connection: Connection | None) -> datetime | None:
    """Return the time of the next attempt, which is never before the connection's pause ends."""
    pause = connection.paused_until if connection else None
    return pause if _is_later(pause, delivery.next_attempt_at) else delivery.next_attempt_at


def _is_later(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and (other is None or one > other)


def _failed(delivery: Delivery) -> Progress:
    match delivery.error_code:
        case "rejected":
            return "trouble", "rejected", None, "edit"
        case "disconnected":
            return "trouble", "disconnected", None, "reconnect"
        case "misconfigured":
            return "trouble", "misconfigured", None, "reconnect"
        case "conflict":
            return "trouble", "edited", None, "retry"
        case "edited":
            return "trouble", "edited_and_kept", None, "retry"
        case "gone":
            return "trouble", "deleted", None, "retry"
        case "unsupported" if delivery.revision_id is None:
            return "trouble", "cannot_unpublish", None, "open"
        case "gave_up":
            return "trouble", "gave_up", None, "retry"
    return "trouble", "failed", None, "retry"


def retried(post: Post) -> list[str]:
    """Return where a live post is retried, if nothing else of it is under way, nor needs anybody."""
    states = {delivery.state for delivery in post.deliveries}
    if post.state != "publishing" or "delivered" not in states or states - {"delivered", "retrying", "withdrawn"}:
        return []
    return [delivery.destination for delivery in post.deliveries if delivery.state == "retrying"]


def is_open(statuses: list[DeliveryStatus]) -> bool:
    """Return True if a status will change soon without a person, so that the page should refresh."""
    return any(status.phase in ("queued", "sending", "waiting") and status.delivery is not None for status in statuses)
