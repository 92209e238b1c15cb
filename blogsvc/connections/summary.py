"""How each destination stands: what lies there, what waits, what failed, and what was made there last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select

from blogsvc.models.base import db
from blogsvc.models.connection import SITE
from blogsvc.models.delivery import Delivery
from blogsvc.models.delivery_states import PENDING
from blogsvc.models.post import Post

UNDER_WAY = ("sending", "queued", "retrying", "awaiting_hand")
IN_TROUBLE = ("failed", "retrying", "uncertain")
# A copy that readers see, also while an update of it waits or has failed.
IS_COPY = and_(Delivery.remote_id.is_not(None), Delivery.is_draft.is_(False))


@dataclass(frozen=True)
class RecentDelivery:
    """One delivery in a line: of which post, and what came of it. `at` is when that was."""

    post_id: str
    title: str
    url: str | None
    state: str
    detail: str | None
    at: datetime


@dataclass(frozen=True)
class DestinationSummary:
    """`waiting` goes on by itself; `failed` waits for a person. `trouble` is the latest that has not been settled."""

    copies: int = 0
    waiting: int = 0
    failed: int = 0
    last: RecentDelivery | None = None
    trouble: RecentDelivery | None = None


def summaries(connection_ids: Sequence[str]) -> dict[str, DestinationSummary]:
    """How these connections stand, by their ids."""
    which = Delivery.connection_id.in_(connection_ids)
    counts, copies = _counts(which), _copies(which)
    return {
        one: _summary(copies.get(one, 0), counts.get(one, {}), Delivery.connection_id == one) for one in connection_ids
    }


def summary_of_site() -> DestinationSummary:
    """How the built-in blog stands: its copies are its posts."""
    on_site = select(func.count()).select_from(Post).where(Post.site_revision_id.is_not(None))
    return DestinationSummary(
        copies=db.session.scalar(on_site) or 0, last=_last_delivered(Delivery.destination == SITE)
    )


def copies_at(connection_id: str) -> int:
    """How many copies lie there, as far as we know: in whatever state their deliveries are."""
    query = select(func.count()).select_from(Delivery).where(has_copy(connection_id))
    return db.session.scalar(query) or 0


def waiting_for(connection_id: str) -> int:
    """How many deliveries are not done yet."""
    is_open = and_(Delivery.connection_id == connection_id, Delivery.state.in_((*PENDING, "sending")))
    return db.session.scalar(select(func.count()).select_from(Delivery).where(is_open)) or 0


def has_copy(connection_id: str) -> ColumnElement[bool]:
    return and_(Delivery.connection_id == connection_id, Delivery.remote_id.is_not(None))


def _counts(which: ColumnElement[bool]) -> dict[str, dict[str, int]]:
    query = select(Delivery.connection_id, Delivery.state, func.count()).where(which)
    counts: dict[str, dict[str, int]] = {}
    for connection_id, state, count in db.session.execute(query.group_by(Delivery.connection_id, Delivery.state)):
        counts.setdefault(connection_id or "", {})[state] = count
    return counts


def _copies(which: ColumnElement[bool]) -> dict[str, int]:
    query = select(Delivery.connection_id, func.count()).where(which, IS_COPY).group_by(Delivery.connection_id)
    return {connection_id or "": count for connection_id, count in db.session.execute(query)}


def _summary(copies: int, by_state: dict[str, int], which: ColumnElement[bool]) -> DestinationSummary:
    return DestinationSummary(
        copies=copies,
        waiting=sum(by_state.get(state, 0) for state in UNDER_WAY),
        failed=by_state.get("failed", 0) + by_state.get("uncertain", 0),
        last=_last_delivered(which) if copies else None,
        trouble=_last_problem(which) if any(by_state.get(state) for state in IN_TROUBLE) else None,
    )


def _last_delivered(which: ColumnElement[bool]) -> RecentDelivery | None:
    return _latest(
        Delivery.delivered_at,
        and_(which, IS_COPY, Delivery.delivered_at.is_not(None), Post.deleted_at.is_(None)),
    )


def _last_problem(which: ColumnElement[bool]) -> RecentDelivery | None:
    has_failed = or_(Delivery.state.in_(("failed", "uncertain")), Delivery.error_code.is_not(None))
    return _latest(
        Delivery.updated_at,
        and_(which, Delivery.state.in_(IN_TROUBLE), has_failed, Post.deleted_at.is_(None)),
    )


def _latest(at: Any, which: ColumnElement[bool]) -> RecentDelivery | None:
    """The latest one by a column."""
    query = (
        select(Post.id, Post.title, Delivery.url, Delivery.state, Delivery.error_detail, at)
        .join(Post, Post.id == Delivery.post_id)
        .where(which)
        .order_by(at.desc(), Delivery.id.desc())
        .limit(1)
    )
    row = db.session.execute(query).first()
    return RecentDelivery(*row) if row is not None else None
