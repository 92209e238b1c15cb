"""Queries for drafts to stage, to update and to discard. Each connection stages one at a time, the next due first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select, text

from blogsvc.models.base import db
from blogsvc.models.connection import Connection
from blogsvc.models.delivery import Delivery
from blogsvc.models.post import Post
from blogsvc.models.post_labels import PostLabel
from blogsvc.models.staged_draft import StagedDraft

# As the partial index on scheduled posts has it, with the name of the table because of joins.
_IS_SCHEDULED = text("post.state = 'scheduled' AND post.deleted_at IS NULL")


@dataclass(frozen=True)
class StagingWindow:
    """The posts to stage: those due after `start`, and up to `end`. `connectors` are the keys of those with drafts.

    What is due before `start` might be due while a request is still running, which must not hold it up.
    """

    now: datetime
    start: datetime
    end: datetime
    connectors: Collection[str]


def is_any(now: datetime, end: datetime) -> bool:
    """Return True if a post is due until `end`, or a draft is stored. Else there is nothing to stage or to discard."""
    is_due = exists().where(_IS_SCHEDULED, Post.scheduled_at > now, Post.scheduled_at <= end)
    return bool(db.session.scalar(select(or_(is_due, exists(select(StagedDraft.id))))))


def is_any_in(lane: str, window: StagingWindow) -> bool:
    """Return True if this connection has drafts and a post of it is due in the window, or it has a draft stored."""
    is_due = _scheduled(Post.id, window).where(Connection.id == lane).exists()
    return bool(db.session.scalar(select(or_(is_due, exists().where(StagedDraft.connection_id == lane)))))


def due_lanes(window: StagingWindow) -> list[str]:
    """Return the ids of the connections that have a draft to stage, to update or to discard."""
    found = db.session.scalars(_to_stage(Connection.id, window).distinct()).all()
    return sorted({*found, *db.session.scalars(_to_discard(StagedDraft.connection_id, window).distinct())})


def next_to_stage(lane: str, window: StagingWindow) -> Post | None:
    """Return the next post to stage with this connection. None if none is left, or a post is due too soon."""
    soon = _scheduled(func.min(Post.scheduled_at), window).where(Connection.id == lane)
    first = db.session.scalar(soon)
    if first is None or first <= window.start:
        return None
    order = Post.scheduled_at, Post.id
    query = _to_stage(Post, window).where(Connection.id == lane).order_by(*order).limit(1)
    # Its text may have been changed since this transaction read it before.
    return cast(Post | None, db.session.scalar(query.execution_options(populate_existing=True)))


def next_to_discard(lane: str, window: StagingWindow) -> StagedDraft | None:
    """Return a draft of this connection whose post no longer needs it, or None."""
    query = _to_discard(StagedDraft, window).where(StagedDraft.connection_id == lane)
    return cast(StagedDraft | None, db.session.scalar(query.limit(1)))


def is_lane_busy(lane: str) -> bool:
    """Return True while a delivery or a draft of this connection is being sent, in this or another process."""
    sending = (
        exists().where(table.connection_id == lane, table.state == "sending") for table in (Delivery, StagedDraft)
    )
    return bool(db.session.scalar(select(or_(*sending))))


def drafts_of(post: Post) -> dict[str, StagedDraft]:
    """Return the drafts of the pinned revision that are ready or failed, by the name of the connection."""
    of_post = StagedDraft.post_id == post.id, StagedDraft.revision_id == post.live_revision_id
    query = select(Connection.name, StagedDraft).join(StagedDraft).where(*of_post)
    settled = query.where(StagedDraft.state.in_(("ready", "failed")))
    return dict(db.session.execute(settled).all())


def _scheduled(what: Any, window: StagingWindow) -> Select[Any]:
    """Select from the scheduled posts until the end of the window, each with its connections that have drafts."""
    return (
        select(what)
        .select_from(Post)
        .join(PostLabel, and_(PostLabel.post_id == Post.id, PostLabel.kind == "platform"))
        .join(Connection, Connection.name == PostLabel.value)
        .where(
            _IS_SCHEDULED,
            Post.scheduled_at <= window.end,
            Connection.connector.in_(window.connectors),
            _is_open(window.now),
        )
    )


def _to_stage(what: Any, window: StagingWindow) -> Select[Any]:
    """Select from the posts in the window without a copy on the platform, whose draft is missing or outdated."""
    is_copied = exists().where(
        Delivery.post_id == Post.id,
        Delivery.destination == PostLabel.value,
        or_(Delivery.remote_id.is_not(None), Delivery.state != "withdrawn"),
    )
    has_draft = and_(StagedDraft.post_id == Post.id, StagedDraft.connection_id == Connection.id)
    is_outdated = or_(
        and_(StagedDraft.state == "waiting", StagedDraft.next_attempt_at <= window.now),
        and_(StagedDraft.state.in_(("ready", "failed")), StagedDraft.revision_id != Post.live_revision_id),
    )
    return (
        _scheduled(what, window)
        .outerjoin(StagedDraft, has_draft)
        # A post that was published before is no news, for which a second would matter.
        .where(Post.published_at.is_(None), Post.scheduled_at > window.start)
        .where(~is_copied, or_(StagedDraft.id.is_(None), is_outdated))
    )


def _to_discard(what: Any, window: StagingWindow) -> Select[Any]:
    """Select from the drafts of posts that are not going to be published on their platform."""
    is_planned = and_(
        Post.state.in_(("scheduled", "missed")),
        Post.deleted_at.is_(None),
        exists().where(PostLabel.post_id == Post.id, PostLabel.kind == "platform", PostLabel.value == Connection.name),
    )
    # Until the delivery is settled, which uses the draft. A failed delivery may be retried.
    is_published = exists().where(
        Delivery.post_id == Post.id,
        Delivery.connection_id == Connection.id,
        Delivery.revision_id.is_not(None),
        Delivery.remote_id.is_(None),
    )
    return (
        select(what)
        .select_from(StagedDraft)
        .join(Connection)
        .join(Post)
        .where(
            StagedDraft.state != "sending",
            or_(StagedDraft.next_attempt_at.is_(None), StagedDraft.next_attempt_at <= window.now),
            ~is_planned,
            ~is_published,
            _is_open(window.now),
        )
    )


def _is_open(now: datetime) -> ColumnElement[bool]:
    return and_(Connection.state != "disconnected", Connection.is_running(now))
