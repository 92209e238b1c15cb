"""Look at new events, note who is to be told about them, and record the events for webhooks. Without the network."""

from __future__ import annotations

from blogsvc.context import Tools
from blogsvc.models import Notice, User, record, transaction
from blogsvc.models.event import last_position
from blogsvc.models.notice import (
    due_notices,
    first_events,
    is_anything_to_gather,
    move_position,
    position_of_notices,
)
from blogsvc.notices.kinds import BY_EVENT_TYPE, KINDS
from blogsvc.notices.report import Span, can_concern, report_of


def gather(tools: Tools) -> None:
    """Note what is to be told about the events since the last call. One query if nothing has happened."""
    if is_anything_to_gather(tools.now()):
        with transaction():
            _gather_new(tools)
            _record_for_webhooks(tools)


def wants_mail(user: User, tools: Tools) -> bool:
    return tools.mailer.is_set_up and user.prefers("notices") is True


def _gather_new(tools: Tools) -> None:
    span, now = Span(position_of_notices(), last_position()), tools.now()
    firsts = first_events(span.after, span.upto, tuple(BY_EVENT_TYPE))
    readers = [user for user in User.all() if wants_mail(user, tools)] if firsts else []
    for type, (position, at) in firsts.items():
        kind = BY_EVENT_TYPE[type]
        concerned = [user.id for user in readers if can_concern(kind, user)]
        for user_id in (None, *concerned):
            Notice.of(user_id, kind.name).gather(position - 1, min(at, now), now)
    if span.upto > span.after:
        move_position(span.upto)


def _record_for_webhooks(tools: Tools) -> None:
    """Record an event for each kind that needs a person, for webhooks and programs that read events."""
    now, upto = tools.now(), position_of_notices()
    for notice in due_notices(None, now):
        report = report_of(KINDS[notice.kind], Span(notice.position, upto), None)
        if report is not None:
            url = f"{tools.config.public_url}{report.path}"
            record("attention.needed", now, kind=report.kind.name, count=report.count, url=url)
        notice.settle(upto, now, is_sent=report is not None)
