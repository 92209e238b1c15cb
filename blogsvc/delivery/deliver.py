"""Send due deliveries through connectors and store the outcomes.

A delivery is claimed in one transaction, sent outside of any by `attempt`, and settled in another, which also claims
the next one of the lane. Lanes that wait for that transaction at the same time share the next one. If the process stops
in between, the row still shows that an attempt was made, and which one.

A claim changes the lane, not the post. So a delivery that can't be sent is only noted, and fails in a transaction of
its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from blogsvc.connections.load import connector_of, save_session
from blogsvc.connectors import base
from blogsvc.connectors.base import Article, Connector
from blogsvc.context import InMemory, Tools
from blogsvc.delivery.article import article_and_options
from blogsvc.delivery.attempt import DeliveryAttempt, run_attempt
from blogsvc.delivery.late_writes import sent_late
from blogsvc.delivery.mailing import note_mail
from blogsvc.delivery.outcomes import Outcome, OutcomeUnknown, Settlement
from blogsvc.delivery.staged import settle_draft, staged_for
from blogsvc.errors import TextRefused
from blogsvc.lib.batches import Batches
from blogsvc.lib.net.deadline import Deadline
from blogsvc.lib.time import stamp
from blogsvc.models import Connection, CopySearch, Delivery, StagedDraft, db, nouns, retry_write, transaction
from blogsvc.models.delivery_states import PENDING
from blogsvc.models.due_deliveries import claimed, next_in_lanes
from blogsvc.models.extra_copy import extra_copies_of

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Step:
    """What a lane does in a transaction: store the outcome of its last attempt, if any, and claim the next one."""

    lane: str
    is_closing: Callable[[], bool]
    settled: DeliveryAttempt | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True)
class Unsendable:
    """A due delivery that can't be sent, and why."""

    delivery_id: str
    post_id: str
    lane: str
    revision_id: str | None
    code: str
    detail: str

    @classmethod
    def of(cls, delivery: Delivery, code: str, detail: str) -> Unsendable:
        assert delivery.connection_id is not None
        return cls(delivery.id, delivery.post_id, delivery.connection_id, delivery.revision_id, code, detail)


Claim = DeliveryAttempt | Unsendable
_steps = InMemory(lambda _tools: Batches[Step, Claim | None]())


def deliver_lane(lane: str, tools: Tools, is_closing: Callable[[], bool]) -> None:
    """Send the due deliveries of one connection, the oldest first, until none is due or `is_closing()`."""
    claim = None if is_closing() else _take(Step(lane, is_closing), tools)
    while claim is not None:
        if isinstance(claim, Unsendable):
            _fail(claim, tools)
            claim = None if is_closing() else _take(Step(lane, is_closing), tools)
            continue
        with Deadline.within(tools.config.attempt_seconds):
            outcome = run_attempt(claim)
        claim = _settle_and_claim(claim, outcome, tools, is_closing)


def expire_leases(tools: Tools) -> None:
    """Settle deliveries whose process died or hung while sending. Their outcome is unknown."""
    now = tools.now()
    if not Delivery.is_any_expired(now):
        return
    with transaction():
        for delivery in Delivery.expired(now):
            error = OutcomeUnknown("The server stopped before the answer came.")
            delivery.close_attempt("lost", now, "lost", str(error))
            Settlement(delivery, connector_of(delivery.connection, tools), now, tools, started_at=now).apply(error)


def _settle_and_claim(
    settled: DeliveryAttempt, outcome: Outcome, tools: Tools, is_closing: Callable[[], bool]
) -> Claim | None:
    """Store an outcome and claim the next delivery of the lane, in one commit. If that fails, in two."""
    try:
        return _steps().run(Step(settled.lane, is_closing, settled, outcome), lambda steps: _take_all(steps, tools))
    except Exception as error:
        log.debug("outcome and next claim are stored separately: %s", error)
    # The outcome exists only in memory, so keep trying until the lease ends.
    retry_write(lambda: _settle_alone(settled, outcome, tools), tools.config.lease_seconds)
    return None if is_closing() else _take(Step(settled.lane, is_closing), tools)


def _settle_alone(claim: DeliveryAttempt, outcome: Outcome, tools: Tools) -> None:
    with transaction(nouns.lane(claim.lane), nouns.post(claim.post_id)):
        _settle(claim, outcome, claimed([claim.delivery_id]).get(claim.delivery_id), tools)


def _take(step: Step, tools: Tools) -> Claim | None:
    return _take_all([step], tools)[0]


def _take_all(steps: list[Step], tools: Tools) -> list[Claim | None]:
    """Take the steps of several lanes in one transaction. Returns the next claim of each, None if nothing is due."""
    settled = [step.settled for step in steps if step.settled]
    lanes, posts = [nouns.lane(step.lane) for step in steps], [nouns.post(attempt.post_id) for attempt in settled]
    with transaction(*lanes, *posts):
        deliveries = claimed([attempt.delivery_id for attempt in settled])
        for step in steps:
            if step.settled is not None and step.outcome is not None:
                _settle(step.settled, step.outcome, deliveries.get(step.settled.delivery_id), tools)
        now = tools.now()
        due = next_in_lanes([step.lane for step in steps if not step.is_closing()], now)
        return [_claim(due[step.lane], now, tools) if step.lane in due else None for step in steps]


def _fail(unsendable: Unsendable, tools: Tools) -> None:
    """Let a delivery fail that can't be sent, unless something else is wanted by now."""
    with transaction(nouns.lane(unsendable.lane), nouns.post(unsendable.post_id)):
        delivery, now = claimed([unsendable.delivery_id]).get(unsendable.delivery_id), tools.now()
        if delivery is None or delivery.revision_id != unsendable.revision_id or delivery.state not in PENDING:
            return
        delivery.fail(unsendable.code, unsendable.detail, now)
        delivery.post.settle(now)


