"""Queries for due deliveries. A lane is the queue of one connection: one at a time, the oldest first."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, and_, bindparam, func, select
from sqlalchemy.orm import joinedload

from blogsvc.models.base import UtcDateTime, db
from blogsvc.models.connection import Connection
from blogsvc.models.delivery import Delivery
from blogsvc.models.delivery_states import PENDING
from blogsvc.models.post import Post
from blogsvc.models.staged_draft import StagedDraft
from blogsvc.models.transactions import wake_scheduler

# Loads what a settlement needs: the delivery and its connection, and parts of the post and of its other deliveries. A
# claim rarely needs the others, and its connection is that of the delivery that was settled just before.
_POST = joinedload(Delivery.post, innerjoin=True)
_POST_COLUMNS = _POST.load_only(Post.state, Post.platforms, Post.site_revision_id, Post.published_at, Post.deleted_at)
_OTHER_COLUMNS = (Delivery.destination, Delivery.state, Delivery.url, Delivery.first_delivered_at, Delivery.drift)
_FOR_CLAIM = (_POST_COLUMNS, _POST.lazyload(Post.deliveries).load_only(*_OTHER_COLUMNS))
_FOR_SETTLEMENT = (
    joinedload(Delivery.connection),
    _POST_COLUMNS,
    _POST.selectinload(Post.deliveries).load_only(*_OTHER_COLUMNS),
)


def due_where(now: datetime | BindParameter[datetime]) -> Any:
    """Return a condition on Delivery joined with Connection: the delivery is due, and its connection is not paused."""
    return and_(
        Delivery.state.in_(PENDING),
        Delivery.next_attempt_at <= now,
        Connection.state != "disconnected",
        Connection.is_running(now),
    )


def _busy_lanes() -> Any:
    """Select the connections that are sending a delivery or a draft, in this or another process."""
    sending = select(Delivery.connection_id).where(Delivery.state == "sending", Delivery.connection_id.is_not(None))
    return sending.union_all(select(StagedDraft.connection_id).where(StagedDraft.state == "sending"))


def due_lanes(now: datetime) -> dict[str, datetime]:
    """Return the ids of the connections that have a delivery due and are not sending one, and since when it is due."""
    query = (
        select(Delivery.connection_id, func.min(Delivery.next_attempt_at))
        .join(Connection)
        .where(due_where(now), Delivery.connection_id.not_in(_busy_lanes()))
        .group_by(Delivery.connection_id)
    )
    return {lane: since for lane, since in db.session.execute(query) if lane and since}


# Built once, because building them takes longer than running them.
_OLDEST_IN_LANE = (
    select(Delivery.id)
    .where(Delivery.connection_id == Connection.id, due_where(bindparam("now", type_=UtcDateTime())))
    .order_by(Delivery.next_attempt_at, Delivery.id)
    .limit(1)
    .correlate(Connection)
)
_OLDEST_IN_LANES = select(_OLDEST_IN_LANE.scalar_subquery()).where(
    Connection.id.in_(bindparam("lanes", expanding=True)), Connection.id.not_in(_busy_lanes())
)
_LOCKED = select(Delivery).with_for_update(of=Delivery)
_NEXT_IN_LANES = _LOCKED.where(Delivery.id.in_(_OLDEST_IN_LANES)).options(*_FOR_CLAIM)
_CLAIMED = _LOCKED.where(Delivery.id.in_(bindparam("delivery_ids", expanding=True))).options(*_FOR_SETTLEMENT)


def next_in_lanes(lanes: Collection[str], now: datetime) -> dict[str | None, Delivery]:
    """Return the oldest due delivery of each of these connections and lock its row.

    A connection is missing if none is due or one is being sent.
    """
    found = db.session.scalars(_NEXT_IN_LANES, {"lanes": lanes, "now": now}) if lanes else ()
    return {delivery.connection_id: delivery for delivery in found}


def claimed(delivery_ids: Collection[str]) -> dict[str, Delivery]:
    """Return the deliveries of attempts by id and lock their rows. One is missing if it was deleted meanwhile."""
    found = db.session.scalars(_CLAIMED, {"delivery_ids": delivery_ids}) if delivery_ids else ()
    return {delivery.id: delivery for delivery in found}


def next_due_at(but: Collection[str] = ()) -> datetime | None:
    """Return when the next delivery is due or the next lease ends. Ignores the deliveries of connections in `but`."""
    waiting = (
        select(Delivery.next_attempt_at, Connection.paused_until)
        .join(Connection)
        .where(
            Delivery.state.in_(PENDING),
            Delivery.next_attempt_at.is_not(None),
            Connection.state != "disconnected",
            Delivery.connection_id.not_in(but),
            Delivery.connection_id.not_in(_busy_lanes()),
        )
    )
    first = waiting.where(Connection.paused_until.is_(None)).order_by(Delivery.next_attempt_at).limit(1)
    paused = waiting.where(Connection.paused_until.is_not(None)).distinct()
    moments = [max(at for at in row if at) for query in (first, paused) for row in db.session.execute(query)]
    lease = Delivery.first_expiry()
    return min([*moments, *([lease] if lease else [])], default=None)


def release_lane(connection_id: str, now: datetime) -> None:
    """Make all retries of a connection due now, because its account works again."""
    waiting = select(Delivery).where(Delivery.connection_id == connection_id, Delivery.state == "retrying")
    for delivery in db.session.scalars(waiting):
        delivery.next_attempt_at = now
    wake_scheduler()
