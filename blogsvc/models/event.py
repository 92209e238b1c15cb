"""Events: what has happened to posts, deliveries and connections. Timelines and webhooks use them.

Readers go by the position of an event, which must therefore increase in commit order. On PostgreSQL, transactions run
side by side, so that a position that is given when an event is recorded does not. There, an event first gets a negative
one, which readers skip, and its final one when somebody wants to read it. A transaction that runs alone gives final
ones at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    ForeignKey,
    Index,
    Integer,
    String,
    bindparam,
    func,
    insert,
    literal_column,
    select,
    text,
)
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import Busy, NotFound
from blogsvc.lib.ids import new_id
from blogsvc.models import nouns
from blogsvc.models.base import Base, db
from blogsvc.models.database import BUSY_MESSAGE
from blogsvc.models.event_types import data_of
from blogsvc.models.transactions import (
    after_commit,
    execute_write,
    has_recorded,
    is_first_step,
    runs_alone,
    transaction,
)

# How long events are listed, and events without a post are kept. The timeline of a post keeps its events longer.
ARE_LISTED_FOR = timedelta(days=30)


class Event(Base):
    # Increases in commit order, which ids (made from the time) do not guarantee. Never reused. Negative until then.
    position: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    id: Mapped[str] = mapped_column(String(40), unique=True)
    type: Mapped[str] = mapped_column(String(40))
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    delivery_id: Mapped[str | None] = mapped_column(String(40))
    data: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]

    __table_args__ = (Index(None, "post_id", "position"), Index(None, "created_at"), {"sqlite_autoincrement": True})


def record(
    type: str, now: datetime, *, post_id: str | None = None, delivery_id: str | None = None, **data: Any
) -> None:
    """Record an event, in the transaction that makes the change. `data` has the fields that `event_types` lists."""
    assert data.keys() <= data_of(type).keys(), (type, data)
    event_id = new_id("evt", now)
    row = {"id": event_id, "type": type, "post_id": post_id, "delivery_id": delivery_id, "data": data}
    if runs_alone() and is_first_step("number events"):
        number_events()  # they were committed before
    gathered: list[dict[str, Any]] | None = db.session().info.get("events")
    if gathered is None:
        _insert([row | {"created_at": now}])
    else:
        gathered.append(row | {"created_at": now})
    after_commit(has_recorded, type)


def _insert(rows: list[dict[str, Any]]) -> None:
    is_final = runs_alone() or db.engine.dialect.name == "sqlite"
    execute_write(_INSERT if is_final else _INSERT_UNNUMBERED, rows)


@contextmanager
def events_together() -> Iterator[None]:
    """Insert the events of this part of a transaction at its end, with one statement. It may delete no post."""
    info = db.session().info
    if "events" in info:
        yield
        return
    info["events"] = []
    try:
        yield
        _insert_gathered()
    finally:
        del info["events"]


def _insert_gathered() -> None:
    """Insert the events that `events_together` has gathered so far, before they are read."""
    if rows := db.session().info.get("events"):
        _insert(list(rows))
        rows.clear()


_INSERT = insert(Event)
_INSERT_UNNUMBERED = insert(Event).values(
    position=literal_column("-nextval(pg_get_serial_sequence('event', 'position'))")
)


def number_events(*, waits: bool = False) -> None:
    """Give the events that were committed their final positions. Call it before reading by position.

    Unless it `waits`, it does nothing if something else is in the way: the next call does it.
    """
    # Not through the session, which would flush half-made changes of the current transaction.
    if db.engine.dialect.name == "sqlite" or db.session.connection().scalar(_IS_ANY_UNNUMBERED) is None:
        return
    if runs_alone():
        execute_write(_NUMBER)
        return
    with suppress(Busy), transaction(nouns.EVENTS, waits=waits):
        execute_write(_NUMBER)


_IS_ANY_UNNUMBERED = select(Event.position).where(Event.position < 0).limit(1)
# PostgreSQL sorts before it calls a function with side effects in the list of columns.
_NUMBER = text("""
    WITH unnumbered AS (SELECT position FROM event WHERE position < 0 ORDER BY position DESC),
    numbered AS MATERIALIZED
        (SELECT position, nextval(pg_get_serial_sequence('event', 'position')) AS number FROM unnumbered)
    UPDATE event SET position = numbered.number FROM numbered WHERE event.position = numbered.position
""")


def number_copied_events(copy: Connection) -> None:
    """Give the events of a copy on SQLite, whose readers number none, their final positions."""
    for statement in _NUMBER_COPIED:
        copy.execute(text(statement))


_NUMBER_COPIED = (
    """
    WITH given AS (SELECT seq FROM sqlite_sequence WHERE name = 'event'),
    numbered AS (
        SELECT position, given.seq + row_number() OVER (ORDER BY position DESC) AS number
        FROM event, given WHERE position < 0
    )
    UPDATE event SET position = numbered.number FROM numbered WHERE event.position = numbered.position
    """,
    """
    UPDATE sqlite_sequence SET seq = max(seq, (SELECT max(position) FROM event))
    WHERE name = 'event' AND EXISTS (SELECT 1 FROM event)
    """,
)
# The order in which events were recorded, also of those without a final position.
IN_ORDER = (Event.position < 0, func.abs(Event.position))


def position_of(event_id: str) -> int:
    """Return the position of an event. Raises NotFound if it does not exist or was deleted after its time.

    Raises Busy if it has no final position yet, and other writes are in the way.
    """
    number_events()
    position = db.session.scalar(select(Event.position).where(Event.id == event_id))
    if position is None:
        raise NotFound(f"There is no event {event_id!r}. Events are deleted after some time.")
    if position < 0:
        raise Busy(BUSY_MESSAGE)
    return position


def last_position() -> int:
    """Return the position of the newest event, or 0 if there are none."""
    number_events()
    return max(0, db.session.scalar(select(func.max(Event.position))) or 0)


def last_event() -> Event | None:
    """Return the newest event, or None if there are none."""
    number_events()
    return db.session.scalar(select(Event).where(Event.position > 0).order_by(Event.position.desc()).limit(1))


def events_after(position: int, most: int) -> list[Event]:
    """Return up to `most` events after a position, oldest first."""
    number_events()
    return list(db.session.scalars(select(Event).where(Event.position > position).order_by(Event.position).limit(most)))


def timeline(post_id: str) -> list[Event]:
    """Return all events of a post, oldest first."""
    return list(db.session.scalars(select(Event).where(Event.post_id == post_id).order_by(*IN_ORDER)))


_ROUNDS = (
    select(Event.type, Event.data)
    .where(Event.post_id == bindparam("of_post"), Event.type.in_(("post.publishing", "post.published")))
    .order_by(*IN_ORDER)
)


def is_first_publication(post_id: str) -> bool:
    """Return True if a post that is published now never was before, however many attempts it took.

    The first attempt says that there was none before it, because old events are deleted.
    """
    _insert_gathered()
    rounds = db.session.execute(_ROUNDS, {"of_post": post_id}).all()
    is_first = bool(rounds) and rounds[0].type == "post.publishing" and rounds[0].data.get("first") is True
    return is_first and all(row.type != "post.published" for row in rounds)


def events_between(after: int, upto: int, most: int) -> list[Event]:
    """Return up to `most` events with `after` < position <= `upto`, oldest first."""
    query = select(Event).where(Event.position > after, Event.position <= upto)
    return list(db.session.scalars(query.order_by(Event.position).limit(most)))
