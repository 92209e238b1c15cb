"""The attention list on the dashboard: one entry per cause, with the actions that resolve it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.delivery import attention, decide, extra_copies
from blogsvc.delivery.attention import (
    FAILURE_KINDS,
    Attention,
    BrokenConnection,
    FailureCause,
    FailureGroup,
    MissedPosts,
    ReadyCopies,
    WaitingPosts,
)
from blogsvc.delivery.status import KnownDestination, known_as
from blogsvc.errors import StateConflict
from blogsvc.models import SITE, Delivery, Post
from blogsvc.posts import prepare, publishing
from blogsvc.posts.publish_request import PublishRequest
from blogsvc.web.dashboard.bulk_results import BulkOutcome, chosen, each, each_delivery, seen
from blogsvc.web.framework import current_user, wording
from blogsvc.web.framework.destination_names import DestinationNames
from blogsvc.web.framework.rendering import go, notice
from blogsvc.web.framework.routes import route

# Posts that are listed for each problem.
MAX_POSTS_PER_PROBLEM = 5
# The actions on deliveries, and the past participle for the notice afterwards.
Act = Callable[[Delivery, datetime], object]
DOES: dict[str, tuple[Act, str]] = {
    "retry": (decide.retry, "queued for retry"),
    "again": (decide.resolve_again, "queued for retry"),
    "there": (lambda delivery, now: decide.resolve_delivered(delivery, None, now, context.tools()), "resolved"),
    "remove": (extra_copies.remove_extra_copies, "freed of extra copies"),
    "leave": (decide.leave, "dismissed"),
}


@dataclass(frozen=True)
class AttentionItem:
    """A group of failures as the dashboard shows it. `does` are the buttons: an action and its label."""

    trouble: FailureGroup
    sentence: str
    detail: str
    does: tuple[tuple[str, str], ...]
    is_unconnected: bool = False

    @property
    def is_for_each(self) -> bool:
        """Return True if a person must check each delivery separately."""
        return self.trouble.cause.kind == "uncertain"

    @property
    def edited_post(self) -> Post | None:
        """Return the post to edit, if the platform rejected one."""
        is_rejected = (self.trouble.cause.kind, self.trouble.cause.code) == ("failed", "rejected")
        is_one = self.trouble.count == 1 and not self.is_unconnected
        return self.trouble.deliveries[0].post if is_rejected and is_one and self.trouble.deliveries else None


@dataclass
class AttentionGroup:
    """What needs attention at one destination. `connector` is the key of its connector, for its logo."""

    name: str
    known: KnownDestination
    connector: str
    missed: MissedPosts | None = None
    outages: list[BrokenConnection] = field(default_factory=list)
    items: list[AttentionItem] = field(default_factory=list)
    waiting: list[WaitingPosts] = field(default_factory=list)
    ready: list[ReadyCopies] = field(default_factory=list)

    @property
    def order(self) -> tuple[bool, bool, str, str]:
        """Return the place in the list: this blog, then problems, then what only waits."""
        is_calm = not (self.missed or self.outages or self.items)
        return self.name != SITE, is_calm, self.known.label.casefold(), self.name


def groups(needs: Attention, destinations: DestinationNames) -> list[AttentionGroup]:
    """Return what needs attention by destination. What concerns no destination is not in it."""
    known, home = KnownDestinations(), context.tools().config.public_url
    by_name: dict[str, AttentionGroup] = {}

    def group(name: str) -> AttentionGroup:
        if name not in by_name:
            row = known.connections.get(name)
            awaited = None if row is not None else known.awaited_connector(name)
            key = row.connector if row is not None else awaited.key if awaited is not None else name
            by_name[name] = AttentionGroup(name, known_as(name, row, home), key)
        return by_name[name]

    if needs.missed.count:
        group(SITE).missed = needs.missed
    for outage in needs.outages:
        group(outage.connection.name).outages.append(outage)
    for trouble in needs.troubles:
        group(trouble.cause.platform).items.append(_item(trouble, destinations))
    for waiting in needs.waiting:
        group(waiting.destination).waiting.append(waiting)
    for ready in needs.ready:
        group(ready.destination).ready.append(ready)
    return sorted(by_name.values(), key=lambda one: one.order)


def _item(trouble: FailureGroup, destinations: DestinationNames) -> AttentionItem:
    cause, is_connected = trouble.cause, destinations.has(trouble.cause.platform)
    is_drift = cause.kind in ("edited", "gone", "duplicated") or cause.code in ("conflict", "edited", "gone")
    is_there = is_drift or cause.kind in ("uncertain", "degraded", "unmailed")
    return AttentionItem(
        trouble,
        wording.failure_sentence(trouble, destinations.label(cause.platform), is_connected),
        _detail(trouble, is_connected and not is_drift),
        wording.failure_actions(trouble, is_connected),
        is_unconnected=not is_connected and not is_there,
    )


def _detail(trouble: FailureGroup, has_error: bool) -> str:
    """Return what the latest copy lost, or its error."""
    if not trouble.deliveries:
        return ""
    latest = trouble.deliveries[0]
    if trouble.cause.kind == "degraded":
        return " ".join(latest.losses or [])
    if trouble.cause.kind == "unmailed":
        return latest.mailing.error if latest.mailing else ""
    return (latest.error_detail or "") if has_error or trouble.cause.kind == "uncertain" else ""


@route("POST", "/desk/needs", role="author", effect=Effect.WRITE)
def see_to_copies() -> Response:
    """Apply one action to all deliveries with a cause, or to one delivery."""
    form = {name: value.replace("\0", "") for name, value in request.form.items()}
    does = form.get("do", "")
    if does not in DOES or form.get("kind") not in FAILURE_KINDS:
        notice("Nothing was changed, because this action is unknown. Reload the page and try again.", "trouble")
        return go("desk.home")
    act, done = DOES[does]
    now = context.now()
    each_delivery(_chosen_deliveries(form), lambda delivery: act(delivery, now)).tell(done)
    return go("desk.home")


def _chosen_deliveries(form: dict[str, str]) -> list[str]:
    if one := form.get("delivery"):
        return [one]
    kind = next(kind for kind in FAILURE_KINDS if kind == form.get("kind"))
    cause = FailureCause(kind, form.get("platform", ""), form.get("code", ""))
    return [delivery.id for delivery in attention.deliveries_of(cause, current_user.user())]


@route("POST", "/desk/needs/missed", role="author", effect=Effect.WRITE)
def see_to_missed() -> Response:
    """Publish, schedule or dismiss missed posts."""
    ids = chosen() or [post.id for post in attention.missed_posts(current_user.user())]
    now = context.now()
    match request.form.get("do"):
        case "later":
            return go("desk.schedule_posts", post=ids[:50])
        case "now":
            _publish(ids, now).tell("queued for publishing")
        case "drop":
            each(ids, lambda post: publishing.unschedule(post, now)).tell("unscheduled")
    return go("desk.home")


def _publish(ids: list[str], now: datetime) -> BulkOutcome:
    request, tools = PublishRequest(), context.tools()
    prepared = {post.id: prepare.publication(post, request, tools) for post in seen(ids)}

    def publish(post: Post) -> None:
        if post.id not in prepared:
            raise StateConflict("This post has changed. Try again.", state=post.state)
        publishing.publish_request(post, request, now, tools, prepared[post.id])

    return each(ids, publish)
