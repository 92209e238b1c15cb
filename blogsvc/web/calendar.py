"""The calendar page: a month of posts, moved by drag and drop."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from blogsvc import context
from blogsvc.errors import BlogError, Busy, Invalid, NotFound
from blogsvc.lib.time import UnclearTime, wall
from blogsvc.posts import calendar as planning
from blogsvc.posts import publishing, queue_slots
from blogsvc.web import calendar_month, calendar_times, current_person
from blogsvc.web.rendering import go, show
from blogsvc.web.routes import route
from blogsvc.web.unchanged import unchanged


@route("GET", "/desk/calendar", role="author")
def calendar() -> Response:
    return _shown(moved=request.args.get("moved", ""))


@route("POST", "/desk/calendar/posts/<post_id>/drop", role="author")
def calendar_drop(post_id: str) -> Response:
    """Handle a post dropped on a day, a queue slot or the drafts. If it can't be moved, show why and leave it."""
    post, now = current_person.post(post_id), context.now()
    try:
        if "at" in request.form:
            planning.use_slot(post, calendar_times.asked_instant(), now, context.tools())
        elif "day" in request.form:
            zone = current_person.person().time_zone
            planning.move(post, calendar_times.asked_day(), zone, now, context.tools(), calendar_times.asked_fold())
        else:
            publishing.unschedule(post, now)
    except UnclearTime as error:
        return _shown(422, which=calendar_times.which(post, error))
    except (Busy, NotFound):
        raise
    except BlogError as error:
        return _shown(422 if isinstance(error, Invalid) else 409, said=str(error), kind="trouble")
    return _shown(said=calendar_times.said_of(post), moved=post.id)


@route("POST", "/desk/calendar/week", role="author")
def calendar_week() -> Response:
    """Set the first day of the week for this person."""
    said = request.form.get("starts")
    planning.start_week(current_person.person(), int(said) if said in {"0", "5", "6"} else None)
    return go("desk.calendar", month=request.form.get("month") or None)


def _shown(status: int = 200, **words: Any) -> Response:
    """Show the requested month.

    `said` is announced to screen readers, `which` is the data of a question about an ambiguous time, and the
    post `moved` gets the focus.
    """
    person, now = current_person.person(), context.now()
    today = wall(now, person.time_zone).date()
    first = calendar_month.first_of(request.values.get("month", ""), today)
    if first is None:
        raise NotFound("This month doesn't exist. Use a month such as 2026-11.")
    starts = calendar_month.week_starts(person)
    whose = calendar_times.whose()
    month = unchanged(
        "month", lambda: calendar_month.month_of(first, starts, person.time_zone, today, whose), first, starts, today
    )
    return show(
        "desk/calendar/calendar.html",
        "desk/calendar/_month.html",
        status,
        month=month.without_past_slots(now),
        view="list" if request.values.get("view") == "list" else "month",
        today=today,
        starts=starts,
        drafts=calendar_times.drafts(),
        zone=person.time_zone,
        offset=month.offsets(person.time_zone),
        blog_zone=unchanged("blog_zone", queue_slots.blog_zone),
        **words,
    )
