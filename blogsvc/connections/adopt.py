"""Send what waited for an account when it is connected, in batches that go on after a kill."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Text, cast, false, or_, select, update

from blogsvc.connections.aliases import by_stored_name
from blogsvc.context import Tools
from blogsvc.errors import Busy
from blogsvc.models import Connection, Delivery, Post, PostLabel, Revision, Setting, db, transaction

# Posts per transaction: enough to be fast, few enough not to block other writers.
ADOPT_BATCH = 100


def adopt(connection_id: str, tools: Tools) -> None:
    """Send what waited for an account, and give the posts its name. Goes on where a killed process stopped."""
    last: str | None = ""
    while last is not None:
        last = _adopt_some(connection_id, last, tools)
    db.session.rollback()  # end the transaction that found nothing left


def adopt_soon(connection_id: str, tools: Tools) -> None:
    """Adopt what waited for an account, or leave it to the scheduler if the database is busy."""
    with suppress(Busy):
        adopt(connection_id, tools)


def adopt_all(tools: Tools) -> None:
    """Adopt what an ended process has left."""
    for connection_id in [row.id for row in Connection.all()]:
        adopt(connection_id, tools)


def adopt_rest(tools: Tools) -> None:
    """Adopt what an ended process has left, if two quick queries find any. Run it often."""
    rows = Connection.all()
    names = [name for row in rows for name in row.names]
    has_alias = _has_label([alias for row in rows for alias in row.aliases])
    if db.session.scalar(select(Post.id).where(or_(has_alias, _waits_for(names, _first_due(tools)))).limit(1)):
        adopt_all(tools)


def _first_due(tools: Tools) -> datetime:
    """Return the time before which a delivery is late, so that its author decides about it."""
    return tools.now() - timedelta(hours=tools.config.missed_after_hours)


def _has_label(names: Collection[str]) -> ColumnElement[bool]:
    return Post.id.in_(select(PostLabel.post_id).where(PostLabel.kind == "platform", PostLabel.value.in_(names)))


def _waits_for(names: Collection[str], first_due: datetime) -> ColumnElement[bool]:
    waits = Delivery.state == "blocked", Delivery.connection_id.is_(None), Delivery.due_at >= first_due
    return Post.id.in_(select(Delivery.post_id).where(*waits, Delivery.destination.in_(names)))


def _has_overrides(column: Any, names: Collection[str]) -> ColumnElement[bool]:
    return or_(false(), *(cast(column, Text).like(f'%"{name}":%') for name in names))


def _adopt_some(connection_id: str, after: str, tools: Tools) -> str | None:
    """Adopt the next batch of posts. Returns the id of the last one, None if none was left."""
    db.session.rollback()
    first_due = _first_due(tools)
    row = db.session.get(Connection, connection_id)
    if row is None or not _next_posts(row, after, first_due, 1):
        return None
    with transaction():
        row = db.session.get(Connection, connection_id)
        posts = _next_posts(row, after, first_due, ADOPT_BATCH) if row is not None else []
        if row is None or not posts:
            return None
        stored = dict.fromkeys(row.aliases, row.name)
        _rename_in_revisions([post.id for post in posts], stored)
        adoption = Adoption(row, Setting.read("former_accounts"), tools.now(), first_due)
        for post in posts:
            post.rename_destinations(stored)
            for delivery in list(post.deliveries):
                adoption.adopt(post, delivery)
            post.settle(adoption.now)
        return posts[-1].id


def _next_posts(row: Connection, after: str, first_due: datetime, limit: int) -> list[Post]:
    """Return the posts after this id that name an alias of the connection, or have a delivery to it that waits."""
    waits = _waits_for(row.names, first_due)
    is_to_adopt = or_(_has_label(row.aliases), waits, _has_overrides(Post.overrides, row.aliases))
    return list(db.session.scalars(select(Post).where(is_to_adopt, Post.id > after).order_by(Post.id).limit(limit)))


def _rename_in_revisions(post_ids: Collection[str], stored: Mapping[str, str]) -> None:
    """Replace aliases in the overrides of stored versions, so that they equal those of their posts."""
    of_posts = Revision.post_id.in_(post_ids), _has_overrides(Revision.overrides, stored)
    for revision in db.session.scalars(select(Revision).where(*of_posts)):
        revision.overrides = by_stored_name(revision.overrides, stored)


@dataclass(frozen=True)
class Adoption:
    """The adoption of deliveries by a connection. Deliveries due before `first_due` wait for their authors.

    `former` are the accounts that destinations had: what another account has made is left alone.
    """

    row: Connection
    former: Mapping[str, list[str]]
    now: datetime
    first_due: datetime

    def adopt(self, post: Post, delivery: Delivery) -> None:
        """Adopt a delivery to the connection or to one of its aliases, if it has no account."""
        if delivery.connection is not None or delivery.destination not in self.row.names:
            return
        is_same = _is_former(self.row, delivery.destination, self.former)
        has_copy = delivery.remote_id is not None or delivery.is_in_doubt
        if delivery.destination != self.row.name:
            if (other := post.delivery_to(self.row.name)) is not None:
                self._merge(delivery, other)
                return
            if has_copy and not is_same and delivery.state != "blocked":
                return
            delivery.destination = self.row.name
        if delivery.state != "blocked":
            if is_same or not has_copy:
                delivery.connect(self.row, is_same_account=is_same)
        elif delivery.due_at >= self.first_due:
            delivery.connect(self.row, is_same_account=is_same)
            delivery.release(self.now)

    def _merge(self, delivery: Delivery, other: Delivery) -> None:
        """Let the other delivery of this account do what this one waits for, because an account has one copy."""
        if delivery.state == "blocked" and delivery.due_at >= self.first_due:
            other.want(delivery.revision_id, self.now)
        if delivery.state in ("blocked", "failed"):
            delivery.cancel(self.now)


def link_settled(connection: Connection) -> None:
    """Link the deliveries that do not wait; those with a copy only if this account made it."""
    db.session.flush()  # the connection before what refers to it
    is_settled = Delivery.connection_id.is_(None), Delivery.state != "blocked"
    rows = update(Delivery).where(*is_settled, Delivery.destination == connection.name)
    values: dict[str, Any] = {"connection_id": connection.id}
    if not _is_former(connection, connection.name, Setting.read("former_accounts")):
        # As `Delivery.lost` does, for all rows at once.
        rows = rows.where(Delivery.remote_id.is_(None))
        values |= {"operation": None, "armed_revision_id": None, "keys": {}, "is_in_doubt": False}
        values["is_mail_spent"] = Delivery.mailed_at.is_not(None)
    db.session.execute(rows.values(values))


def link(delivery: Delivery, connection: Connection) -> None:
    """Link a delivery with the account that has the name of its destination now."""
    is_same = _is_former(connection, delivery.destination, Setting.read("former_accounts"))
    delivery.connect(connection, is_same_account=is_same)


def _is_former(row: Connection, name: str, former: Mapping[str, list[str]]) -> bool:
    """Return True if the connection has the account that this destination had before it was disconnected."""
    return former.get(name) == [row.connector, row.account]
