"""Send due deliveries through connectors and store the outcomes.

A delivery is claimed in one transaction, sent outside of any, and settled in another, which also claims the next one
of the lane. Lanes that wait for that transaction at the same time share the next one. If the process stops in between,
the row still shows that an attempt was made, and which one. Only this module calls connectors to send.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from blogsvc.connections.load import connector_of, save_session
from blogsvc.connectors import base
from blogsvc.connectors.base import Article, Connector, Payload, Receipt
from blogsvc.context import InMemory, Tools
from blogsvc.delivery.article import article_and_options
from blogsvc.delivery.outcomes import (
    Delivered,
    LookupUnanswered,
    NotSent,
    Outcome,
    OutcomeUnknown,
    Settlement,
    Withdrawn,
)
from blogsvc.errors import Busy, Fault, Invalid, NotFound, StateConflict, TextRefused
from blogsvc.lib.batches import Batches
from blogsvc.lib.net.deadline import Deadline
from blogsvc.models import SITE, Connection, Delivery, db, record, retry_write, transaction
from blogsvc.models.due_deliveries import claimed, expired_leases, is_any_lease_expired, next_in_lanes
from blogsvc.models.setting import site_changed

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DeliveryAttempt:
    """All data that an attempt needs, so that no transaction stays open while it runs."""

    delivery_id: str
    fence: int
    operation: str
    article: Article | None
    keys: dict[str, str]
    receipt: Receipt | None
    options: dict[str, str]
    copy_hash: str | None
    is_in_doubt: bool
    started_at: datetime
    connector: Connector
    platform: str
    lane: str

    @property
    def is_look(self) -> bool:
        """Return True if the previous attempt may have arrived, and must be looked up before sending again."""
        return self.is_in_doubt and self.operation not in self.connector.repeatable


@dataclass(frozen=True)
class Step:
    """What a lane does in a transaction: store the outcome of its last attempt, if any, and claim the next one."""

    lane: str
    is_closing: Callable[[], bool]
    settled: DeliveryAttempt | None = None
    outcome: Outcome | None = None


_steps = InMemory(lambda _tools: Batches[Step, DeliveryAttempt | None]())


def deliver_lane(lane: str, tools: Tools, is_closing: Callable[[], bool]) -> None:
    """Send the due deliveries of one connection, the oldest first, until none is due or `is_closing()`."""
    claim = None if is_closing() else _take(Step(lane, is_closing), tools)
    while claim is not None:
        with Deadline.within(tools.config.attempt_seconds):
            outcome = _attempt(claim)
        claim = _settle_and_claim(claim, outcome, tools, is_closing)


def expire_leases(tools: Tools) -> None:
    """Settle deliveries whose process died or hung while sending. Their outcome is unknown."""
    now = tools.now()
    if not is_any_lease_expired(now):
        return
    with transaction():
        for delivery in expired_leases(now):
            error = OutcomeUnknown("The server stopped before the answer came.")
            delivery.close_attempt("lost", now, "lost", str(error))
            Settlement(delivery, connector_of(delivery.connection, tools), now, tools, is_look=False).apply(error)


def _settle_and_claim(
    settled: DeliveryAttempt, outcome: Outcome, tools: Tools, is_closing: Callable[[], bool]
) -> DeliveryAttempt | None:
    """Store an outcome and claim the next delivery of the lane, in one commit. If that fails, in two."""
    try:
        return _steps().run(Step(settled.lane, is_closing, settled, outcome), lambda steps: _take_all(steps, tools))
    except Exception as error:
        log.debug("outcome and next claim are stored separately: %s", error)
    # The outcome exists only in memory, so keep trying until the lease ends.
    retry_write(lambda: _settle_alone(settled, outcome, tools), tools.config.lease_seconds)
    return None if is_closing() else _take(Step(settled.lane, is_closing), tools)


def _settle_alone(claim: DeliveryAttempt, outcome: Outcome, tools: Tools) -> None:
    with transaction():
        _settle(claim, outcome, claimed([claim.delivery_id]).get(claim.delivery_id), tools)


def _take(step: Step, tools: Tools) -> DeliveryAttempt | None:
    return _take_all([step], tools)[0]


def _take_all(steps: list[Step], tools: Tools) -> list[DeliveryAttempt | None]:
    """Take the steps of several lanes in one transaction. Returns the next attempt of each, None if there is none."""
    with transaction():
        deliveries = claimed([step.settled.delivery_id for step in steps if step.settled])
        for step in steps:
            if step.settled is not None and step.outcome is not None:
                _settle(step.settled, step.outcome, deliveries.get(step.settled.delivery_id), tools)
        now = tools.now()
        due = next_in_lanes([step.lane for step in steps if not step.is_closing()], now)
        return [_claim(due[step.lane], now, tools) if step.lane in due else None for step in steps]


def _claim(delivery: Delivery, now: datetime, tools: Tools) -> DeliveryAttempt | None:
    """Claim a due delivery. Returns None if it cannot be sent."""
    assert delivery.connection is not None
    connector = connector_of(delivery.connection, tools)
    was_in_doubt = delivery.is_in_doubt
    is_new = delivery.choose(now)
    try:
        with db.session.no_autoflush:  # the row is written once, when it is claimed
            article, options = article_and_options(delivery, connector, tools.config.public_url)
    except TextRefused as error:
        delivery.fail("rejected", str(error), now)
        delivery.post.settle(now)
        return None
    if is_new and not _mint(delivery, connector, article):
        delivery.fail("internal", "The connector could not choose its keys; the log has the details.", now)
        delivery.post.settle(now)
        return None
    delivery.claim(now, timedelta(seconds=tools.config.lease_seconds), tools.process.name)
    delivery.record("delivery.claimed", now, attempt=delivery.fence, operation=delivery.operation)
    return DeliveryAttempt(
        delivery_id=delivery.id,
        fence=delivery.fence,
        operation=delivery.operation or "create",
        article=article,
        keys=dict(delivery.keys),
        receipt=delivery.receipt,
        options=options,
        copy_hash=delivery.copy_hash,
        is_in_doubt=was_in_doubt,
        started_at=now,
        connector=connector,
        platform=delivery.destination,
        lane=delivery.connection.id,
    )


def _mint(delivery: Delivery, connector: Connector, article: Article | None) -> bool:
    """Let the connector choose the keys of a new copy. Returns False if it fails, so that it cannot block the lane."""
    if delivery.operation != "create" or article is None:
        return True
    try:
        delivery.keys = {**delivery.keys, **connector.mint(article)}
    except Exception:
        log.exception("the connector for %s could not mint keys for %s", delivery.destination, delivery.id)
        return False
    return True


def _attempt(claim: DeliveryAttempt) -> Outcome:
    """Run an attempt and return its outcome. Never raises: errors are outcomes."""
    try:
        return _send(claim)
    except base.ConnectorError as error:
        return error
    except TextRefused as error:
        return base.Rejected(str(error))
    except Busy as error:  # nothing was sent: other texts took too long
        return base.Unavailable(str(error))
    except Exception:
        log.exception("the connector for %s broke on %s", claim.platform, claim.delivery_id)
        return base.Uncertain("The connector failed in a way it should not; the log has the details.")


def _send(claim: DeliveryAttempt) -> Outcome:
    if claim.is_look:
        return _look_up_copy(claim)
    if claim.operation == "delete":
        return _delete_copy(claim)
    assert claim.article is not None
    payload = claim.connector.compose(claim.article, claim.options)
    if claim.operation == "create":
        return _create(claim, payload)
    assert claim.receipt is not None
    if payload.hash == claim.copy_hash:
        return Delivered(claim.receipt, payload.hash)
    try:
        return Delivered(claim.connector.update(payload, claim.keys, claim.receipt), payload.hash)
    except base.Unsupported as error:
        return Delivered(claim.receipt, payload.hash, note=str(error))


def _create(claim: DeliveryAttempt, payload: Payload) -> Delivered:
    """Create the copy, or adopt one that exists, without changing it because someone else may have written it."""
    try:
        return Delivered(claim.connector.publish(payload, claim.keys), payload.hash)
    except base.Duplicate as duplicate:
        there = duplicate.receipt or _found_receipt(claim)
        if there is None:
            raise
        return Delivered(there, "", note=f"{duplicate} It was adopted as it stands.")


def _found_receipt(claim: DeliveryAttempt) -> Receipt | None:
    found = claim.connector.find(claim.keys)
    return found.receipt if isinstance(found, base.CopyFound) else None


def _look_up_copy(claim: DeliveryAttempt) -> Outcome:
    """Find out whether an uncertain attempt created a copy. Sends no changes."""
    try:
        found = claim.connector.find(claim.keys)
    except (base.Unavailable, base.Disconnected, base.Misconfigured):
        raise
    except base.ConnectorError as error:  # the platform rejected the lookup, which says nothing about the copy
        return base.Uncertain(str(error))
    if isinstance(found, base.CopyNotFound):
        return NotSent()
    if isinstance(found, base.CopyUnknown) or claim.article is None:
        return LookupUnanswered()
    return Delivered(found.receipt, _hash_of_copy(claim, claim.article))


def _hash_of_copy(claim: DeliveryAttempt, article: Article) -> str:
    """Return the hash of what was sent; "" if it can't be composed any more, which doesn't undo the copy."""
    try:
        return claim.connector.compose(article, claim.options).hash
    except (base.ConnectorError, TextRefused):
        return ""


def _delete_copy(claim: DeliveryAttempt) -> Outcome:
    try:
        if claim.receipt is not None:
            claim.connector.delete(claim.keys, claim.receipt)
    except base.Gone:
        pass
    return Withdrawn()


def _settle(claim: DeliveryAttempt, outcome: Outcome, delivery: Delivery | None, tools: Tools) -> None:
    """Store the outcome of an attempt, unless somebody has acted on it being unknown."""
    save_session(db.session.get(Connection, claim.lane), claim.connector, tools)
    if delivery is None or not _is_open(delivery, claim):
        log.warning("attempt %d of %s came back too late", claim.fence, claim.delivery_id)
        return
    now = tools.now()
    is_error = isinstance(outcome, base.ConnectorError)
    delivery.close_attempt(
        "failed" if is_error else "succeeded",
        now,
        outcome.code if isinstance(outcome, base.ConnectorError) else None,
        str(outcome) if is_error else None,
    )
    log.info(
        "delivery=%s platform=%s operation=%s attempt=%d outcome=%s ms=%s",
        delivery.id,
        delivery.destination,
        claim.operation,
        claim.fence,
        outcome.code if isinstance(outcome, base.ConnectorError) else type(outcome).__name__.lower(),
        round((now - claim.started_at).total_seconds() * 1000),
    )
    Settlement(delivery, claim.connector, now, tools, claim.is_look, claim.is_in_doubt).apply(outcome)


def _is_open(delivery: Delivery, claim: DeliveryAttempt) -> bool:
    """Return True if the attempt may still be settled.

    That is so after its lease has ended, too, as long as nobody has acted on the unknown outcome.
    """
    is_undecided = delivery.state == "sending" or (delivery.state == "uncertain" and delivery.is_in_doubt)
    return is_undecided and delivery.fence == claim.fence


def retry(delivery: Delivery, now: datetime) -> Delivery:
    """Retry a delivery now, without waiting for its back-off.

    Overwrites the copy if it was edited on the platform, and creates it again if it was removed there.
    """
    with transaction():
        delivery.may("retry")
        _relink_connection(delivery)
        delivery.overrule()
        _require_connection(delivery).paused_until = None  # a manual retry ignores the pause
        delivery.again(now)
        delivery.post.settle(now)
        return delivery


def _relink_connection(delivery: Delivery) -> None:
    """Use the connection that now has this name if the former one was removed. Raises Invalid if there is none."""
    if delivery.connection is None and delivery.destination != SITE:
        try:
            delivery.connection = Connection.named(delivery.destination)
        except NotFound as error:
            raise Invalid(
                Fault("#", "no_connection", f"{error} Connect it first.", platform=delivery.destination)
            ) from error


def leave(delivery: Delivery, now: datetime) -> Delivery:
    """Dismiss a failure or a difference on the platform: stop retrying, or accept the copy as it is.

    The post can still be published there again. Raises StateConflict if there is nothing to dismiss.
    """
    with transaction():
        if not delivery.leave(now):
            raise StateConflict("There is nothing to dismiss for this copy.", state=delivery.state)
        delivery.post.settle(now)
        return delivery


def resolve_delivered(delivery: Delivery, url: str | None, now: datetime) -> Delivery:
    """Resolve an uncertain delivery: a person has checked that it arrived."""
    with transaction():
        delivery.may("resolve")
        if delivery.operation == "delete":
            delivery.is_gone(now)
        else:
            there = Receipt(delivery.remote_id or url or delivery.id, url or delivery.url)
            delivery.landed(there, "", now)
        record("delivery.succeeded", now, post_id=delivery.post_id, delivery_id=delivery.id, resolved="by hand")
        delivery.post.settle(now)
        return delivery


def resolve_again(delivery: Delivery, now: datetime) -> Delivery:
    """Resolve an uncertain delivery: a person has checked that it did not arrive. Sends it again."""
    with transaction():
        delivery.may("resolve")
        delivery.never_sent()
        delivery.again(now)
        delivery.post.settle(now)
        return delivery


def withdraw(delivery: Delivery, now: datetime) -> Delivery:
    """Remove one copy. The post and its other copies stay."""
    with transaction():
        delivery.may("withdraw")
        if delivery.destination == SITE:
            delivery.post.leave_site(now)
            site_changed()
        else:
            _require_connection(delivery)
            delivery.want(None, now)
        delivery.post.settle(now)
        return delivery


def _require_connection(delivery: Delivery) -> Connection:
    """Return the delivery's connection. Raises Invalid if it was removed."""
    if delivery.connection is None:
        raise Invalid(Fault("#", "no_connection", "The connection was removed. Connect it again first."))
    return delivery.connection
