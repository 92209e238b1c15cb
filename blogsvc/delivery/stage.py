"""Stage scheduled posts as drafts on platforms that have them, so that publishing takes one request.

A connection stages while its lane has nothing to send, one draft at a time. A staging that fails never delays or fails
the publication: the delivery then creates the copy without a draft. Only rejected credentials and wrong addresses
concern the connection, so that the author knows before the post is due.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.exc import SQLAlchemyError

from blogsvc.connections.load import connector_of, save_session
from blogsvc.connections.verify import mark_disconnected
from blogsvc.connectors import base, connectors
from blogsvc.connectors.base import Article, Connector, CopyFound, CopyUnknown, Keys, Receipt
from blogsvc.context import Tools
from blogsvc.delivery.article import article, chosen
from blogsvc.delivery.attempt import outcome_of, undated_hash
from blogsvc.delivery.compose import compose
from blogsvc.delivery.deliver import deliver_lane
from blogsvc.errors import Busy, TextRefused
from blogsvc.lib.back_off import requested_wait
from blogsvc.lib.ids import new_id
from blogsvc.lib.net.deadline import Deadline
from blogsvc.lib.time import stamp
from blogsvc.models import (
    Connection,
    Post,
    StagedDraft,
    db,
    due_deliveries,
    due_drafts,
    nouns,
    retry_write,
    transaction,
)
from blogsvc.models.due_drafts import StagingWindow

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Staging:
    """All data that one request needs, so that no transaction stays open while it runs. No article: discard."""

    draft_id: str
    fence: int
    article: Article | None
    options: dict[str, str]
    keys: Keys
    receipt: Receipt | None
    is_in_doubt: bool
    connector: Connector
    lane: str


@dataclass(frozen=True)
class Staged:
    receipt: Receipt
    payload_hash: str


@dataclass(frozen=True)
class Found:
    """The draft whose creation was in doubt."""

    receipt: Receipt


class NoDraft:
    """The draft is not on the platform, as wanted or as looked up."""


StagingOutcome = Staged | Found | NoDraft | base.ConnectorError


def work_lane(lane: str, tools: Tools, is_closing: Callable[[], bool]) -> None:
    """Send what is due in a lane, then stage drafts while nothing else is due."""
    deliver_lane(lane, tools, is_closing)
    while not is_closing() and stage_next(lane, tools):
        deliver_lane(lane, tools, is_closing)


def due_lanes(tools: Tools) -> dict[str, datetime | None]:
    """Return the ids of the connections that have a delivery due, or a draft to stage, to update or to discard.

    For deliveries, also since when they are due.
    """
    now = tools.now()
    end = now + timedelta(minutes=tools.config.stage_minutes)
    drafts = due_drafts.due_lanes(_window(now, tools)) if due_drafts.is_any(now, end) else []
    return {**dict.fromkeys(drafts), **due_deliveries.due_lanes(now)}


def stage_next(lane: str, tools: Tools) -> bool:
    """Stage, update or discard the next draft of a connection. Returns False if there is nothing to do."""
    if not due_drafts.is_any_in(lane, _window(tools.now(), tools)):
        return False
    with transaction(nouns.lane(lane)):
        staging = None if due_drafts.is_lane_busy(lane) else _claim(lane, tools)
    if staging is None:
        return False
    with Deadline.within(tools.config.attempt_seconds):
        outcome = outcome_of(lambda: _send(staging), staging.connector.key, "staging")
    retry_write(lambda: _settle(staging, outcome, tools), tools.config.lease_seconds)
    return True


def expire_leases(tools: Tools) -> None:
    """Settle drafts whose process died or hung. One that was being created is looked up."""
    now = tools.now()
    if not StagedDraft.is_any_expired(now):
        return
    with transaction():
        for draft in StagedDraft.expired(now):
            draft.record_unknown_outcome("The server stopped before the answer came.", now)


def _window(now: datetime, tools: Tools) -> StagingWindow:
    lease, ahead = timedelta(seconds=tools.config.lease_seconds), timedelta(minutes=tools.config.stage_minutes)
    return StagingWindow(now, now + lease, now + ahead, [k for k, kind in connectors().items() if kind.can("stage")])


def _claim(lane: str, tools: Tools) -> Staging | None:
    now = tools.now()
    window = _window(now, tools)
    while (post := due_drafts.next_to_stage(lane, window)) is not None:
        draft = StagedDraft.of(post.id, lane) or StagedDraft.new(post, db.session.get_one(Connection, lane), now)
        if (staging := _claim_draft(draft, post, now, tools)) is not None:
            return staging
    unwanted = due_drafts.next_to_discard(lane, window)
    return None if unwanted is None else _claim_draft(unwanted, None, now, tools)


def _claim_draft(draft: StagedDraft, post: Post | None, now: datetime, tools: Tools) -> Staging | None:
    """Claim a draft to stage its post, or to discard it if that is None. Returns None if the post can't be composed."""
    connector = connector_of(draft.connection, tools)
    composed, options, keys = None, dict[str, str](), dict(draft.keys)
    revision = post.live_revision() if post is not None else None
    was_in_doubt = draft.is_in_doubt
    try:
        if post is not None and revision is not None:
            composed = article(post, revision, draft.connection.name, tools.config.public_url)
            options = chosen(revision, draft.connection.name, connector)
            if not draft.can_exist:
                keys = {"operation": new_id("op", now), "armed_at": stamp(now), **connector.mint(composed)}
    except (Busy, SQLAlchemyError):  # tried again later
        raise
    except Exception as error:  # the delivery will say the same
        if not isinstance(error, TextRefused):
            log.exception("the connector for %s could not mint keys for %s", draft.connection.name, draft.post_id)
        draft.revision_id = revision.id if revision else None
        draft.fail(now)
        return None
    is_to_create = post is not None
    lease = timedelta(seconds=tools.config.lease_seconds)
    draft.begin(revision.id if revision else draft.revision_id, keys, is_to_create, now, lease, tools.process.name)
    return Staging(
        draft.id, draft.fence, composed, options, keys, draft.receipt, was_in_doubt, connector, draft.connection_id
    )


