"""Standing: how a post fares at each place, in plain words, with the one thing that a person may do about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from urllib.parse import urlsplit

from blogsvc.connectors import connectors
from blogsvc.connectors.site import SiteConnector
from blogsvc.delivery.article import absolute
from blogsvc.models import SITE, Connection, Delivery, Post

# What is on its way or waits; what is there; what goes on by itself; what needs a person; what is no more.
Shape = Literal["queued", "sending", "live", "waiting", "trouble", "down"]
Action = Literal["retry", "edit", "reconnect", "resolve", "look"]
WAITING_LABELS = {
    "create": "Waiting to be sent",
    "update": "Waiting to be updated",
    "delete": "Waiting to be taken down",
}
SENDING_LABELS = {"create": "Sending", "update": "Updating", "delete": "Taking it down"}


@dataclass(frozen=True)
class KnownDestination:
    """A destination by its names: `label` is the platform's, `account` who we are there."""

    label: str
    account: str


@dataclass(frozen=True)
class DeliveryStatus:
    """How one copy stands. `at` is when something happens by itself; `does` what the action is called."""

    platform: str
    label: str
    account: str
    shape: Shape
    words: str
    cause: str = ""
    at: datetime | None = None
    action: Action | None = None
    does: str = ""
    url: str | None = None
    delivery: Delivery | None = None

    @property
    def needs_person(self) -> bool:
        return self.shape == "trouble"

    @property
    def may_withdraw(self) -> bool:
        return self.delivery is not None and self.delivery.state == "delivered"


def label_of(name: str, connection: Connection | None) -> str:
    """What a destination is called in brief: by its platform, or where that has a second account, by its own name."""
    if name == SITE:
        return SiteConnector.label
    kind = connectors().get(connection.connector) if connection is not None else None
    return kind.label if kind is not None and name == kind.key else name


def known_as(platform: str, connection: Connection | None, public_url: str) -> KnownDestination:
    if platform == SITE:
        return KnownDestination(SiteConnector.label, urlsplit(public_url).netloc)
    if connection is None:
        return KnownDestination(platform, "")
    kind = connectors().get(connection.connector)
    own = "" if platform == connection.connector else platform  # of a second account
    return KnownDestination(
        kind.label if kind else connection.connector, " · ".join(filter(None, (own, connection.account)))
    )


def statuses(post: Post, public_url: str) -> list[DeliveryStatus]:
    """One for each place that it went to, is on its way to, or will go to, our own blog first."""
    connections = {connection.name: connection for connection in Connection.all()}
    shown = [delivery for delivery in post.deliveries if not delivery.is_leftover]
    went = [status_of(one, connections.get(one.platform), public_url) for one in shown]
    if post.state in ("scheduled", "missed"):
        there = {one.platform for one in went if one.shape != "down"}
        went = [one for one in went if one.platform in there]
        went += [_awaited(name, connections.get(name), public_url) for name in post.platforms if name not in there]
    return sorted(went, key=lambda one: (one.platform != SITE, one.label.casefold(), one.platform))


def _awaited(platform: str, connection: Connection | None, public_url: str) -> DeliveryStatus:
    known = known_as(platform, connection, public_url)
    if platform != SITE and connection is None:
        gone = "Nothing is connected there any more"
        return DeliveryStatus(platform, platform, "", "trouble", gone, action="reconnect", does="Connect it")
    if connection is not None and connection.health == "disconnected":
        words, cause = "Its account must be connected again", connection.last_error or ""
        return DeliveryStatus(
            platform, known.label, known.account, "trouble", words, cause, None, "reconnect", "Reconnect"
        )
    return DeliveryStatus(platform, known.label, known.account, "queued", "Waits for its time")


def status_of(delivery: Delivery, connection: Connection | None, public_url: str) -> DeliveryStatus:
    known = known_as(delivery.platform, connection, public_url)
    shape, words, at, action, does = _told(delivery, connection, known.label)
    return DeliveryStatus(
        platform=delivery.platform,
        label=known.label,
        account=known.account,
        shape=shape,
        words=words,
        cause=_cause(delivery, connection) if shape in ("waiting", "trouble") else "",
        at=at,
        action=action,
        does=does,
        url=absolute(delivery.url, public_url),
        delivery=delivery,
    )


