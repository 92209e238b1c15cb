"""Delete rows that are past their retention period. docs/running.md lists the periods."""

from __future__ import annotations

from datetime import datetime, timedelta
from time import sleep

from sqlalchemy import ColumnElement, and_, delete, exists, func, inspect, not_, or_, select, tuple_
from sqlalchemy.orm import aliased

from blogsvc.config import Config
from blogsvc.models.attempt import Attempt
from blogsvc.models.base import Base, db
from blogsvc.models.delivery import Delivery
from blogsvc.models.event import ARE_LISTED_FOR, Event, number_events
from blogsvc.models.idempotent_response import ARE_KEPT_FOR, IdempotentResponse
from blogsvc.models.post import Post
from blogsvc.models.quota import Usage
from blogsvc.models.revision import Revision
from blogsvc.models.session import Session
from blogsvc.models.share_link import ENDED_LINKS_KEPT_FOR, ShareLink
from blogsvc.models.transactions import transaction
from blogsvc.models.upload import UPLOADS_KEPT_FOR, Upload
from blogsvc.models.webhook_delivery import LOG_KEPT_FOR, WebhookDelivery

# Rows that are deleted in one transaction, so that no writer waits long, and the pause that lets writers go first.
ROWS_PER_TRANSACTION = 1_000
PAUSE_SECONDS = 0.1
# Keys that are read at once, which may pass many rows that stay.
KEYS_AT_ONCE = 20_000
# The newest revisions of a post stay, however old they are, and those that were kept before a large removal.
MIN_REVISIONS = 100
# `posts/editing` empties the trash, with the images and copies.
TRASH_KEPT_FOR = timedelta(days=30)
# The quotas count by day.
USAGE_KEPT_FOR = timedelta(days=2)


def delete_old_rows(config: Config, now: datetime) -> None:
    """Delete old events, attempts, revisions, sessions, messages, stored responses, usage, uploads and share links."""
    number_events()
    delete_rows(Event, Event.post_id.is_(None), Event.created_at < now - ARE_LISTED_FOR)
    delete_rows(IdempotentResponse, IdempotentResponse.created_at < now - ARE_KEPT_FOR)
    is_finished = WebhookDelivery.state.in_(("delivered", "failed"))
    delete_rows(WebhookDelivery, WebhookDelivery.created_at < now - LOG_KEPT_FOR, is_finished)
    delete_rows(Usage, Usage.day < (now - USAGE_KEPT_FOR).date())
    delete_rows(Upload, Upload.uploaded_at < now - UPLOADS_KEPT_FOR)
    delete_rows(Session, Session.has_expired(now))
    delete_rows(ShareLink, ShareLink.expires_at < now - ENDED_LINKS_KEPT_FOR)
    delete_rows(Event, *_old_events(now - max(timedelta(days=config.keep_events_days), ARE_LISTED_FOR)))
    delete_rows(Attempt, *_old_attempts(now - timedelta(days=config.keep_attempts_days)))
    _delete_old_revisions(now - timedelta(days=config.keep_revisions_days))


def delete_rows(table: type[Base], *conditions: ColumnElement[bool]) -> int:
    """Delete the rows that meet the conditions, a batch in each transaction. Returns their number."""
    columns = inspect(table).primary_key
    deleted = 0
    while True:
        db.session.rollback()  # read what is there now
        keys = [tuple(row) for row in db.session.execute(select(*columns).where(*conditions).limit(KEYS_AT_ONCE))]
        for start in range(0, len(keys), ROWS_PER_TRANSACTION):
            if deleted:
                sleep(PAUSE_SECONDS)
            batch = tuple_(*columns).in_(keys[start : start + ROWS_PER_TRANSACTION])
            with transaction():
                # The conditions again, because rows may have changed since.
                gone = delete(table).where(batch, *conditions).execution_options(synchronize_session=False)
                deleted += db.session.execute(gone).rowcount  # type: ignore[attr-defined]
        if len(keys) < KEYS_AT_ONCE:
            return deleted


def _old_events(horizon: datetime) -> list[ColumnElement[bool]]:
    """Select old events of posts, except the latest of each post and of each of its deliveries."""
    later = aliased(Event)
    is_outdated = exists().where(
        later.post_id == Event.post_id,
        later.position > Event.position,
        later.delivery_id.is_not_distinct_from(Event.delivery_id),
    )
    return [Event.created_at < horizon, Event.post_id.is_not(None), is_outdated]


def _old_attempts(horizon: datetime) -> list[ColumnElement[bool]]:
    """Select old attempts of deliveries that are finished, except the latest of each."""
    later = aliased(Attempt)
    is_outdated = exists().where(later.delivery_id == Attempt.delivery_id, later.number > Attempt.number)
    is_finished = exists().where(
        Delivery.id == Attempt.delivery_id,
        Delivery.state.in_(("delivered", "failed", "withdrawn")),
        not_(Delivery.is_in_doubt),
    )
    return [Attempt.started_at < horizon, is_outdated, is_finished]


def _delete_old_revisions(horizon: datetime) -> None:
    """Delete old revisions, except the newest of each post, those that the post or a delivery refers to, and texts that
    were removed.
    """
    is_of_post = and_(
        Post.id == Revision.post_id, or_(Post.live_revision_id == Revision.id, Post.site_revision_id == Revision.id)
    )
    is_of_delivery = and_(
        Delivery.post_id == Revision.post_id,
        or_(
            Delivery.revision_id == Revision.id,
            Delivery.copy_revision_id == Revision.id,
            Delivery.armed_revision_id == Revision.id,
        ),
    )
    newest = func.max(Revision.number)
    many = select(Revision.post_id, newest).group_by(Revision.post_id).having(newest > MIN_REVISIONS)
    for post_id, number in db.session.execute(many).all():
        of_post = Revision.post_id == post_id, Revision.number <= number - MIN_REVISIONS
        is_unused = not_(exists().where(is_of_post)), not_(exists().where(is_of_delivery))
        is_repeated = Revision.reason != "before removal"
        delete_rows(Revision, *of_post, Revision.created_at < horizon, is_repeated, *is_unused)