def _send(staging: Staging) -> StagingOutcome:
    connector, receipt = staging.connector, staging.receipt
    if staging.is_in_doubt and receipt is None:
        return _look_up(staging)
    if staging.article is not None:
        payload = compose(connector, staging.article, staging.options)
        text = undated_hash(connector, staging.article, staging.options)
        return Staged(connector.stage(payload, staging.keys, receipt), text)
    try:
        if receipt is not None:
            connector.discard_draft(staging.keys, receipt)
    except (base.Gone, base.Conflict, base.Unsupported):
        pass  # deleted there, or somebody has worked on it: it is theirs now
    return NoDraft()


def _look_up(staging: Staging) -> StagingOutcome:
    found = staging.connector.find_draft(staging.keys)
    if isinstance(found, CopyFound):
        return Found(found.receipt)
    if isinstance(found, CopyUnknown) and staging.article is not None:
        return base.Unavailable("The draft can't be found yet.")
    return NoDraft()


def _settle(staging: Staging, outcome: StagingOutcome, tools: Tools) -> None:
    """Store the outcome, unless the lease has ended and another request has begun."""
    with transaction(nouns.lane(staging.lane)):
        save_session(db.session.get(Connection, staging.lane), staging.connector, tools)
        draft = db.session.get(StagedDraft, staging.draft_id)
        if draft is not None and draft.fence == staging.fence:
            _apply(outcome, draft, staging, tools.now())


def _apply(outcome: StagingOutcome, draft: StagedDraft, staging: Staging, now: datetime) -> None:
    log.info(
        "draft=%s platform=%s outcome=%s",
        draft.id,
        draft.connection.name,
        outcome.code if isinstance(outcome, base.ConnectorError) else type(outcome).__name__.lower(),
    )
    if isinstance(outcome, base.ConnectorError) and not isinstance(outcome, base.Uncertain):
        draft.is_in_doubt = staging.is_in_doubt  # nothing was created now; an earlier request may have created it
    match outcome:
        case Staged():
            draft.record_stored(outcome.receipt, outcome.payload_hash, now)
        case Found():
            draft.record_found(outcome.receipt, now)
        case NoDraft():
            db.session.delete(draft)
        case base.Uncertain():
            draft.record_unknown_outcome(str(outcome), now)
        case base.Disconnected() | base.Misconfigured():
            mark_disconnected(draft.connection, outcome, now)
            draft.postpone(str(outcome), now)
        case base.Unavailable():
            draft.postpone(str(outcome), now, requested_wait(outcome.retry_after))
        case base.Conflict():
            draft.keep(now)
        case base.Gone():
            draft.forget_copy()
            draft.fail(now)
        case _:
            draft.fail(now, str(outcome) if isinstance(outcome, base.Rejected) else None)
