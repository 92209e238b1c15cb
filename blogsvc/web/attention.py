"""Needs you: what went wrong, said once for each cause in plain words, and the one thing to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from flask import Response, request

from blogsvc import context
from blogsvc.delivery import attention, deliver
from blogsvc.delivery.attention import FAILURE_KINDS, Attention, FailureCause, FailureGroup
from blogsvc.models import Delivery, Post
from blogsvc.models.revision import rendered
from blogsvc.posts import publishing
from blogsvc.web import current_person
from blogsvc.web.bulk_results import BulkOutcome, chosen, each, each_delivery
from blogsvc.web.post_rows import RowDestinations
from blogsvc.web.rendering import go, notice
from blogsvc.web.routes import route

# What may be done about a delivery, and how that is told afterwards.
Act = Callable[[Delivery, datetime], object]
DOES: dict[str, tuple[Act, str]] = {
    "retry": (deliver.retry, "on the way again"),
    "again": (deliver.resolve_again, "on the way again"),
    "there": (lambda delivery, now: deliver.resolve_delivered(delivery, None, now), "settled"),
    "leave": (deliver.leave, "left as it is there"),
}


@dataclass(frozen=True)
class AttentionItem:
    """A trouble in words. `does` are the buttons: what is done, and what that is called."""

    trouble: FailureGroup
    sentence: str
    detail: str
    does: tuple[tuple[str, str], ...]
    is_unconnected: bool = False

    @property
    def is_for_each(self) -> bool:
        """Whether a person must look at each of them by itself."""
        return self.trouble.cause.kind == "uncertain"


def told(found: Attention, places: RowDestinations) -> list[AttentionItem]:
    return [_told(trouble, places) for trouble in found.troubles]


def _told(trouble: FailureGroup, places: RowDestinations) -> AttentionItem:
    cause, label, is_one = trouble.cause, places.label(trouble.cause.platform), trouble.count == 1
    posts = "1 post" if is_one else f"{trouble.count} posts"
    copies = "1 copy" if is_one else f"{trouble.count} copies"
    every = "" if is_one else " all"
    detail = (trouble.deliveries[0].error_detail or "") if trouble.deliveries else ""
    leave = ("leave", "Leave it" if is_one else "Leave them")
    if cause.kind == "uncertain":
        return AttentionItem(trouble, f"Whether {posts} arrived at {label} is not known.", detail, ())
    if cause.kind == "edited" or cause.code == "conflict":
        sentence = f"{copies} on {label} {'was' if is_one else 'were'} changed there."
        return AttentionItem(trouble, sentence, "", (("retry", f"Put{every} back as sent"), leave))
    if cause.kind == "gone" or cause.code == "gone":
        sentence = f"{copies} on {label} {'was' if is_one else 'were'} removed there."
        return AttentionItem(trouble, sentence, "", (("retry", f"Send{every} again"), leave))
    if not places.has(cause.platform):
        sentence = f"Nothing is connected as {label} any more, where {posts} should go."
        return AttentionItem(trouble, sentence, "", (leave,), is_unconnected=True)
    if cause.code == "unsupported":
        return AttentionItem(trouble, f"{copies} on {label} cannot be taken down from here.", detail, (leave,))
    sentence = _FAILED.get(cause.code, "{posts} could not be sent to {label}.").format(posts=posts, label=label)
    return AttentionItem(trouble, sentence, detail, (("retry", f"Retry{every}"), leave))


_FAILED = {
    "rejected": "{label} did not take {posts}.",
    "gave_up": "{posts} could not be sent to {label}, however often we tried.",
}


@route("POST", "/desk/needs", role="author")
def see_to_copies() -> Response:
    """Do the same for all that one cause holds up, or for one delivery."""
    form = {name: value.replace("\0", "") for name, value in request.form.items()}
    does = form.get("do", "")
    if does not in DOES or form.get("kind") not in FAILURE_KINDS:
        notice("Nothing was done: that is not known here.", "trouble")
        return go("desk.home")
    act, done = DOES[does]
    now = context.now()
    each_delivery(_of(form), lambda delivery: act(delivery, now)).tell(done)
    return go("desk.home")


def _of(form: dict[str, str]) -> list[str]:
    if one := form.get("delivery"):
        return [one]
    kind = next(kind for kind in FAILURE_KINDS if kind == form.get("kind"))
    cause = FailureCause(kind, form.get("platform", ""), form.get("code", ""))
    return [delivery.id for delivery in attention.deliveries_of(cause, current_person.person())]


@route("POST", "/desk/needs/missed", role="author")
def see_to_missed() -> Response:
    """Posts whose time passed while nothing ran: now, later or never."""
    ids = chosen() or [post.id for post in attention.missed_posts(current_person.person())]
    now = context.now()
    match request.form.get("do"):
        case "later":
            return go("desk.schedule_posts", post=ids[:50])
        case "now":
            _publish(ids, now).tell("on the way")
        case "drop":
            each(ids, lambda post: publishing.unschedule(post, now)).tell("without a time, among your drafts")
    return go("desk.home")


def _publish(ids: list[str], now: datetime) -> BulkOutcome:
    for post in (Post.get(post_id) for post_id in ids):
        rendered(post.content)  # takes a while, and would hold the lock
    return each(ids, lambda post: publishing.publish(post, now))
