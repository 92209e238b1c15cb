"""What the publish dialog offers at a destination beside its tick."""

from __future__ import annotations

from typing import Any

from flask import url_for

from blogsvc.delivery.preflight import DestinationCheck
from blogsvc.models import Post
from blogsvc.web.framework.actions import Action
from blogsvc.web.framework.wording import READY_ACTIONS


def destination_action(post: Post, destination: DestinationCheck, can_connect: bool) -> Action | None:
    """Return a link to where the user can fix what is wrong, or see or post the text by hand."""
    name, label = destination.name, destination.label
    as_shown_there: dict[str, Any] = {"post_id": post.id, "as": name}
    if destination.remedy == "edit" and not destination.has_wrong_text:
        return Action(f"Edit for {label}", url_for("desk.edit_post", **as_shown_there), is_link=True)
    if destination.is_ready and (copy := post.delivery_to(name)):
        url = url_for("desk.hand_over", delivery_id=copy.id)
        return Action(READY_ACTIONS[copy.operation or "create"].format(label=label), url, is_link=True)
    if destination.is_by_hand and name in post.platforms:
        url = url_for("desk.preview_page", **as_shown_there)
        return Action("View text", url, about=f"for {label}", kind="bare", is_link=True)
    if destination.remedy == "connect" and can_connect:
        url = url_for("desk.waiting_posts", name=name, post=post.id)
        return Action("Connect", url, about=label, is_link=True)
    if destination.remedy == "reconnect" and can_connect:
        url = url_for("desk.reconnect_destination", name=name, post=post.id)
        return Action("Reconnect", url, about=label, is_link=True)
    return None
