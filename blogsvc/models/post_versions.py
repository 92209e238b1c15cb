"""New versions of posts, so that no cached document of a post outlives a change of the post or its deliveries."""

from __future__ import annotations

from secrets import token_hex

from sqlalchemy import bindparam, event, inspect, or_, select, update
from sqlalchemy.orm import Session

from blogsvc.models.base import db
from blogsvc.models.connection import Connection
from blogsvc.models.delivery import Delivery
from blogsvc.models.delivery_states import PENDING
from blogsvc.models.post import Post
from blogsvc.models.post_labels import PostLabel

# The posts that show whether their destinations have an account.
_RENEW_VERSIONS_OF_NAMES = (
    update(Post)
    .where(
        or_(
            Post.id.in_(
                select(PostLabel.post_id).where(
                    PostLabel.kind == "platform", PostLabel.value.in_(bindparam("names", expanding=True))
                )
            ),
            Post.id.in_(
                select(Delivery.post_id).where(
                    Delivery.state == "blocked", Delivery.destination.in_(bindparam("names", expanding=True))
                )
            ),
        )
    )
    .values(version=bindparam("new_version"))
)
# The posts that show what a connection means for their deliveries: the next attempt, or why they are blocked.
_RENEW_VERSIONS = (
    update(Post)
    .where(
        Post.id.in_(
            select(Delivery.post_id).where(
                Delivery.connection_id == bindparam("of_connection"), Delivery.state.in_(PENDING)
            )
        )
    )
    .values(version=bindparam("new_version"))
)


def _changes_deliveries(row: Connection) -> bool:
    attrs = inspect(row).attrs
    is_other_reason = row.state == "disconnected" and attrs.last_error.history.has_changes()
    return is_other_reason or attrs.state.history.has_changes()


def _changed_names(row: Connection, session: Session) -> set[str]:
    """Return the destination names that get or lose their account."""
    if row in session.new or row in session.deleted:
        return {row.name}
    name = inspect(row).attrs.name.history
    return {*(name.added or ()), *(name.deleted or ())} if name.has_changes() else set()


@event.listens_for(db.session, "before_flush")
def _renew_versions(session: Session, _context: object, _rows: object) -> None:
    """Give a post a new version whenever the post, one of its deliveries or the state of their connection changes."""
    for row in [*session.new, *session.dirty, *session.deleted]:
        if isinstance(row, Connection) and _changes_deliveries(row):
            session.connection().execute(_RENEW_VERSIONS, {"of_connection": row.id, "new_version": token_hex(8)})
        if isinstance(row, Connection) and (names := _changed_names(row, session)):
            values = {"names": sorted(names), "new_version": token_hex(8)}
            session.connection().execute(_RENEW_VERSIONS_OF_NAMES, values)
        post = row.post if isinstance(row, Delivery) else row
        if isinstance(post, Post) and session.is_modified(row):
            post.version = token_hex(8)
