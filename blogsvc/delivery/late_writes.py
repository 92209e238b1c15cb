"""Change a copy although a late write of ours has changed it before (`models/late_writes`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from blogsvc.connectors import base
from blogsvc.connectors.base import Article, Connector, Keys, Receipt
from blogsvc.delivery.article import article, chosen
from blogsvc.delivery.compose import compose
from blogsvc.delivery.mailing import mailed_once
from blogsvc.errors import Busy, TextRefused
from blogsvc.models import Delivery, Revision, db

T = TypeVar("T")


@dataclass(frozen=True)
class SentLate:
    """A late write: its operation and what it sent; without an article, it removed the copy."""

    operation: str
    article: Article | None
    options: dict[str, str]


def sent_late(delivery: Delivery, connector: Connector, public_url: str) -> tuple[SentLate, ...]:
    """Return what the late writes of a delivery sent, the newest first, as far as their revisions still exist."""
    return tuple(_sent_late(delivery, connector, public_url))


def _sent_late(delivery: Delivery, connector: Connector, public_url: str) -> Iterator[SentLate]:
    for write in reversed(delivery.late_writes):
        if write.revision_id is None:
            yield SentLate(write.operation, None, {})
            continue
        revision = db.session.get(Revision, write.revision_id)
        with suppress(TextRefused, Busy):
            if revision is not None:
                written = article(delivery.post, revision, delivery.destination, public_url)
                options = mailed_once(delivery, connector, chosen(revision, delivery.destination, connector))
                yield SentLate(write.operation, replace(written, canonical_url=write.original), options)


def change_despite(
    writes: Collection[SentLate], connector: Connector, keys: Keys, receipt: Receipt, change: Callable[[Receipt], T]
) -> T:
    """Change the copy, and return what `change` returns. A copy that a late write changed counts as unchanged.

    Raises what `change` raises, in particular Conflict or Gone for a copy that somebody else changed.
    """
    try:
        return change(receipt)
    except (base.Conflict, base.Gone):
        if not writes or not _has_other_version(connector, keys, receipt):
            raise
        copies = (_written_late(write, connector, keys, receipt) for write in writes)
        if (copy := next(filter(None, copies), None)) is None:
            raise
    return change(copy)


def _has_other_version(connector: Connector, keys: Keys, receipt: Receipt) -> bool:
    """Return True if the copy is known to have another version, or to be hidden."""
    try:
        return receipt.version not in (None, connector.fetch_version(keys, receipt).version)
    except base.Gone:
        return receipt.version is not None
    except base.Unsupported:
        return False


def _written_late(write: SentLate, connector: Connector, keys: Keys, receipt: Receipt) -> Receipt | None:
    """Return the copy if it is what this late write made of it, else None.

    A connector that finds the wanted text, or the wanted draft, takes it for its own work. Otherwise, it raises
    Conflict and changes nothing, because the copy has another version than the receipt.
    """
    keys = {**keys, "operation": write.operation}
    with suppress(base.Conflict, base.Gone, base.Rejected, base.Broken, base.Unsupported, TextRefused):
        if write.article is None:
            return connector.unpublish(keys, receipt)
        return connector.update(compose(connector, write.article, write.options), keys, receipt)
    return None
