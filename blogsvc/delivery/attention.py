"""The attention list: missed posts, failed or changed copies, disconnected accounts, comments, a stopped scheduler.

It leaves out problems that resolve themselves. Failures with the same cause are one entry, so that one action
handles all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import ColumnElement, Select, and_, func, literal, literal_column, or_, select, union_all

from blogsvc.models.base import db
from blogsvc.models.connection import Connection
from blogsvc.models.delivery import Delivery
from blogsvc.models.delivery_states import PENDING
from blogsvc.models.late_posts import late_posts
from blogsvc.models.post import Post
from blogsvc.models.setting import STALLED_AFTER, last_heartbeat, recent_clock_jump
from blogsvc.models.share_link import DraftComment
from blogsvc.models.user import User

# failed: rejected, or retries exhausted. uncertain: sent without a response, and a lookup is not possible.
# edited, gone: changed or removed on the platform. duplicated: more than one copy is there. degraded: the platform
# shows the copy without parts of it. unmailed: the platform could not e-mail the post.
Kind = Literal["failed", "uncertain", "edited", "gone", "duplicated", "degraded", "unmailed"]
FAILURE_KINDS: tuple[Kind, ...] = get_args(Kind)
# How many posts or deliveries one action handles.
AT_ONCE = 500
# A literal instead of a bound parameter, so that PostgreSQL sees the same expression in SELECT and GROUP BY.
_code: ColumnElement[str] = func.coalesce(Delivery.error_code, literal_column("''"))


@dataclass(frozen=True)
class FailureCause:
    """What failed and where. Deliveries with the same cause form one entry."""

    kind: Kind
    platform: str
    code: str

    @property
    def condition(self) -> ColumnElement[bool]:
        return and_(condition_of(self.kind), Delivery.destination == self.platform, _code == self.code)


@dataclass(frozen=True)
class FailureGroup:
    """A cause, the number of deliveries it affects, and the latest of them."""

    cause: FailureCause
    count: int
    deliveries: list[Delivery]


@dataclass(frozen=True)
class BrokenConnection:
    """A disconnected account, with the number of deliveries that wait for it or have failed."""

    connection: Connection
    waiting: int
    failed: int


@dataclass(frozen=True)
class WaitingPosts:
    """Posts that wait for an account, and the latest of them. If `is_late`, it is connected, and a person decides."""

    destination: str
    is_late: bool
    count: int
    posts: list[Post]


@dataclass(frozen=True)
class ReadyCopies:
    """Copies to post, update or delete by hand on one platform: how many, and those that are due first."""

    destination: str
    count: int
    deliveries: list[Delivery]


@dataclass(frozen=True)
class MissedPosts:
    count: int
    posts: list[Post]


@dataclass(frozen=True)
class CommentedPost:
    """A draft with comments that are not resolved, and the name of who wrote the last one."""

    post: Post
    count: int
    name: str


class ServerProblem(NamedTuple):
    """What is wrong with the processes that share the database, and with which of them."""

    message: str
    details: str


@dataclass(frozen=True)
class _Counts:
    """How much needs action, without the rows.

    Deliveries by cause, by destination those that wait for an account and those to do by hand, disconnected accounts,
    missed posts, and comments. `beat` is when the scheduler last ran.
    """

    failures: Mapping[FailureCause, int]
    waiting: Mapping[str, int]
    ready: Mapping[str, int]
    disconnected: int
    missed: int
    comments: int
    beat: datetime | None


@dataclass(frozen=True)
class Attention:
    """Everything that needs action from this user."""

    troubles: list[FailureGroup]
    outages: list[BrokenConnection]
    missed: MissedPosts
    stalled_since: datetime | None
    is_stalled: bool
    # When the system time was set and by how much, if that was in the last day.
    clock_jump: tuple[datetime, timedelta] | None = None
    commented: tuple[CommentedPost, ...] = ()
    waiting: tuple[WaitingPosts, ...] = ()
    ready: tuple[ReadyCopies, ...] = ()
    servers: tuple[ServerProblem, ...] = ()

    @property
    def count(self) -> int:
        groups = len(self.troubles) + len(self.outages) + len(self.commented) + len(self.waiting)
        groups += sum(len(one.deliveries) for one in self.ready)
        groups += bool(self.missed.count) + self.is_stalled + bool(self.clock_jump)
        return groups + len(self.servers)


def attention_for(user: User, now: datetime, most: int = AT_ONCE) -> Attention:
    """Return everything that needs action, with up to `most` posts of each kind."""
    counts = _counts(user)
    outages = _broken_connections(user) if counts.disconnected else []
    out = {outage.connection.name for outage in outages}
    # Failures at a disconnected account are part of the entry for that account.
    troubles = [
        FailureGroup(cause, count, deliveries_of(cause, user, most))
        for cause, count in counts.failures.items()
        if not (cause.kind == "failed" and cause.platform in out)
    ]
    missed = MissedPosts(counts.missed, missed_posts(user, most) if counts.missed else [])
    is_stalled = _is_stalled(counts.beat, now)
    commented = tuple(_commented_posts(user)) if counts.comments else ()
    waiting = tuple(_waiting_posts(counts.waiting, user, most))
    ready = tuple(ReadyCopies(name, count, ready_deliveries(user, name, most)) for name, count in counts.ready.items())
    jump = recent_clock_jump(now)
    return Attention(troubles, outages, missed, counts.beat, is_stalled, jump, commented, waiting, ready)


def _counts(user: User) -> _Counts:
    """Return how much needs action from this user."""
    disconnected = select(func.count()).where(Connection.state == "disconnected").scalar_subquery()
    missed = select(func.count()).where(was_missed(), user.visible_posts()).scalar_subquery()
    comments = _open_comments(select(func.count()), user).scalar_subquery()
    row = db.session.execute(select(disconnected, missed, comments)).one()
    return _Counts(_failure_counts(user), _waiting_counts(user), _ready_counts(user), *row, beat=last_heartbeat())


def condition_of(kind: Kind) -> ColumnElement[bool]:
    match kind:
        case "failed":
            return Delivery.state == "failed"
        case "uncertain":
            return and_(Delivery.state == "uncertain", Delivery.next_attempt_at.is_(None))
        case "duplicated":
            return Delivery.extra_count > 0
        case "degraded":
            lost = Delivery.losses.is_not(None), Delivery.losses_dismissed_at.is_(None), Delivery.drift.is_(None)
            return and_(*lost, Delivery.state.concat("") == "delivered")
        case "unmailed":
            return Delivery.mail_failed_at.is_not(None)
        case _:
            # Not `state = 'delivered'`: nearly all rows match, and the database would use the index on the state.
            drifted = Delivery.drift == kind, Delivery.is_drift_accepted.is_(False)
            return and_(*drifted, Delivery.state.concat("") == "delivered")


def _limited_to_visible(query: Select, user: User) -> Select:  # type: ignore[type-arg]
    return query.join(Post, Post.id == Delivery.post_id).where(Post.deleted_at.is_(None), user.visible_posts())


def _failure_counts(user: User) -> dict[FailureCause, int]:
    # One statement with a part for each kind: every part has an index of its own.
    groups = db.session.execute(union_all(*(_groups_of(kind, user) for kind in FAILURE_KINDS)))
    counts = [(FailureCause(kind, platform, code), count) for kind, platform, code, count in groups]
    counts.sort(key=lambda found: (FAILURE_KINDS.index(found[0].kind), found[0].platform, found[0].code))
    return dict(counts)


def _groups_of(kind: Kind, user: User) -> Select[Any]:
    query = _limited_to_visible(select(literal(kind).label("kind"), Delivery.destination, _code, func.count()), user)
    return query.where(condition_of(kind)).group_by(Delivery.destination, _code)


def _waiting_counts(user: User) -> dict[str, int]:
    query = _limited_to_visible(select(Delivery.destination, func.count()), user).where(Delivery.state == "blocked")
    return dict(map(tuple, db.session.execute(query.group_by(Delivery.destination).order_by(Delivery.destination))))


def waiting_posts(user: User, most: int) -> list[WaitingPosts]:
    """Return the posts that wait for accounts, up to `most` for each destination."""
    return list(_waiting_posts(_waiting_counts(user), user, most))


def _waiting_posts(counts: Mapping[str, int], user: User, most: int) -> Iterator[WaitingPosts]:
    connected = Connection.by_name() if counts else {}
    for name, count in counts.items():
        posts = [delivery.post for delivery in waiting_deliveries(name, user, most)]
        yield WaitingPosts(name, name in connected, count, posts)


def waiting_deliveries(destination: str, user: User, most: int = AT_ONCE) -> list[Delivery]:
    """Return the deliveries that wait for an account of this destination and that the user may see, latest first."""
    query = _limited_to_visible(select(Delivery), user)
    query = query.where(Delivery.state == "blocked", Delivery.destination == destination)
    return list(db.session.scalars(query.order_by(Delivery.due_at.desc(), Delivery.id).limit(most)))


def is_ready() -> ColumnElement[bool]:
    """Return a condition on Delivery joined with Post: a person has to do something now, and not after a reminder.

    A copy of a post in the trash may have to be deleted.
    """
    is_shown = or_(Post.deleted_at.is_(None), Delivery.revision_id.is_(None))
    return and_(Delivery.state == "awaiting_hand", Delivery.next_attempt_at.is_(None), is_shown)


def _ready_counts(user: User) -> dict[str, int]:
    query = select(Delivery.destination, func.count()).join(Post, Post.id == Delivery.post_id)
    query = query.where(is_ready(), user.visible_posts()).group_by(Delivery.destination).order_by(Delivery.destination)
    return {name: count for name, count in db.session.execute(query)}  # noqa: C416 (a row is no tuple to mypy)


def ready_deliveries(user: User, destination: str | None = None, most: int = AT_ONCE) -> list[Delivery]:
    """Return the copies to post, update or delete by hand, on one platform or on all, those that are due first."""
    query = select(Delivery).join(Post, Post.id == Delivery.post_id).where(is_ready(), user.visible_posts())
    query = query if destination is None else query.where(Delivery.destination == destination)
    return list(db.session.scalars(query.order_by(Delivery.due_at, Delivery.id).limit(most)))


def deliveries_of(cause: FailureCause, user: User, most: int = AT_ONCE) -> list[Delivery]:
    """Return the deliveries with this cause that the user may see, latest first."""
    query = (
        _limited_to_visible(select(Delivery), user)
        .where(cause.condition)
        .order_by(Delivery.updated_at.desc(), Delivery.id)
    )
    return list(db.session.scalars(query.limit(most)))


def _broken_connections(user: User) -> list[BrokenConnection]:
    """Return disconnected accounts. Authors see only those that affect their own posts."""
    broken = db.session.scalars(
        select(Connection).where(Connection.state == "disconnected").order_by(Connection.name)
    ).all()
    outages = [_broken_connection(connection, user) for connection in broken]
    return [outage for outage in outages if user.is_at_least("editor") or outage.waiting or outage.failed]


def _broken_connection(connection: Connection, user: User) -> BrokenConnection:
    query = _limited_to_visible(select(Delivery.state, func.count()), user).where(
        Delivery.connection_id == connection.id, Delivery.state.in_((*PENDING, "failed"))
    )
    by_state: dict[str, int] = dict(map(tuple, db.session.execute(query.group_by(Delivery.state))))
    return BrokenConnection(connection, sum(by_state.get(state, 0) for state in PENDING), by_state.get("failed", 0))


def missed_posts(user: User, most: int = AT_ONCE) -> list[Post]:
    """Return posts whose time passed while the service was not running, in order of their times."""
    query = select(Post).where(was_missed(), user.visible_posts()).order_by(Post.scheduled_at, Post.id)
    return list(db.session.scalars(query.limit(most)))


def _open_comments(query: Select, user: User) -> Select:  # type: ignore[type-arg]
    query = query.select_from(DraftComment).join(Post, Post.id == DraftComment.post_id)
    return query.where(DraftComment.resolved_at.is_(None), Post.deleted_at.is_(None), user.visible_posts())


def _commented_posts(user: User) -> Iterator[CommentedPost]:
    """Yield the posts with open comments, those that were commented on last first."""
    latest = func.max(DraftComment.created_at)
    query = _open_comments(select(DraftComment.post_id, func.count()), user).group_by(DraftComment.post_id)
    for post_id, count in db.session.execute(query.order_by(latest.desc(), DraftComment.post_id).limit(AT_ONCE)):
        last = [comment for comment in DraftComment.of_post(post_id) if comment.resolved_at is None][-1]
        yield CommentedPost(last.post, count, last.name)


def was_missed() -> ColumnElement[bool]:
    return and_(Post.state == "missed", Post.deleted_at.is_(None))


def _is_stalled(beat: datetime | None, now: datetime) -> bool:
    """Return True if the scheduler has stopped, or if it never ran and a post is overdue."""
    if beat is not None:
        return now - beat > STALLED_AFTER
    return late_posts(now, STALLED_AFTER).number > 0
