"""Send what waited for an account when it is connected, in batches that go on after a kill."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Text, and_, cast, false, or_, select, update

from blogsvc.connections.aliases import overrides_without_aliases
from blogsvc.context import Tools
from blogsvc.models import Connection, Delivery, Post, PostLabel, Revision, Setting, db, transaction

# Posts per transaction: enough to be fast, few enough not to block other writers.
ADOPT_BATCH = 100


def adopt(connection_id: str, tools: Tools) -> None:
    """Send what waited for an account, and give the posts its name. Goes on where a killed process stopped."""
    while _adopt_some(connection_id, tools):
        pass
    db.session.rollback()  # end the transaction that found nothing left


def adopt_all(tools: Tools) -> None:
    """Adopt what an ended process has left."""
    for connection_id in [row.id for row in Connection.all()]:
        adopt(connection_id, tools)


def _adopt_some(connection_id: str, tools: Tools) -> bool:
    """Adopt up to a batch of posts. Returns False if none was left."""
    db.session.rollback()
    now, window = tools.now(), timedelta(hours=tools.config.missed_after_hours)
    row = db.session.get(Connection, connection_id)
    if row is None or db.session.scalar(select(Post.id).where(_is_to_adopt(row, now - window)).limit(1)) is None:
        return False
    with transaction():
        row = db.session.get(Connection, connection_id)
        if row is None:
            return False
        posts = db.session.scalars(select(Post).where(_is_to_adopt(row, now - window)).limit(ADOPT_BATCH)).all()
        former = Setting.read("former_accounts")
        _rename_overrides([post.id for post in posts], row)
        for post in posts:
            _rename_destinations(post, row, now)
            for delivery in post.deliveries:
                _adopt_delivery(delivery, row, former, now, window)
            post.settle(now)
        return bool(posts)


def _is_to_adopt(row: Connection, first_due: datetime) -> ColumnElement[bool]:
    """Return a condition on Post: it has an alias of the connection, or a delivery that waits and is not late."""
    labels = select(PostLabel.post_id).where(PostLabel.kind == "platform", PostLabel.value.in_(row.aliases))
    waits = and_(Delivery.state == "blocked", Delivery.connection_id.is_(None), Delivery.due_at >= first_due)
    deliveries = select(Delivery.post_id).where(waits, Delivery.destination.in_([row.name, *row.aliases]))
    return or_(Post.id.in_(labels), Post.id.in_(deliveries))


def _rename_destinations(post: Post, row: Connection, now: datetime) -> None:
    """Replace the aliases of the connection in a post. Of two deliveries to one account, one no longer waits."""
    post.rename_destinations(dict.fromkeys(row.aliases, row.name))
    for delivery in [one for one in post.deliveries if one.destination in row.aliases]:
        if post.delivery_to(row.name) is None:
            delivery.destination = row.name
        elif delivery.state == "blocked":
            delivery.cancel(now)


def _rename_overrides(post_ids: Collection[str], row: Connection) -> None:
    """Replace the aliases in the overrides of stored versions, so that they equal those of their posts."""
    has_alias = or_(false(), *(cast(Revision.overrides, Text).like(f'%"{alias}":%') for alias in row.aliases))
    for revision in db.session.scalars(select(Revision).where(Revision.post_id.in_(post_ids), has_alias)):
        revision.overrides = overrides_without_aliases(revision.overrides)


def _adopt_delivery(
    delivery: Delivery, row: Connection, former: Mapping[str, list[str]], now: datetime, window: timedelta
) -> None:
    if delivery.connection is not None or delivery.destination != row.name:
        return
    if delivery.state == "blocked":
        if now - delivery.due_at <= window:
            delivery.connect(row, is_same_account=_is_former(row, former))
            delivery.release(now)
    elif delivery.remote_id is None or _is_former(row, former):
        delivery.connect(row, is_same_account=_is_former(row, former))


def link_settled(connection: Connection) -> None:
    """Link the deliveries that do not wait; those with a copy only if this account made it."""
    db.session.flush()  # the connection before what refers to it
    is_settled = Delivery.connection_id.is_(None), Delivery.state != "blocked"
    rows = update(Delivery).where(*is_settled, Delivery.destination == connection.name)
    values: dict[str, Any] = {"connection_id": connection.id}
    if not _is_former(connection, Setting.read("former_accounts")):
        rows = rows.where(Delivery.remote_id.is_(None))
        values |= {"operation": None, "armed_revision_id": None, "keys": {}, "is_in_doubt": False}
        values["is_mail_spent"] = Delivery.mailed_at.is_not(None)
    db.session.execute(rows.values(values))


def link(delivery: Delivery, connection: Connection) -> None:
    """Link a delivery with the account that has the name of its destination now."""
    is_same = _is_former(connection, Setting.read("former_accounts"))
    delivery.connect(connection, is_same_account=is_same)


def _is_former(row: Connection, former: Mapping[str, list[str]]) -> bool:
    """Return True if the connection has the account that its name had before it was disconnected."""
    return former.get(row.name) == [row.connector, row.account]
