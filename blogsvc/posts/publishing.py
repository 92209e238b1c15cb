"""Publishing: give a post its time, hand it to its destinations, take it down. No network here.

Publishing writes rows; `delivery.deliver` sends them. Only our own blog is delivered on the spot, in the
same transaction, so that every copy can point home.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select

from blogsvc.errors import Busy
from blogsvc.lib.time import UnknownZone, resolve, stamp
from blogsvc.models import SITE, Connection, Delivery, Post, Setting, db, record, transaction, wake_scheduler
from blogsvc.models.post import due_posts, live_revisions
from blogsvc.models.setting import site_changed

log = logging.getLogger(__name__)

# Posts published in one transaction: enough for a rush, short enough to let writers in between.
PUBLISH_BATCH = 100


@dataclass(frozen=True)
class WallTime:
    """A time as people say it: nine o'clock in Berlin. Which of two, where a clock change repeats it: `fold`."""

    local: datetime
    time_zone: str
    fold: int | None = None

    def instant(self) -> datetime:
        return resolve(self.local, self.time_zone, self.fold)


def schedule(post: Post, when: datetime | WallTime, now: datetime) -> Post:
    """Pin the words as they stand, and the time at which they go out."""
    with transaction():
        post.demand_words("scheduled")
        post.schedule(_keep_wish(post, when), now)
        _record_time(post, now)
        return post


def reschedule(post: Post, when: datetime | WallTime, now: datetime) -> Post:
    """Another time, for the words that are pinned; where none are, those that stand."""
    with transaction():
        if post.state != "scheduled":
            return schedule(post, when, now)
        post.reschedule(_keep_wish(post, when))
        _record_time(post, now)
        return post


def _keep_wish(post: Post, when: datetime | WallTime) -> datetime:
    """Keep the words in which a time was said, should that be a wall time; answers the instant."""
    post.wall_time = post.time_zone = post.fold = None
    if isinstance(when, datetime):
        return when
    post.wall_time, post.time_zone, post.fold = when.local.isoformat(), when.time_zone, when.fold
    return when.instant()


def _record_time(post: Post, now: datetime) -> None:
    assert post.scheduled_at is not None
    record("post.scheduled", now, post_id=post.id, at=stamp(post.scheduled_at))


def unschedule(post: Post, now: datetime) -> Post:
    """Back to where it was before it had a time; also how a missed post is dropped. One without a time stays."""
    with transaction():
        if not post.unschedule():
            return post
        record("post.unscheduled", now, post_id=post.id)
        return post


def publish(post: Post, now: datetime, platforms: list[str] | None = None) -> Post:
    """Hand the words as they stand to `platforms`, by default all of the post's own.

    Asking again never makes a second copy: one in step is left alone, another is brought in step,
    a failed one is tried again.
    """
    with transaction():
        post.demand_words("published")
        post.may("publish")
        if platforms is not None:
            post.platforms = post.platforms + [name for name in platforms if name not in post.platforms]
            post.index()
        post.pin("published", now)
        if _hand_out(post, post.platforms if platforms is None else platforms, now, _connections()):
            site_changed()
        return post


def publish_due(now: datetime, missed_after: timedelta) -> int:
    """Publish what is due, oldest first. Answers how many posts were moved; call again until it is 0.

    What is overdue by more than `missed_after` is not published behind its author's back, but marked
    missed and asked about. So is a post that cannot be published for a reason nobody thought of:
    it must not hold up those behind it.
    """
    try:
        return _publish_batch(now, missed_after, PUBLISH_BATCH)
    except Busy:
        raise
    except Exception:
        log.exception("a batch of due posts could not be published; trying them one by one")
        try:
            return _publish_batch(now, missed_after, 1)
        except Exception:
            log.exception("a due post cannot be published; its author is asked")
            return _set_aside(now)


