"""Move posts to the trash, restore them, and delete them for good."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select

from blogsvc.errors import StateConflict
from blogsvc.models import SITE, Post, db, record, transaction, wake_scheduler
from blogsvc.models.pending_publish import forget_pending
from blogsvc.models.retention import TRASH_KEPT_FOR
from blogsvc.models.setting import site_changed

ERASED_AT_ONCE = 20


def discard(post: Post, now: datetime, *, withdraw: bool = False, delete_copies: bool = False) -> None:
    """Move a post to the trash, remove it from this blog and cancel its deliveries.

    With `withdraw`, also unpublish its copies: they become drafts where the platform has drafts. With `delete_copies`,
    delete them.
    """
    with transaction():
        post.require_move("delete")
        forget_pending(post.id)
        for delivery in post.deliveries:
            if delivery.is_being_withdrawn and not delete_copies:
                continue
            if withdraw or delete_copies:
                delivery.withdraw(now, delete=delete_copies)
            else:
                delivery.cancel(now)
        if post.site_revision_id is not None:
            post.leave_site(now)
            site_changed()
        if post.is_live:
            post.count_copies()
        post.deleted_at = post.updated_at = now
        record("post.deleted", now, post_id=post.id, withdraw=withdraw or delete_copies)


def restore(post: Post, now: datetime) -> Post:
    """Restore a post from the trash: as a draft, as unpublished or, if copies are still there, as published."""
    with transaction():
        if post.deleted_at is None:
            raise StateConflict("This post is not in the trash.", state=post.state)
        post.deleted_at, post.updated_at = None, now
        post.retire()
        if post.published_at is not None:
            post.count_copies()
        record("post.restored", now, post_id=post.id)
        return post


def undo_discard(post: Post, now: datetime) -> Post:
    """Restore a post from the trash as it was: scheduled if its time is still ahead, else published with its copies.

    A copy that was deleted on its platform stays deleted.
    """
    with transaction():
        discarded_at = post.deleted_at
        if post.state == "scheduled" and discarded_at and post.scheduled_at and post.scheduled_at > now:
            post.deleted_at, post.updated_at = None, now
            record("post.restored", now, post_id=post.id)
            wake_scheduler()
            return post
        restore(post, now)
        if discarded_at:
            _show_again(post, discarded_at, now)
        return post


def _show_again(post: Post, discarded_at: datetime, now: datetime) -> None:
    """Show the live revision again wherever the discard at that instant removed it."""
    for delivery in post.deliveries:
        was_removed = delivery.revision_id is None and discarded_at in (delivery.wanted_at, delivery.updated_at)
        was_cancelled = delivery.wanted_at == discarded_at and delivery.revision_id != post.live_revision_id
        if not (was_removed or was_cancelled) or delivery.is_deletion_wanted:
            continue
        if delivery.destination == SITE:
            post.enter_site(delivery, now)
            site_changed()
        elif delivery.connection is not None or delivery.remote_id is None:
            delivery.want(post.live_revision_id, now)
    if post.published_at is not None:
        post.count_copies()


def erase(post: Post, now: datetime) -> None:
    """Delete a post permanently. Its copies on the platforms stay.

    Raises StateConflict while a delivery is being sent, because its result could no longer be stored.
    """
    with transaction():
        if any(delivery.state == "sending" for delivery in post.deliveries):
            raise StateConflict("A copy of this post is being sent. Try again in a moment.", state=post.state)
        if post.site_revision_id is not None:
            site_changed()
        _erase([post.id], now)


def empty_trash(now: datetime) -> int:
    """Delete posts that have been in the trash for 30 days, and return how many were deleted.

    Skips posts with a delivery that is not settled, such as a copy still to be removed from its platform. Few posts are
    deleted in one transaction, because each may have many rows.
    """
    is_old = Post.deleted_at < now - TRASH_KEPT_FOR
    db.session.rollback()  # read what is there now
    old = db.session.scalars(select(Post.id).where(is_old)).all()
    erased = 0
    for start in range(0, len(old), ERASED_AT_ONCE):
        with transaction():
            posts = db.session.scalars(select(Post).where(Post.id.in_(old[start : start + ERASED_AT_ONCE]), is_old))
            ids = [post.id for post in posts if all(delivery.is_settled for delivery in post.deliveries)]
            _erase(ids, now)
            erased += len(ids)
    return erased


def _erase(ids: list[str], now: datetime) -> None:
    db.session.execute(delete(Post).where(Post.id.in_(ids)))
    for post_id in ids:
        record("post.erased", now, postId=post_id)
