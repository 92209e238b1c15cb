"""The staged draft of a delivery: which one it publishes, and what becomes of the row."""

from __future__ import annotations

from datetime import datetime

from blogsvc.connectors import base
from blogsvc.connectors.base import Connector
from blogsvc.delivery.attempt import DeliveryAttempt
from blogsvc.delivery.outcomes import Delivered, DraftFound, DraftMissing, Outcome
from blogsvc.models import Delivery, StagedDraft, db


def staged_for(delivery: Delivery, connector: Connector) -> StagedDraft | None:
    """Return the draft that a delivery publishes, or None if it creates its copy without one."""
    if delivery.operation != "create" or delivery.connection_id is None or not type(connector).can("stage"):
        return None
    draft = StagedDraft.of(delivery.post_id, delivery.connection_id)
    return draft if draft is not None and draft.to_publish is not None else None


def settle_draft(claim: DeliveryAttempt, post_id: str, outcome: Outcome, now: datetime) -> None:
    """Store what an attempt found out about its draft."""
    draft = StagedDraft.of(post_id, claim.lane)
    if draft is None:
        return
    match outcome:
        case DraftFound():
            draft.record_found(outcome.receipt, now)
        case DraftMissing() if draft.is_in_doubt:
            draft.record_not_found(now)
        case Delivered() | DraftMissing() | base.Gone():
            db.session.delete(draft)
