"""Schedule, publish and unpublish posts, without using the network.

`publish_request` is the one way to publish or schedule a post: it checks all that the request names.

Publishing queues deliveries, and `delivery.deliver` sends them. Only the built-in blog is updated at once, in
the same transaction, so that every copy can link to the original.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select

from blogsvc.connections.adopt import link
from blogsvc.connections.by_hand import names_to_store
from blogsvc.context import Tools
from blogsvc.delivery.preflight import with_choices
from blogsvc.errors import Busy, StateConflict
from blogsvc.lib.time import UnknownZone, resolve, stamp
from blogsvc.models import SITE, Connection, Delivery, Post, Revision, db, record, transaction, wake_scheduler
from blogsvc.models.due_posts import due_posts, is_any_due, live_revisions
from blogsvc.models.event import events_together
from blogsvc.models.pending_publish import forget_pending
from blogsvc.models.setting import site_changed
from blogsvc.posts import editing, rules
from blogsvc.posts.prepare import PreparedPost
from blogsvc.posts.publish_request import PublishRequest, WallTime

log = logging.getLogger(__name__)

# Posts published in one transaction: large enough for a backlog, small enough not to block other writers for
# long.
PUBLISH_BATCH = 100


def publish_request(post: Post, request: PublishRequest, now: datetime, tools: Tools, prepared: PreparedPost) -> Post:
    """Publish the current text, or schedule it.

    A scheduled post gets the destinations of the request; one that is published now keeps its other destinations.
    Raises Invalid with what has to be fixed first: a missing title, an unknown destination or option, a time that has
    passed, a text that a destination rejects. A destination whose account is disconnected, or not connected yet, is
    allowed: its delivery waits for the account.

    Args:
        prepared: the post of this request (`prepare.publication`), prepared before the transaction.
    """
    with transaction():
        platforms = names_to_store(post.platforms if request.platforms is None else request.platforms, now)
        changes: dict[str, Any] = {}
        if request.overrides:
            changes["overrides"] = with_choices(post.overrides, request.overrides, platforms)
        if request.when is not None or changes:
            editing.edit(post, changes, None if request.when is None else platforms, now)
        require_ready(post, "published" if request.when is None else "scheduled", platforms, tools, prepared)
        if request.when is None:
            return publish(post, now, platforms, prepared.html_for(post))
        return schedule(post, request.when, now, prepared.html_for(post))


def require_ready(
    post: Post,
    what: str,
    platforms: list[str],
    tools: Tools,
    prepared: PreparedPost,
    unsaved: Mapping[str, Any] | None = None,
) -> None:
    """Raise Invalid if the post is not complete, or a destination would reject it.

    `what` is the participle for the message, such as "published". Fields in `unsaved` replace the stored ones.
    """
    post.require_publishable(what, platforms)
    prepared.require_sendable(post, platforms, tools, unsaved)


def schedule(post: Post, when: datetime | WallTime, now: datetime, html: str | None = None) -> Post:
    """Pin the current text and schedule it. Raises Invalid if the post is not complete, or the time has passed."""
    with transaction():
        post.require_publishable("scheduled")
        rules.check_time(_instant(when), now)
        forget_pending(post.id)
        post.schedule(_store_time(post, when), now, html)
        _record_time(post, now)
        return post


def reschedule(post: Post, when: datetime | WallTime, now: datetime) -> Post:
    """Change the time of a scheduled post, and keep its pinned revision and destinations.

    The time is not checked, so that posts in the queue can change places at the last moment.
    """
    with transaction():
        forget_pending(post.id)
        post.reschedule(_store_time(post, when))
        _record_time(post, now)
        return post


def remove_destination(post: Post, name: str, now: datetime) -> Post:
    """Remove a destination from a scheduled post, and keep its time and pinned revision.

    Does nothing if the post has no such destination. Raises Invalid if it is the last one, and StateConflict if the
    post is not scheduled any more.
    """
    with transaction():
        if post.state != "scheduled":
            raise StateConflict("This post is not scheduled any more. Reload the page.", state=post.state)
        others = [one for one in post.platforms if one != name]
        if others == post.platforms:
            return post
        post.require_publishable("scheduled", others)
        post.rewrite({}, others, now)
        record("post.updated", now, post_id=post.id, fields=["platforms"])
        return post


def _instant(when: datetime | WallTime) -> datetime:
    return when if isinstance(when, datetime) else when.instant()


def _store_time(post: Post, when: datetime | WallTime) -> datetime:
    """Store the wall time and time zone, if any, and return the instant."""
    post.wall_time = post.time_zone = post.fold = None
    if isinstance(when, datetime):
        return when
    post.wall_time, post.time_zone, post.fold = when.local.isoformat(), when.time_zone, when.fold
    return _instant(when)


def _record_time(post: Post, now: datetime) -> None:
    assert post.scheduled_at is not None
    record("post.scheduled", now, post_id=post.id, at=stamp(post.scheduled_at))


def unschedule(post: Post, now: datetime) -> Post:
    """Remove the scheduled time and restore the state before it. Also dismisses a missed post.

    Does nothing if the post has no scheduled time.
    """
    with transaction():
        forget_pending(post.id)
        if not post.unschedule():
            return post
        record("post.unscheduled", now, post_id=post.id)
        return post


def publish(post: Post, now: datetime, platforms: list[str] | None = None, html: str | None = None) -> Post:
    """Publish the current text to `platforms`, by default all destinations of the post.

    Publishing again never creates a second copy: a copy that is up to date stays as it is, any other is
    updated, and failed deliveries are tried again.

    Args:
        html: the rendered text, if it is known.
    """
    with transaction():
        post.require_publishable("published", platforms)
        if platforms is not None:
            rules.check({}, platforms, post)
        return publish_revision(post, post.revise("published", now), now, platforms, html)


def publish_revision(
    post: Post, revision: Revision, now: datetime, platforms: list[str] | None = None, html: str | None = None
) -> Post:
    """Publish a version of the text that was checked before. A request that is still pending is forgotten."""
    with transaction(), db.session.no_autoflush, events_together():  # each row is written once
        post.require_move("publish")
        forget_pending(post.id)
        post.add_platforms(platforms or ())
        post.pin_revision(revision, html)
        wanted = post.platforms if platforms is None else platforms
        connections = {} if wanted == [SITE] else Connection.by_name()
        if _queue_deliveries(post, wanted, now, connections):
            site_changed()
        return post


def publish_due(now: datetime, missed_after: timedelta) -> int:
    """Publish due posts, oldest first, and return how many were handled. Call again until it returns 0.

    A post overdue by more than `missed_after` is marked as missed, for its author to decide. The same happens
    to a post that raises an unexpected error, so that it does not block the posts after it.
    """
    if not is_any_due(now):
        return 0
    try:
        return _publish_batch(now, missed_after, PUBLISH_BATCH)
    except Busy:
        raise
    except Exception:
        log.exception("a batch of due posts could not be published; trying them one by one")
        try:
            return _publish_batch(now, missed_after, 1)
        except Busy:
            raise
        except Exception:
            log.exception("a due post cannot be published; its author is asked")
            return _miss_next(now)


def _publish_batch(now: datetime, missed_after: timedelta, limit: int) -> int:
    with transaction():
        posts = due_posts(now, limit)
        connections = Connection.by_name() if posts else {}
        with live_revisions(posts), db.session.no_autoflush, events_together():
            changes = [_publish_one(post, now, missed_after, connections) for post in posts]
            if any(changes):
                site_changed()
        return len(posts)


def _miss_next(now: datetime) -> int:
    with transaction():
        for post in due_posts(now, 1):
            post.miss(now)
    return 1


def _publish_one(post: Post, now: datetime, missed_after: timedelta, connections: dict[str, Connection]) -> bool:
    assert post.scheduled_at is not None
    if now - post.scheduled_at > missed_after:
        post.miss(now)
        return False
    return _queue_deliveries(post, post.platforms, now, connections)


def _queue_deliveries(post: Post, platforms: list[str], now: datetime, connections: dict[str, Connection]) -> bool:
    """Queue the deliveries. Returns True if the built-in blog now shows something else."""
    outdated = [name for name in platforms if not _is_in_step(post, name, connections.get(name))]
    if post.is_live and not outdated:
        return False
    due_at = post.scheduled_at if post.state == "scheduled" and post.scheduled_at else now
    post.state, is_first = "publishing", post.published_at is None
    post.published_at, post.dated_at = post.first_published_at or now, None
    record("post.publishing", now, post_id=post.id, platforms=platforms, first=is_first)
    was_shown = post.site_revision_id
    for platform in outdated:
        if platform == SITE:
            delivery = _publish_to_site(post, now)
        else:
            delivery = _queue_delivery(post, platform, connections.get(platform), now)
        delivery.due_at = due_at
    post.settle(now, is_first=is_first)
    return post.site_revision_id != was_shown


def _is_in_step(post: Post, platform: str, connection: Connection | None) -> bool:
    """Return True if the copy has the text to publish, so that nothing has to be done for it."""
    delivery = post.delivery_to(platform)
    if delivery is None or delivery.connection is not connection or delivery.revision_id != post.live_revision_id:
        return False
    return delivery.state == "awaiting_hand" or (delivery.state == "delivered" and delivery.is_settled)


def _queue_delivery(post: Post, platform: str, connection: Connection | None, now: datetime) -> Delivery:
    """Queue the live revision for a destination; the scheduler sends it. Without an account, it waits for one."""
    delivery = post.delivery_to(platform) or Delivery.to(post, platform, connection, now)
    if connection is not None and delivery.connection is None:
        link(delivery, connection)
    delivery.connection = connection
    delivery.want(post.live_revision_id, now)
    delivery.record_blocked(now)
    return delivery


def _publish_to_site(post: Post, now: datetime) -> Delivery:
    """Publish to the built-in blog, at once."""
    delivery = post.delivery_to(SITE) or Delivery.to(post, SITE, None, now)
    if post.enter_site(delivery, now):
        record("delivery.succeeded", now, post_id=post.id, delivery_id=delivery.id, platform=SITE, url=delivery.url)
    return delivery


def unpublish(post: Post, now: datetime, *, delete_copies: bool = False) -> Post:
    """Remove the post from this blog, and withdraw its copies where the platform supports that.

    Copies become drafts where the platform has drafts, unless `delete_copies` is set.
    """
    with transaction():
        post.require_move("unpublish")
        forget_pending(post.id)
        for delivery in post.deliveries:
            delivery.withdraw(now, delete=delete_copies)
        if post.site_revision_id is not None:
            post.leave_site(now)
            site_changed()
        post.state, post.updated_at = "unpublished", now
        post.forget_time()
        record("post.unpublished", now, post_id=post.id)
        return post


def update_wall_times() -> int:
    """Recompute scheduled instants after a change of time zone rules, and return how many posts moved."""
    with transaction():
        moved = 0
        for post in db.session.scalars(select(Post).where(Post.state == "scheduled", Post.wall_time.is_not(None))):
            moved += _update_wall_time(post)
        if moved:
            wake_scheduler()
        return moved


def _update_wall_time(post: Post) -> bool:
    assert post.wall_time is not None
    assert post.time_zone is not None
    try:
        # If new rules skip or repeat this time, take the first reading: there is no one to ask.
        instant = resolve(datetime.fromisoformat(post.wall_time), post.time_zone, post.fold or 0)
    except UnknownZone:
        log.warning("%s keeps its time: the zone %s is not known any more", post.id, post.time_zone)
        return False
    if instant == post.scheduled_at:
        return False
    post.scheduled_at = instant
    return True
