"""Find what a notice is about: what happened since the last one and still needs a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, func, select, true

from blogsvc.delivery import attention
from blogsvc.models import Connection, Delivery, Event, Post, User, db
from blogsvc.notices.kinds import Kind

# Titles that a notice lists of each kind.
MAX_TITLES = 5


@dataclass(frozen=True)
class Span:
    """The events with `after` < position <= `upto`."""

    after: int
    upto: int


@dataclass(frozen=True)
class Report:
    """What needs a person: how many posts or accounts, the latest of them, and the page that shows them."""

    kind: Kind
    count: int
    names: tuple[str, ...]
    path: str

    @property
    def summary(self) -> str:
        return self.kind.summary(self.count)


def report_of(kind: Kind, span: Span, user: User | None) -> Report | None:
    """Return what needs this user, or anybody for None. None if nothing does any more."""
    if kind.name == "disconnected":
        names = _disconnected(kind, span)
        return Report(kind, len(names), tuple(names[:MAX_TITLES]), "/desk#needs") if names else None
    visible = true() if user is None else user.visible_posts()
    is_shown = true() if kind.name == "ready" else Post.deleted_at.is_(None)
    rows = db.session.execute(_posts(kind, span).where(is_shown, visible).limit(MAX_TITLES)).all()
    if not rows:
        return None
    is_one = rows[0].total == 1 and rows[0].deleted_at is None  # a post in the trash has no page of its own
    path = f"/desk/posts/{rows[0].id}/status" if is_one else "/desk#needs"
    return Report(kind, rows[0].total, tuple(row.title or "Untitled" for row in rows), path)


def can_concern(kind: Kind, user: User) -> bool:
    """Return True if the user gets notices of this kind."""
    return kind.name != "disconnected" or user.is_at_least("editor")


def _posts(kind: Kind, span: Span) -> Select[str, str, datetime | None, int]:
    """Return the posts of the events that still need a person, the latest first, each with their number."""
    query = select(Post.id, Post.title, Post.deleted_at, func.count().over().label("total")).select_from(Event)
    if kind.name == "missed":
        query = query.join(Post, Post.id == Event.post_id).where(attention.was_missed())
    else:
        query = query.join(Delivery, Delivery.id == Event.delivery_id).join(Post, Post.id == Delivery.post_id)
        query = query.where(_needs_a_person(kind))
    query = query.where(Event.type == kind.event_type, Event.position > span.after, Event.position <= span.upto)
    return query.group_by(Post.id, Post.title, Post.deleted_at).order_by(func.max(Event.position).desc())


def _needs_a_person(kind: Kind) -> ColumnElement[bool]:
    if kind.name == "ready":
        return attention.is_ready()
    if kind.name == "waiting":
        return Delivery.state == "blocked"
    return attention.condition_of("uncertain" if kind.name == "uncertain" else "failed")


def _disconnected(kind: Kind, span: Span) -> list[str]:
    """Return the names of the accounts that are still disconnected."""
    query = select(Event.data).where(Event.position > span.after, Event.position <= span.upto)
    named = {data.get("platform") for data in db.session.scalars(query.where(Event.type == kind.event_type))}
    return [row.name for row in Connection.all() if row.state == "disconnected" and row.name in named]
