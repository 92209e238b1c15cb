"""The actions on a post and on its copies, as the status of the post offers them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import url_for

from blogsvc.delivery.status import DeliveryStatus
from blogsvc.models import Delivery, Post
from blogsvc.web.framework import wording
from blogsvc.web.framework.actions import Action
from blogsvc.web.framework.destination_names import DestinationNames


@dataclass(frozen=True)
class StatusActions:
    """The actions of one status. `where` is the place that shows it: ids, targets and forms name it."""

    post: Post
    where: str
    can_connect: bool
    destinations: DestinationNames

    def undo(self) -> Action:
        return self._on_post("undo", "Undo", "desk.undo_publish", icon="undo-2")

    def of_post(self, statuses: Sequence[DeliveryStatus]) -> Iterator[Action]:
        """Yield the actions on the post as a whole."""
        retryable = sum(status.action == "retry" and status.phase != "live" for status in statuses)
        if retryable > 1:
            yield self._on_post("retry-all", f"Retry {retryable} deliveries", "desk.retry_post")
        if self.post.state in ("scheduled", "missed"):
            yield self._on_post("unschedule", "Unschedule", "desk.unschedule_post")
        if self.post.is_live and self.where == "page":
            yield self._on_post(
                "unpublish",
                "Unpublish post",
                "desk.unpublish_post",
                kind="danger",
                confirm="Unpublish this post and its copies, where the platform allows it? "
                "The text is kept as a draft.",
            )
            if any(status.has_drafts and status.can_withdraw for status in statuses):
                yield self._on_post(
                    "unpublish-delete",
                    "Unpublish and delete copies",
                    "desk.unpublish_post",
                    {"do": "delete"},
                    kind="bare danger",
                    confirm="Unpublish this post and delete its copies with their comments and figures? "
                    "This can't be undone. Unpublish post keeps drafts where the platform has drafts.",
                )

    def outcomes(self, copy: Delivery) -> Iterator[Action]:
        """Yield the two answers about an uncertain copy."""
        for outcome, label in zip(("there", "again"), wording.outcomes(copy.operation), strict=True):
            yield self._on_copy(copy, outcome, label, "desk.resolve_copy", {"outcome": outcome})

    def of_destination(self, status: DeliveryStatus) -> Iterator[Action]:
        """Yield the actions on the copy at a destination, the one that continues its delivery first."""
        if next_step := self._next_step(status):
            yield next_step
        if status.delivery is not None and status.delivery.extra_count:
            yield from self._extra_copy_actions(status.delivery)
        if self.where != "margin":
            yield from self._removals(status)
        if status.delivery is not None and status.code in ("not_connected", "late"):
            about = f"on {status.label}"
            yield self._on_copy(status.delivery, "leave", "Don't publish", "desk.leave_copy", kind="bare", about=about)
        if status.delivery is not None and status.code == "edited_and_kept":
            yield self._on_copy(status.delivery, "keep", "Keep copy", "desk.leave_copy", kind="bare")

    def _next_step(self, status: DeliveryStatus) -> Action | None:
        """Return what continues the delivery, if anything does and this user may do it."""
        label, name, copy = wording.action_label(status), status.platform, status.delivery
        match status.action:
            case "retry" if copy is not None:
                kind = "bare" if status.code == "retrying" else None
                return self._on_copy(copy, "retry", label, "desk.retry_copy", kind=kind)
            case "leave" if copy is not None:
                return self._on_copy(copy, "leave", label, "desk.leave_copy", kind="bare")
            case "hand_over" if copy is not None:
                return self._link(f"hand-{copy.id}", label, url_for("desk.hand_over", delivery_id=copy.id))
            case "edit":
                values: dict[str, Any] = {"post_id": self.post.id, "as": name}
                url = url_for("desk.edit_post", **values)
                return self._link(f"edit-{name}", label, url)
            case "connect" if self.can_connect:
                url = url_for("desk.waiting_posts", name=name, post=self.post.id)
                return self._link(f"connect-{name}", label, url)
            case "reconnect" if self.can_connect:
                url = url_for("desk.reconnect_destination", name=name, post=self.post.id)
                return self._link(f"reconnect-{name}", label, url)
            case "open" if copy is not None and status.url:
                return self._link(f"open-{copy.id}", label, status.url, opens_tab=True)
        return None

    def _extra_copy_actions(self, copy: Delivery) -> Iterator[Action]:
        label = "Remove extra copy" if copy.extra_count == 1 else "Remove extra copies"
        yield self._on_copy(copy, "remove-extra", label, "desk.decide_extra_copies", kind="danger")
        yield self._on_copy(copy, "keep-extra", "Keep", "desk.decide_extra_copies", {"do": "keep"}, kind="bare")

    def _removals(self, status: DeliveryStatus) -> Iterator[Action]:
        """Yield what removes a copy or its draft, or the destination of a scheduled post."""
        copy, post, name = status.delivery, self.post, status.platform
        if copy is not None and status.can_withdraw and post.is_live:
            place = wording.place(name, status.label)
            question = f"Remove this post from {place}? Copies elsewhere stay."
            yield self._on_copy(copy, "down", "Unpublish", "desk.withdraw_copy", kind="bare danger", confirm=question)
            if status.has_drafts:
                question = (
                    f"Delete the copy on {status.label} with its comments and figures? "
                    "This can't be undone. Unpublish keeps it as a draft."
                )
                yield self._deletion(copy, "Delete copy", question)
        if post.state == "scheduled" and name in post.platforms and len(post.platforms) > 1:
            about, fields = self.destinations.label(name), {"platform": name}
            yield self._on_post(f"remove-{name}", "Remove", "desk.remove_destination", fields, kind="bare", about=about)
        if copy is not None and status.code == "drafted":
            question = f"Delete the draft on {status.label} with its comments and figures? This can't be undone."
            yield self._deletion(copy, "Delete draft", question)

    def _deletion(self, copy: Delivery, label: str, question: str) -> Action:
        fields = {"do": "delete"}
        return self._on_copy(copy, "delete", label, "desk.withdraw_copy", fields, kind="bare danger", confirm=question)

    def _on_post(self, name: str, label: str, endpoint: str, fields: Mapping[str, str] = {}, **more: Any) -> Action:
        return self._form(name, label, url_for(endpoint, post_id=self.post.id), fields, **more)

    def _on_copy(
        self, copy: Delivery, name: str, label: str, endpoint: str, fields: Mapping[str, str] = {}, **more: Any
    ) -> Action:
        return self._form(f"{name}-{copy.id}", label, url_for(endpoint, delivery_id=copy.id), fields, **more)

    def _form(self, name: str, label: str, url: str, fields: Mapping[str, str], **more: Any) -> Action:
        fields = {"where": self.where, **fields}
        return Action(label, url, fields, id=f"{name}-{self.where}", target=f"#status-{self.where}", **more)

    def _link(self, name: str, label: str, url: str, **more: Any) -> Action:
        return Action(label, url, id=f"{name}-{self.where}", is_link=True, **more)
