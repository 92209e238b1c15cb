"""Preview what each destination would be sent, using the connector's `compose`. Nothing is sent or stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from blogsvc.connections.load import connector_of, connector_without_account
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.connectors.base import Category, Connector, ConnectorError, Limit, Payload, Rejected, TextPart
from blogsvc.connectors.payload_parts import parts
from blogsvc.connectors.site import SiteConnector
from blogsvc.context import Tools
from blogsvc.delivery.article import article, chosen
from blogsvc.delivery.compose import compose
from blogsvc.delivery.mailing import RepeatedMail, mailed_once, repeated_mail, with_notice
from blogsvc.delivery.read_back import learned_warning
from blogsvc.errors import TextRefused
from blogsvc.models import SITE, Delivery, Post, Revision, db


@dataclass(frozen=True)
class DestinationPreview:
    """The preview of one destination.

    `parts` is what readers there will see. `length` is the length of its text, in the unit of the text limit.
    `repeated_mail` is the question whether subscribers are e-mailed again. Without an account (`is_connected`), the
    preview is made with the defaults of the platform, and has no error: the account may have other limits.
    """

    platform: str
    operation: Literal["create", "update", "none"]
    limits: tuple[Limit, ...]
    payload: Payload | None = None
    error: ConnectorError | None = None
    label: str = ""
    category: Category = "article"
    parts: tuple[TextPart, ...] = ()
    length: int | None = None
    repeated_mail: RepeatedMail | None = None
    is_connected: bool = True


def previews(
    post: Post,
    platforms: Sequence[str],
    tools: Tools,
    unsaved: Mapping[str, Any] | None = None,
    platforms_after: Collection[str] | None = None,
) -> list[DestinationPreview]:
    """Preview publishing the current text to each destination.

    Args:
        unsaved: fields that replace the stored ones.
        platforms_after: the destinations that the post will have; None for those it has.
    """
    revision = Revision.of(post.id, 0, post.fields() | dict(unsaved or {}), "preview", tools.now())
    known = KnownDestinations()
    after = post.platforms if platforms_after is None else platforms_after

    def composed(platform: str, connector: Connector) -> DestinationPreview:
        return _composed(post, revision, platform, connector, tools, after)

    result = []
    for platform in platforms:
        connection = known.connections.get(platform) if platform != SITE else None
        if platform != SITE and connection is None and (kind := known.awaited_connector(platform)) is not None:
            without = connector_without_account(kind, tools)
            if known.connected_by_post(platform) is None:
                result.append(_without_account(composed(platform, without), without))
            else:
                result.append(_with_parts(composed(platform, without), without, ()))
            continue
        connector = SiteConnector() if platform == SITE else connector_of(connection, tools)
        lost = connection.lost_kinds if connection is not None else ()
        result.append(_with_parts(composed(platform, connector), connector, lost))
    return result


def _without_account(composed: DestinationPreview, connector: Connector) -> DestinationPreview:
    """Return the preview of a destination without an account. What would be refused is a warning."""
    trial = _with_parts(composed, connector, ())
    refused = trial.error if isinstance(trial.error, Rejected) else None
    payload = Payload({}, (str(refused),)) if refused is not None else trial.payload
    return replace(trial, payload=payload, error=None, is_connected=False)


def _with_parts(trial: DestinationPreview, connector: Connector, lost: Collection[str]) -> DestinationPreview:
    known = replace(trial, label=connector.label, category=connector.category)
    if trial.payload is None:
        return known
    warned = (*trial.payload.warnings, *learned_warning(connector, trial.payload, lost))
    shown = parts(connector, trial.payload)
    return replace(known, payload=replace(trial.payload, warnings=warned), parts=shown, length=trial.payload.length)


def _composed(
    post: Post, revision: Revision, platform: str, connector: Connector, tools: Tools, platforms_after: Collection[str]
) -> DestinationPreview:
    delivery = post.delivery_to(platform)
    limits = connector.limits_here()
    is_there = delivery is not None and delivery.remote_id is not None
    try:
        wanted = article(post, revision, platform, tools.config.public_url, platforms_after)
        options = chosen(revision, platform, connector)
        payload = compose(connector, wanted, mailed_once(delivery, connector, options))
        payload = with_notice(payload, delivery, connector, options)
    except (ConnectorError, TextRefused) as refused:
        error = refused if isinstance(refused, ConnectorError) else Rejected(str(refused))
        return DestinationPreview(platform, "update" if is_there else "create", limits, error=error)
    if not is_there:
        question = repeated_mail(delivery, connector, options)
        return DestinationPreview(platform, "create", limits, payload, repeated_mail=question)
    assert delivery is not None
    return DestinationPreview(
        platform, "none" if _is_up_to_date(delivery, payload, revision) else "update", limits, payload
    )


def _is_up_to_date(delivery: Delivery, payload: Payload, revision: Revision) -> bool:
    """Return True if the copy is up to date: compares the payload or, for the built-in blog, the revision."""
    if delivery.destination != SITE:
        return delivery.copy_hash == payload.hash
    shown = db.session.get(Revision, delivery.copy_revision_id)
    return shown is not None and shown.fields() == revision.fields()
