"""The actions that the attention list offers for each task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from flask import url_for

from blogsvc.delivery.attention import FailureCause, MissedPosts, WaitingPosts
from blogsvc.models import Delivery
from blogsvc.web.dashboard.attention import AttentionItem
from blogsvc.web.framework import wording
from blogsvc.web.framework.actions import Action


class Choices(NamedTuple):
    """The action that a task suggests, if there is one, and the others that are possible."""

    main: Action | None
    others: list[Action]


@dataclass(frozen=True)
class AttentionActions:
    """What a user can do about each task. `label` is the destination in what follows."""

    is_owner: bool

    def of_missed(self, missed: MissedPosts) -> Choices:
        url = url_for("desk.see_to_missed")
        label = "Publish now" if missed.count == 1 else f"Publish {missed.count} posts"
        reschedule, unschedule = Action("Reschedule…", url, {"do": "later"}), Action("Unschedule", url, {"do": "drop"})
        return Choices(Action(label, url, {"do": "now"}), [reschedule, unschedule])

    def of_failures(self, item: AttentionItem, label: str) -> Choices:
        """Return what can be done about all failures with one cause: change what is wrong, else retry or dismiss."""
        url, cause = url_for("desk.see_to_copies"), item.trouble.cause
        decisions = [Action(text, url, {**_fields(cause), "do": name}) for name, text in item.does]
        if item.is_unconnected and self.is_owner:
            return Choices(Action("Connect a destination", url_for("desk.destinations"), is_link=True), decisions)
        if item.edited_post:
            values: dict[str, Any] = {"post_id": item.edited_post.id, "as": cause.platform}
            return Choices(Action(f"Edit for {label}", url_for("desk.edit_post", **values), is_link=True), decisions)
        return Choices(decisions[0] if decisions else None, decisions[1:])

    def outcomes(self, cause: FailureCause, delivery: Delivery) -> Iterator[Action]:
        """Yield the two answers about an uncertain copy."""
        url, fields = url_for("desk.see_to_copies"), {**_fields(cause), "delivery": delivery.id}
        for name, text in zip(("there", "again"), wording.outcomes(delivery.operation), strict=True):
            yield Action(text, url, {**fields, "do": name})

    def of_waiting(self, waiting: WaitingPosts, label: str) -> Choices:
        page = url_for("desk.waiting_posts", name=waiting.destination)
        url = url_for("desk.see_to_waiting", name=waiting.destination)
        if not waiting.is_late:
            connect = Action(f"Connect {label}", page, is_link=True) if self.is_owner else None
            return Choices(connect, [Action(f"Don't publish on {label}", url, {"do": "leave"})])
        posts = "1 post" if waiting.count == 1 else f"{waiting.count} posts"
        choose = [Action("Choose posts", page, is_link=True)] if waiting.count > 1 else []
        leave = Action("Don't publish", url, {"do": "leave"})
        return Choices(Action(f"Publish {posts}", url, {"do": "publish"}), [*choose, leave])


def _fields(cause: FailureCause) -> dict[str, str]:
    return {"kind": cause.kind, "platform": cause.platform, "code": cause.code}
