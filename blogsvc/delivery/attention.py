"""What needs a person: posts that were missed, copies that failed or drifted, accounts that refuse us, a clock that
stands still. What heals by itself is not here.

Failures with one cause are one thing, so that what a person does about it is done once for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from sqlalchemy import ColumnElement, Select, and_, func, literal_column, select

from blogsvc.models.base import db
from blogsvc.models.connection import Connection
from blogsvc.models.delivery import PENDING, Delivery
from blogsvc.models.person import Person
from blogsvc.models.post import Post
from blogsvc.models.setting import STALLED_AFTER, last_heartbeat
from blogsvc.posts.listing import visible_to

# failed: refused, or given up. uncertain: sent, no answer, and no way to find out. edited, gone: there, and not by us.
Kind = Literal["failed", "uncertain", "edited", "gone"]
FAILURE_KINDS: tuple[Kind, ...] = get_args(Kind)
# Of the posts that one cause holds up, those that are named; and those that are handled at once.
SHOWN, AT_ONCE = 5, 500
# Written out, so that PostgreSQL sees the same expression wherever it stands.
_code: ColumnElement[str] = func.coalesce(Delivery.error_code, literal_column("''"))


@dataclass(frozen=True)
class FailureCause:
    """What went wrong and where: the same for all the deliveries that are one thing to a person."""

    kind: Kind
    platform: str
    code: str

    @property
    def condition(self) -> ColumnElement[bool]:
        return and_(_is(self.kind), Delivery.platform == self.platform, _code == self.code)


@dataclass(frozen=True)
class FailureGroup:
    """A cause, how many deliveries it holds up, and the latest of them."""

    cause: FailureCause
    count: int
    deliveries: list[Delivery]


@dataclass(frozen=True)
class BrokenConnection:
    """A connection that refuses us: so many deliveries wait for it, so many were given up meanwhile."""

    connection: Connection
    waiting: int
    failed: int


@dataclass(frozen=True)
class MissedPosts:
    count: int
    posts: list[Post]


@dataclass(frozen=True)
class Attention:
    """All that needs this person."""

    troubles: list[FailureGroup]
    outages: list[BrokenConnection]
    missed: MissedPosts
    stalled_since: datetime | None
    is_stalled: bool

    @property
    def count(self) -> int:
        return len(self.troubles) + len(self.outages) + bool(self.missed.count) + self.is_stalled


def attention_for(person: Person, now: datetime) -> Attention:
    outages = _outages(person)
    out = {outage.connection.name for outage in outages}
    # What an account that refuses us made fail waits for the account, and is said with it.
    troubles = [trouble for trouble in _troubles(person) if not _is_of(trouble, out)]
    return Attention(troubles, outages, _missed(person), last_heartbeat(), _is_stalled(now))


def _is_of(trouble: FailureGroup, names: set[str]) -> bool:
    return trouble.cause.kind == "failed" and trouble.cause.platform in names


def _is(kind: Kind) -> ColumnElement[bool]:
    match kind:
        case "failed":
            return Delivery.state == "failed"
        case "uncertain":
            return and_(Delivery.state == "uncertain", Delivery.next_attempt_at.is_(None))
        case _:
            # Not `state = 'delivered'`, which nearly all of them are, and would be looked up first.
            drifted = Delivery.drift == kind, Delivery.is_drift_accepted.is_(False)
            return and_(*drifted, Delivery.state.concat("") == "delivered")


def _seen(query: Select, person: Person) -> Select:  # type: ignore[type-arg]
    return query.join(Post, Post.id == Delivery.post_id).where(Post.deleted_at.is_(None), visible_to(person))


def _troubles(person: Person) -> list[FailureGroup]:
    found = []
    for kind in FAILURE_KINDS:
        query = _seen(select(Delivery.platform, _code, func.count()), person).where(_is(kind))
        groups = db.session.execute(query.group_by(Delivery.platform, _code).order_by(Delivery.platform, _code))
        found += [_trouble(FailureCause(kind, platform, code), count, person) for platform, code, count in groups.all()]
    return found


def _trouble(cause: FailureCause, count: int, person: Person) -> FailureGroup:
    return FailureGroup(cause, count, deliveries_of(cause, person, SHOWN))


def deliveries_of(cause: FailureCause, person: Person, most: int = AT_ONCE) -> list[Delivery]:
    """What a cause holds up, of what the person may see, the latest first."""
    query = _seen(select(Delivery), person).where(cause.condition).order_by(Delivery.updated_at.desc(), Delivery.id)
    return list(db.session.scalars(query.limit(most)))


def _outages(person: Person) -> list[BrokenConnection]:
    """To those who only write, an account matters that something of theirs waits for."""
    broken = db.session.scalars(
        select(Connection).where(Connection.state == "disconnected").order_by(Connection.name)
    ).all()
    outages = [_outage(connection, person) for connection in broken]
    return [outage for outage in outages if person.is_at_least("editor") or outage.waiting or outage.failed]


def _outage(connection: Connection, person: Person) -> BrokenConnection:
    query = _seen(select(Delivery.state, func.count()), person).where(
        Delivery.connection_id == connection.id, Delivery.state.in_((*PENDING, "failed"))
    )
    by_state: dict[str, int] = dict(map(tuple, db.session.execute(query.group_by(Delivery.state))))
    return BrokenConnection(connection, sum(by_state.get(state, 0) for state in PENDING), by_state.get("failed", 0))


def missed_posts(person: Person, most: int = AT_ONCE) -> list[Post]:
    """Posts whose time passed while nothing ran, in the order of their times."""
    query = select(Post).where(_was_missed(), visible_to(person)).order_by(Post.scheduled_at, Post.id)
    return list(db.session.scalars(query.limit(most)))


def _was_missed() -> ColumnElement[bool]:
    return and_(Post.state == "missed", Post.deleted_at.is_(None))


def _missed(person: Person) -> MissedPosts:
    count = db.session.scalar(select(func.count()).where(_was_missed(), visible_to(person))) or 0
    return MissedPosts(count, missed_posts(person, SHOWN) if count else [])


def _is_stalled(now: datetime) -> bool:
    """Whether nothing goes out by itself: the clock has not ticked for a while, or never, with something overdue."""
    beat = last_heartbeat()
    if beat is not None:
        return now - beat > STALLED_AFTER
    overdue = Post.state == "scheduled", Post.deleted_at.is_(None), Post.scheduled_at < now - STALLED_AFTER
    return bool(db.session.scalar(select(func.count()).where(*overdue)))