def _claim(delivery: Delivery, now: datetime, tools: Tools) -> Claim:
    """Claim a due delivery. One that can't be sent stays as it is."""
    assert delivery.connection is not None
    connector = connector_of(delivery.connection, tools)
    was_in_doubt, before = delivery.is_in_doubt, (delivery.operation, delivery.armed_revision_id, delivery.keys)
    is_new = delivery.choose(now)
    try:
        with db.session.no_autoflush:  # the row is written once, when it is claimed
            article, options = article_and_options(delivery, connector, tools.config.public_url)
    except TextRefused as error:
        delivery.operation, delivery.armed_revision_id, delivery.keys = before
        return Unsendable.of(delivery, "rejected", str(error))
    draft = staged_for(delivery, connector)
    if is_new and not _mint(delivery, connector, article, draft):
        delivery.operation, delivery.armed_revision_id, delivery.keys = before
        return Unsendable.of(delivery, "internal", "The connector could not choose its keys; the log has the details.")
    note_mail(delivery, connector, options, now)
    delivery.claim(now, timedelta(seconds=tools.config.lease_seconds), tools.process.name)
    delivery.record("delivery.claimed", now, attempt=delivery.fence, operation=delivery.operation)
    is_first = is_new and delivery.fence == 1
    doubts = None if is_first or delivery.operation == "update" else CopySearch.of(delivery)
    search = doubts if delivery.operation == "delete" else None
    # After a copy was removed, only the search for extra copies finds another one of before.
    is_earlier = doubts is not None and not doubts.is_for(delivery.keys) and "former_id" not in delivery.keys
    return DeliveryAttempt(
        delivery_id=delivery.id,
        post_id=delivery.post_id,
        fence=delivery.fence,
        operation=delivery.operation or "create",
        article=article,
        keys={**delivery.keys, "attempted_at": stamp(now)},
        receipt=delivery.receipt,
        options=options,
        copy_hash=None if delivery.late_writes else delivery.copy_hash,
        late_writes=sent_late(delivery, connector, tools.config.public_url),
        is_draft=delivery.is_draft,
        is_deletion_wanted=delivery.is_deletion_wanted,
        extra_keys=search.keys if search else None,
        extra_versions={extra.remote_id: extra.version for extra in extra_copies_of(delivery.id)} if search else {},
        is_in_doubt=was_in_doubt,
        was_ever_in_doubt=was_in_doubt or doubts is not None,
        is_earlier_copy_possible=is_earlier,
        is_link_only=delivery.is_link_only,
        started_at=now,
        connector=connector,
        platform=delivery.destination,
        lane=delivery.connection.id,
        draft=draft.to_publish if draft else None,
    )


def _mint(delivery: Delivery, connector: Connector, article: Article | None, draft: StagedDraft | None) -> bool:
    """Let the connector choose the keys of a new copy; one that was staged has them.

    Returns False if it fails, so that it cannot block the lane.
    """
    if delivery.operation != "create" or article is None:
        return True
    if draft is not None:
        delivery.keys = {**delivery.keys, **draft.keys}
        return True
    try:
        delivery.keys = {**delivery.keys, **connector.mint(article)}
    except Exception:
        log.exception("the connector for %s could not mint keys for %s", delivery.destination, delivery.id)
        return False
    return True


def _settle(claim: DeliveryAttempt, outcome: Outcome, delivery: Delivery | None, tools: Tools) -> None:
    """Store the outcome of an attempt, unless somebody has acted on it being unknown."""
    save_session(db.session.get(Connection, claim.lane), claim.connector, tools)
    if delivery is None or not _is_open(delivery, claim):
        log.warning("attempt %d of %s came back too late", claim.fence, claim.delivery_id)
        return
    now = tools.now()
    if claim.sent_keys:  # later searches for extra copies use them, too
        delivery.keys = {**delivery.keys, **claim.sent_keys}
    if claim.draft is not None:
        settle_draft(claim, delivery.post_id, outcome, now)
    is_error = isinstance(outcome, base.ConnectorError)
    delivery.close_attempt(
        "failed" if is_error else "succeeded",
        now,
        outcome.code if isinstance(outcome, base.ConnectorError) else None,
        str(outcome) if is_error else None,
    )
    fields = {
        "delivery_id": delivery.id,
        "platform": delivery.destination,
        "operation": claim.operation,
        "attempt": claim.fence,
        "outcome": outcome.code if isinstance(outcome, base.ConnectorError) else type(outcome).__name__.lower(),
        "ms": round((now - claim.started_at).total_seconds() * 1000),
    }
    form = "delivery=%s platform=%s operation=%s attempt=%d outcome=%s ms=%s"
    log.info(form, *fields.values(), extra={"fields": fields})
    Settlement(
        delivery,
        claim.connector,
        now,
        tools,
        started_at=claim.started_at,
        is_look=claim.is_look,
        was_in_doubt=claim.is_in_doubt,
        has_draft=claim.draft is not None,
    ).apply(outcome)


def _is_open(delivery: Delivery, claim: DeliveryAttempt) -> bool:
    """Return True if the attempt may still be settled.

    That is so after its lease has ended, too, as long as nobody has acted on the unknown outcome.
    """
    is_undecided = delivery.state == "sending" or (delivery.state == "uncertain" and delivery.is_in_doubt)
    return is_undecided and delivery.fence == claim.fence
