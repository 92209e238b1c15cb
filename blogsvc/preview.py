"""Preview: what each destination would be sent, by the connector's own `compose`. Nothing is sent or written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from blogsvc.articles import article, chosen
from blogsvc.connectors.base import ConnectorError, Limit, Payload
from blogsvc.connectors.site import Site
from blogsvc.linking import connector_of
from blogsvc.models import SITE, Connection, Delivery, Post, Revision, db
from blogsvc.toolbox import Toolbox


@dataclass(frozen=True)
class Trial:
    platform: str
    operation: Literal["create", "update", "none"]
    limits: tuple[Limit, ...]
    payload: Payload | None = None
    error: ConnectorError | None = None


def trials(post: Post, platforms: list[str], tools: Toolbox) -> list[Trial]:
    """What publishing the words as they stand would do at each platform."""
    words = Revision.of(post.id, 0, post.words(), "preview", tools.now())
    connections = {connection.name: connection for connection in Connection.all()}
    return [_trial(post, words, platform, connections.get(platform), tools) for platform in platforms]


def _trial(post: Post, words: Revision, platform: str, connection: Connection | None, tools: Toolbox) -> Trial:
    connector = Site() if platform == SITE else connector_of(connection, tools)
    delivery = post.delivery_to(platform)
    limits = connector.limits_here()
    is_there = delivery is not None and delivery.remote_id is not None
    try:
        wanted = article(post, words, platform, tools.config.public_url)
        payload = connector.compose(wanted, chosen(words, platform, connector))
    except ConnectorError as error:
        return Trial(platform, "update" if is_there else "create", limits, error=error)
    if not is_there:
        return Trial(platform, "create", limits, payload)
    assert delivery is not None
    return Trial(platform, "none" if _is_in_step(delivery, payload, words) else "update", limits, payload)


def _is_in_step(delivery: Delivery, payload: Payload, words: Revision) -> bool:
    """Elsewhere the payload decides; our own blog shows revisions."""
    if delivery.platform != SITE:
        return delivery.copy_hash == payload.hash
    shown = db.session.get(Revision, delivery.copy_revision_id)
    return shown is not None and shown.words() == words.words()
