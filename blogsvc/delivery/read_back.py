"""Read a copy as readers see it, and find out what the platform lost of what was sent."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from blogsvc.connectors.base import Article, Connector, ConnectorError, Keys, Payload, Receipt, TextPart
from blogsvc.connectors.payload_parts import parts
from blogsvc.context import Tools
from blogsvc.delivery.article import article, chosen
from blogsvc.delivery.compose import compose
from blogsvc.errors import Busy, TextRefused
from blogsvc.lib.text.losses import ELEMENTS, NOT_ELEMENTS, Loss
from blogsvc.lib.workers import text_jobs
from blogsvc.models import Delivery, Revision, db

log = logging.getLogger(__name__)

MAX_LOSSES = 20  # sentences kept of one copy


@dataclass(frozen=True)
class SentText:
    """What is needed to compose a copy again: its article, the chosen options, and the hash of what was sent."""

    article: Article
    options: dict[str, str]
    copy_hash: str

    def payload(self, connector: Connector) -> Payload | None:
        """Return what was sent, None if today's connector or settings would send something else.

        A copy that was published before the post had a URL contains no link to the original.
        """
        for written in (self.article, replace(self.article, canonical_url=None)):
            payload = compose(connector, written, self.options)
            if payload.hash == self.copy_hash:
                return payload
        return None


@dataclass(frozen=True)
class Reading:
    """What readers miss of a copy, and all kinds of elements that were sent."""

    losses: tuple[Loss, ...]
    kinds: frozenset[str]


def sent_text(delivery: Delivery, connector: Connector, tools: Tools) -> SentText | None:
    """Return what was sent to a copy, None if the connector can't read it or the text is unknown."""
    revision = db.session.get(Revision, delivery.copy_revision_id) if delivery.copy_revision_id else None
    if revision is None or not delivery.copy_hash or not type(connector).can("read_back"):
        return None
    try:
        written = article(delivery.post, revision, delivery.destination, tools.config.public_url)
    except (TextRefused, Busy):
        return None
    return SentText(written, chosen(revision, delivery.destination, connector), delivery.copy_hash)


def read_copy(sent: SentText | None, connector: Connector, keys: Keys, receipt: Receipt) -> Reading | None:
    """Read a copy and compare it with what was sent. Returns None if the platform can't tell now."""
    if sent is None:
        return None
    try:
        payload = sent.payload(connector)
        if payload is None:
            return None
        wanted, shown = parts(connector, payload), connector.read_back(keys, receipt)
        if not wanted or not shown:
            return None
        losses, kinds = text_jobs.losses(_pairs(wanted), _pairs(shown))
    except (ConnectorError, TextRefused, Busy) as error:
        log.info("reading a copy back failed: %s", error)
        return None
    return Reading(tuple(losses), frozenset(kinds))


def store(delivery: Delivery, reading: Reading, now: datetime) -> None:
    """Store what readers miss. Records an event for losses that were not known."""
    if delivery.connection is not None:
        lost = {loss.kind for loss in reading.losses} - NOT_ELEMENTS
        delivery.connection.record_lost_kinds(lost, reading.kinds - lost)
    told = [loss.text for loss in reading.losses[:MAX_LOSSES]]
    if delivery.record_losses(told):
        delivery.record("delivery.degraded", now, losses=told, url=delivery.url)


def learned_warning(connector: Connector, payload: Payload, lost: Collection[str]) -> Iterator[str]:
    """Yield a warning if a text has elements that this account lost of an earlier post."""
    if not lost:
        return
    try:
        found = text_jobs.kinds(_pairs(parts(connector, payload)))
    except (TextRefused, Busy):
        return
    if named := [ELEMENTS[kind][0] if kind in ELEMENTS else kind for kind in found if kind in lost]:
        yield f"{connector.label} lost parts of an earlier post that this one has, too: {', '.join(named)}."


def _pairs(found: tuple[TextPart, ...]) -> list[tuple[str, str]]:
    return [(part.form, part.text) for part in found]
