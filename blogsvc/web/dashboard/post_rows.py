"""A post as a row in a list: name, state and destinations."""

from __future__ import annotations

from blogsvc.models import SITE, Delivery, Post
from blogsvc.web.framework.destination_names import DestinationNames
from blogsvc.web.framework.wording import POST_STATES, count_destinations, post_state


def state(post: Post, destinations: DestinationNames) -> str:
    """Return the state of a post in words."""
    if post.state != "partial":
        return post_state(post, destinations.label)
    wanted = [delivery for delivery in post.deliveries if delivery.state != "withdrawn"]
    live = sum(delivery.state == "delivered" for delivery in wanted)
    return f"Published to {live} of {count_destinations(len(wanted))}" if live else POST_STATES["partial"]


def live_copies(post: Post) -> list[Delivery]:
    """Return the copies on platforms that are not known to be removed."""
    return [one for one in post.deliveries if one.destination != SITE and one.remote_id is not None]
