"""Versions of the documents of posts, so that none in a cache outlives a change of the post or its deliveries.

The post and each of its deliveries have a random version of their own, so that a change of a delivery does not change
the row of the post. The version of the document combines them.
"""

from __future__ import annotations

from secrets import token_hex

from sqlalchemy import bindparam, event, func, inspect, or_, select, update
from sqlalchemy.orm import Session

from blogsvc.errors import NotFound
from blogsvc.models.base import db
from blogsvc.models.connection import Connection
from blogsvc.models.delivery import Delivery, new_version
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
# The deliveries that show what a connection means for them: the next attempt, or why they are blocked.
_RENEW_VERSIONS = (
    update(Delivery)
    .where(Delivery.connection_id == bindparam("of_connection"), Delivery.state.in_(PENDING))
    .values(document_version=bindparam("new_version"))
)
# Of the tables and not of the models, so that a request for a post skips the object mapper.
_POST, _DELIVERY = Post.__table__.c, Delivery.__table__.c
_SUM = func.sum(_DELIVERY.document_version)
_VERSION = select(
    _POST.version, _POST.deleted_at, select(_SUM).where(_DELIVERY.post_id == _POST.id).scalar_subquery().label("sum")
).where(_POST.id == bindparam("post_id"))
_SUMS = (
    select(_DELIVERY.post_id, _SUM)
    .where(_DELIVERY.post_id.in_(bindparam("post_ids", expanding=True)))
    .group_by(_DELIVERY.post_id)
)


def document_version(post_id: str, *, trashed: bool = False) -> str:
    """Return the version of the document of a post. Raises NotFound as `Post.get` does."""
    row = db.session.execute(_VERSION, {"post_id": post_id}).first()
    if row is None or (row.deleted_at is not None and not trashed):
        raise NotFound(f"There is no post {post_id!r}.")
    return _combine(row.version, row.sum)


def document_versions(posts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the versions of the documents of posts, as (id, version), given as (id, version of the post)."""
    sums: dict[str, int] = {}
    if posts:
        sums = dict(db.session.execute(_SUMS, {"post_ids": [post_id for post_id, _ in posts]}).all())
    return [(post_id, _combine(version, sums.get(post_id))) for post_id, version in posts]


def _combine(version: str, sum_of_deliveries: int | None) -> str:
    return f"{version}-{sum_of_deliveries or 0}"


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
    """Give a post or a delivery a new version whenever it changes, or what its document shows of its connection."""
    for row in [*session.new, *session.dirty, *session.deleted]:
        if isinstance(row, Connection) and _changes_deliveries(row):
            session.connection().execute(_RENEW_VERSIONS, {"of_connection": row.id, "new_version": new_version()})
        if isinstance(row, Connection) and (names := _changed_names(row, session)):
            values = {"names": sorted(names), "new_version": token_hex(8)}
            session.connection().execute(_RENEW_VERSIONS_OF_NAMES, values)
        if isinstance(row, Post) and session.is_modified(row):
            row.version = token_hex(8)
        if isinstance(row, Delivery) and session.is_modified(row):
            row.document_version = new_version()