def _publish_batch(now: datetime, missed_after: timedelta, most: int) -> int:
    with transaction():
        posts = due_posts(now, most)
        connections = _connections() if posts else {}
        with live_revisions(posts), db.session.no_autoflush:
            changes = [_publish_one(post, now, missed_after, connections) for post in posts]
            if any(changes):
                site_changed()
        return len(posts)


def _set_aside(now: datetime) -> int:
    with transaction():
        for post in due_posts(now, 1):
            post.miss(now)
    return 1


def _publish_one(post: Post, now: datetime, missed_after: timedelta, connections: dict[str, Connection]) -> bool:
    assert post.scheduled_at is not None
    if now - post.scheduled_at > missed_after:
        post.miss(now)
        return False
    return _hand_out(post, post.platforms, now, connections)


def _connections() -> dict[str, Connection]:
    return {connection.name: connection for connection in Connection.all()}


def _hand_out(post: Post, platforms: list[str], now: datetime, connections: dict[str, Connection]) -> bool:
    """Answers whether readers of our own blog see something else from now on."""
    due_at = post.scheduled_at if post.state == "scheduled" and post.scheduled_at else now
    post.state = "publishing"
    post.published_at = post.published_at or now
    record("post.publishing", now, post_id=post.id, platforms=platforms)
    was_shown = post.site_revision_id
    for platform in platforms:
        if platform == SITE:
            delivery = _deliver_here(post, now)
        else:
            delivery = _wish(post, platform, connections.get(platform), now)
        delivery.due_at = due_at
    post.settle(now)
    return post.site_revision_id != was_shown


def _wish(post: Post, platform: str, connection: Connection | None, now: datetime) -> Delivery:
    """Want the live revision at a destination; the clock sees to the rest."""
    delivery = post.delivery_to(platform) or Delivery.to(post, platform, connection, now)
    if connection is None:
        delivery.fail("disconnected", f"Nothing is connected as {platform!r} any more; connect it and retry.", now)
        return delivery
    if delivery.remote_id and delivery.connection is None and platform in Setting.read("former_accounts"):
        delivery.lost()  # that copy is another account's, which this one may not touch
    delivery.connection = connection
    delivery.want(post.live_revision_id, now)
    return delivery


def _deliver_here(post: Post, now: datetime) -> Delivery:
    """Our own blog, at once."""
    delivery = post.delivery_to(SITE) or Delivery.to(post, SITE, None, now)
    if post.enter_site(delivery, now):
        record("delivery.succeeded", now, post_id=post.id, delivery_id=delivery.id, platform=SITE, url=delivery.url)
    return delivery


def unpublish(post: Post, now: datetime) -> Post:
    """Take the post down here, and its copies wherever that can be done."""
    with transaction():
        post.may("unpublish")
        for delivery in post.deliveries:
            delivery.want_none(now)
        if post.site_revision_id is not None:
            post.leave_site(now)
            site_changed()
        post.state, post.updated_at = "unpublished", now
        record("post.unpublished", now, post_id=post.id)
        return post


def update_wall_times() -> int:
    """Recompute the instants of scheduled wall times, should a zone's rules have changed. Answers how many moved."""
    with transaction():
        moved = 0
        for post in db.session.scalars(select(Post).where(Post.state == "scheduled", Post.wall_time.is_not(None))):
            moved += _follow_zone(post)
        if moved:
            wake_scheduler()
        return moved


def _follow_zone(post: Post) -> bool:
    assert post.wall_time is not None
    assert post.time_zone is not None
    try:
        # A time that new rules skip or repeat is taken by its first reading; nobody is there to ask.
        instant = resolve(datetime.fromisoformat(post.wall_time), post.time_zone, post.fold or 0)
    except UnknownZone:
        log.warning("%s keeps its time: the zone %s is not known any more", post.id, post.time_zone)
        return False
    if instant == post.scheduled_at:
        return False
    post.scheduled_at = instant
    return True
