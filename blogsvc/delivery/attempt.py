"""One attempt of a delivery: what it needs, and the calls of the connector that it makes.

Only this module and `stage` call connectors to send. It writes no database.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from blogsvc.connectors import base
from blogsvc.connectors.base import Article, Connector, Draft, Keys, Payload, Receipt
from blogsvc.delivery.compose import compose
from blogsvc.delivery.late_writes import SentLate, change_despite
from blogsvc.delivery.outcomes import (
    Delivered,
    DraftFound,
    DraftMissing,
    HandedOver,
    LookupUnanswered,
    NotSent,
    Outcome,
    Withdrawn,
)
from blogsvc.errors import Busy, TextRefused
from blogsvc.models.extra_copy import without_taken

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class DeliveryAttempt:
    """All data that an attempt needs, so that no transaction stays open while it runs."""

    delivery_id: str
    post_id: str
    fence: int
    operation: str
    article: Article | None
    keys: dict[str, str]
    receipt: Receipt | None
    options: dict[str, str]
    # None if the copy may have another text.
    copy_hash: str | None
    # What may have changed the copy after it was delivered.
    late_writes: tuple[SentLate, ...]
    # The copy is a draft that was kept, and the author wants it deleted.
    is_draft: bool
    is_deletion_wanted: bool
    # The keys of all copies that a doubt may have left, and the versions of the known ones by id; None without a doubt.
    extra_keys: Keys | None
    extra_versions: dict[str, str | None]
    is_in_doubt: bool
    # An earlier attempt was in doubt, so that it may have created a copy.
    was_ever_in_doubt: bool
    # The copy that is found may be that of an earlier operation, with another text.
    is_earlier_copy_possible: bool
    # Only the link of the copy is known, not its id.
    is_link_only: bool
    started_at: datetime
    connector: Connector
    platform: str
    lane: str
    # The draft to publish, if one was staged.
    draft: Draft | None = None
    # Keys that this attempt adds to those of the delivery.
    sent_keys: Keys = field(default_factory=dict)

    @property
    def is_look(self) -> bool:
        """Return True if the previous attempt may have arrived, and must be looked up before sending again."""
        return self.is_in_doubt and self.draft is None and self.operation not in self.connector.repeatable


def run_attempt(claim: DeliveryAttempt) -> Outcome:
    """Run an attempt and return its outcome. Never raises: errors are outcomes."""
    return outcome_of(lambda: _send(claim), claim.platform, claim.delivery_id)


def outcome_of(send: Callable[[], T], platform: str, subject: str) -> T | base.ConnectorError:
    """Return what `send` returns, or the error as an outcome. Never raises.

    Args:
        platform, subject: where and what was sent, for the log if the connector breaks.
    """
    try:
        return send()
    except base.ConnectorError as error:
        return error
    except TextRefused as error:
        return base.Rejected(str(error))
    except Busy as error:  # nothing was sent: other texts took too long
        return base.Unavailable(str(error))
    except Exception:
        log.exception("the connector for %s broke on %s", platform, subject)
        return base.Uncertain("The connector failed in a way it should not; the log has the details.")


def _send(claim: DeliveryAttempt) -> Outcome:
    if claim.is_look:
        return _look_up_copy(claim)
    is_by_hand = type(claim.connector).can("hand_over")
    if claim.operation == "delete":
        return HandedOver() if is_by_hand else _withdraw_copy(claim)
    assert claim.article is not None
    payload = compose(claim.connector, claim.article, claim.options)
    if claim.operation == "create" and claim.draft is not None:
        return _publish_staged(claim, claim.draft, payload)
    if claim.operation == "create":
        return HandedOver() if is_by_hand else _create(claim, payload)
    assert claim.receipt is not None
    if payload.hash == claim.copy_hash:
        return Delivered(claim.receipt, payload.hash)
    if is_by_hand:
        return HandedOver()
    try:
        _require_id(claim, "Change")
        receipt = _change_copy(claim, lambda copy: claim.connector.update(payload, claim.keys, copy))
        return Delivered(receipt, payload.hash)
    except base.Unsupported as error:
        return Delivered(claim.receipt, payload.hash, note=str(error))


def _change_copy(claim: DeliveryAttempt, change: Callable[[Receipt], T]) -> T:
    assert claim.receipt is not None
    return change_despite(claim.late_writes, claim.connector, claim.keys, claim.receipt, change)


def _publish_staged(claim: DeliveryAttempt, draft: Draft, payload: Payload) -> Outcome:
    """Publish the staged draft. One whose creation is in doubt is looked up first, in an attempt of its own."""
    if draft.receipt is None:
        found = claim.connector.find_draft(claim.keys)
        return DraftFound(found.receipt) if isinstance(found, base.CopyFound) else DraftMissing()
    is_same, note = draft.payload_hash == undated_hash(claim.connector, claim.article, claim.options), None
    try:
        try:
            receipt = claim.connector.publish_draft(payload, claim.keys, draft.receipt, is_same)
        except base.Conflict:
            known = replace(draft.receipt, version=None)
            receipt = claim.connector.publish_draft(payload, claim.keys, known, False)
            note = f"The draft was changed on {claim.connector.label}. The text of this post replaced the changes."
    except base.Gone:
        if claim.is_in_doubt:  # it may have been published, and deleted then
            raise
        return DraftMissing()
    return Delivered(receipt, payload.hash, note)


def undated_hash(connector: Connector, article: Article | None, options: Mapping[str, str]) -> str:
    """Return the hash of what is sent, without the date of publication, which is not known before."""
    assert article is not None
    return compose(connector, replace(article, published_at=None), options).hash


def _create(claim: DeliveryAttempt, payload: Payload) -> Delivered:
    """Create the copy, or find the one that an earlier attempt created.

    Without an earlier attempt in doubt, a post that is there already is not ours, however much it resembles this one.
    """
    claim.sent_keys.update(claim.connector.sent_keys(payload))
    is_earlier = claim.is_earlier_copy_possible
    try:
        receipt = claim.connector.publish(payload, claim.keys)
        return Delivered(receipt, payload.hash, is_of_earlier_operation=is_earlier)
    except base.Duplicate:
        if not claim.was_ever_in_doubt:
            raise
        found = claim.connector.find({**claim.keys, **claim.sent_keys})
        if not isinstance(found, base.CopyFound):
            raise
        note = "An earlier attempt created the copy."
        return Delivered(found.receipt, "", note, is_of_earlier_operation=is_earlier)


def _look_up_copy(claim: DeliveryAttempt) -> Outcome:
    """Find out whether an uncertain attempt created a copy. Sends no changes."""
    payload = _sent_payload(claim)
    if payload is not None:
        claim.sent_keys.update(claim.connector.sent_keys(payload))
    try:
        result = claim.connector.find({**claim.keys, **claim.sent_keys})
    except (base.Unavailable, base.Disconnected, base.Misconfigured, base.UnusableId):
        raise
    except base.ConnectorError as error:  # the platform rejected the lookup, which says nothing about the copy
        return base.Uncertain(str(error))
    if isinstance(result, base.CopyNotFound):
        return NotSent()
    if isinstance(result, base.CopyUnknown) or claim.article is None:
        return LookupUnanswered()
    copy_hash = payload.hash if payload else ""
    return Delivered(result.receipt, copy_hash, is_of_earlier_operation=claim.is_earlier_copy_possible)


def _sent_payload(claim: DeliveryAttempt) -> Payload | None:
    """Return what was sent, None if it can't be composed any more, which doesn't undo the copy."""
    try:
        return compose(claim.connector, claim.article, claim.options) if claim.article is not None else None
    except (base.ConnectorError, TextRefused):
        return None


def _withdraw_copy(claim: DeliveryAttempt) -> Outcome:
    """Make the copy a draft where the platform has drafts, else delete it; also if the author wants it deleted."""
    _require_id(claim, "Delete")
    draft = None
    with suppress(base.Gone):
        if claim.receipt is not None:
            draft = _change_copy(claim, lambda copy: _draft_of(claim, copy))
        if claim.receipt is not None and draft is None:
            _change_copy(claim, lambda copy: _delete(claim, copy))
    return Withdrawn(draft, _delete_extra_copies(claim))


def _require_id(claim: DeliveryAttempt, does: str) -> None:
    """Raise Unsupported if the id of the copy is not known."""
    if claim.is_link_only:
        raise base.Unsupported(f"blogsvc knows only the link of this copy. {does} it on {claim.connector.label}.")


def _draft_of(claim: DeliveryAttempt, receipt: Receipt) -> Receipt | None:
    """Make the copy a draft and return it; None if the platform has no drafts, or the author wants none."""
    if claim.is_deletion_wanted:
        return None
    try:
        return claim.connector.unpublish(claim.keys, receipt)
    except base.Unsupported:
        return None


def _delete(claim: DeliveryAttempt, receipt: Receipt) -> None:
    _require_unchanged(claim, receipt)
    claim.connector.delete(claim.keys, receipt)


def _require_unchanged(claim: DeliveryAttempt, receipt: Receipt) -> None:
    """Raise Conflict if somebody edited the copy, which may not be deleted without the author's word."""
    if receipt.version is None or claim.is_draft:
        return
    try:
        there = claim.connector.fetch_version(claim.keys, receipt)
    except (base.Gone, base.Unsupported):
        return
    if there.version != receipt.version:
        label = claim.connector.label
        raise base.Conflict(f"The copy was edited on {label}. Unpublish it all the same, or keep it on {label}.")


def _delete_extra_copies(claim: DeliveryAttempt) -> frozenset[str]:
    """Delete what a doubt may have left, but nothing that somebody edited since it was found. Returns the ids."""
    if claim.extra_keys is None:
        return frozenset()
    removed: set[str] = set()
    try:
        found = claim.connector.find_all(claim.extra_keys)
    except base.Unsupported:
        return frozenset()
    for copy in without_taken(claim.delivery_id, found):
        if claim.receipt is not None and copy.remote_id == claim.receipt.remote_id:
            continue  # a draft that is kept
        if claim.extra_versions.get(copy.remote_id, copy.version) != copy.version:
            continue
        with suppress(base.Gone, base.Rejected, base.Unsupported):
            claim.connector.delete(claim.extra_keys, copy)
            removed.add(copy.remote_id)
    return frozenset(removed)