Told = tuple[Shape, str, datetime | None, Action | None, str]


def _told(delivery: Delivery, connection: Connection | None, label: str) -> Told:
    operation = delivery.operation or delivery.needed_operation
    match delivery.state:
        case "queued" | "retrying" if connection is not None and connection.health == "disconnected":
            return "trouble", "Its account must be connected again", None, "reconnect", "Reconnect"
        case "queued" if connection is not None and _is_later(connection.paused_until, delivery.next_attempt_at):
            return "waiting", f"{label} is given a pause; trying", connection.paused_until, None, ""
        case "queued":
            return "queued", WAITING_LABELS[operation], None, None, ""
        case "sending":
            return "sending", SENDING_LABELS[operation], None, None, ""
        case "retrying":
            return "waiting", "Trying again", _next_try(delivery, connection), "retry", "Retry now"
        case "uncertain" if delivery.next_attempt_at is not None:
            return "waiting", "Sent, no answer came; looking there", delivery.next_attempt_at, None, ""
        case "uncertain":
            return "trouble", _question(operation), None, "resolve", ""
        case "failed":
            return _failed(delivery, label)
        case "withdrawn":
            return "down", "Taken down", None, None, ""
    if delivery.drift == "edited":
        return "live", "Changed there since it was sent", None, "retry", "Write over it"
    if delivery.drift == "gone":
        return "trouble", "Removed there since it was sent", None, "retry", "Make it anew"
    return "live", "Live", None, None, ""


def _next_try(delivery: Delivery, connection: Connection | None) -> datetime | None:
    """Not before its lane is open again."""
    pause = connection.paused_until if connection else None
    return pause if _is_later(pause, delivery.next_attempt_at) else delivery.next_attempt_at


def _is_later(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and (other is None or one > other)


def _question(operation: str) -> str:
    if operation == "delete":
        return "It was asked to take it down, and no answer came. Look there: is it gone?"
    return "It was sent, and no answer came. Look there: did it arrive?"


def _failed(delivery: Delivery, label: str) -> Told:
    """By the code of the error: the words for it, and what helps."""
    match delivery.error_code:
        case "rejected":
            return "trouble", f"{label} does not take it as it is", None, "edit", f"Edit for {label}"
        case "disconnected":
            return "trouble", "Its account must be connected again", None, "reconnect", "Reconnect"
        case "misconfigured":
            return "trouble", "Its settings do not lead to the account", None, "reconnect", "Check the settings"
        case "conflict":
            return "trouble", "Changed there since it was sent", None, "retry", "Write over it"
        case "gone":
            return "trouble", "Removed there", None, "retry", "Make it anew"
        case "unsupported" if delivery.revision_id is None:
            return "trouble", "It cannot be taken down from here; do it there by hand", None, "look", "Open it there"
        case "gave_up":
            return "trouble", "Given up after many tries", None, "retry", "Try again"
    return "trouble", "It did not work", None, "retry", "Try again"


def _cause(delivery: Delivery, connection: Connection | None) -> str:
    said = delivery.error_detail or (connection.last_error if connection else None)
    return said or ""


def heading(post: Post, told: list[DeliveryStatus]) -> str:
    """The state of a post in one line, but for its time."""
    live = sum(one.shape == "live" for one in told)
    wanted = sum(one.shape != "down" for one in told)
    match post.state:
        case "draft":
            return "Not published yet"
        case "scheduled":
            return f"Scheduled in {count_destinations(wanted)}"
        case "missed":
            return "Its time has passed"
        case "unpublished":
            still = sum(one.shape not in ("down", "live") for one in told)
            return f"Being taken down in {count_destinations(still)}" if still else "Taken down"
    if any(one.shape in ("queued", "sending") for one in told):
        return (
            f"Sending; live in {live} of {count_destinations(wanted)}"
            if live
            else f"Sending to {count_destinations(wanted)}"
        )
    return (
        f"Live in {count_destinations(wanted)}" if live == wanted else f"Live in {live} of {count_destinations(wanted)}"
    )


def count_destinations(count: int) -> str:
    return "1 place" if count == 1 else f"{count} places"


def is_open(told: list[DeliveryStatus]) -> bool:
    """Whether something is going to change by itself soon: worth looking again."""
    return any(one.shape in ("queued", "sending", "waiting") and one.delivery is not None for one in told)
