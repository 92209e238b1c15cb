"""The calendar page: a month or a week of posts, moved by drag and drop."""

from __future__ import annotations

from datetime import date
from typing import Any

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import BlogError, Busy, Invalid, NotFound
from blogsvc.lib.time import UnclearTime, wall
from blogsvc.posts import calendar as planning
from blogsvc.posts import publishing, queue_slots
from blogsvc.web.calendar import days, dialogs
from blogsvc.web.dashboard import post_filters
from blogsvc.web.framework import current_user
from blogsvc.web.framework.destination_names import DestinationNames
from blogsvc.web.framework.rendering import go, show
from blogsvc.web.framework.request_values import asked_day, asked_fold, asked_instant
from blogsvc.web.framework.routes import route


@route("GET", "/desk/calendar", role="author")
def calendar() -> Response:
    return _shown(moved=request.args.get("moved", ""))


@route("POST", "/desk/calendar/posts/<post_id>/drop", role="author", effect=Effect.WRITE)
def calendar_drop(post_id: str) -> Response:
    """Handle a post dropped on a day, a queue slot or the drafts. If it can't be moved, show why and leave it."""
    post, now = current_user.post(post_id), context.now()
    before = dialogs.PreviousTime.of(post)
    try:
        if "at" in request.form:
            planning.use_slot(post, asked_instant(), now, context.tools())
        elif "day" in request.form:
            zone = current_user.user().time_zone
            planning.move(post, asked_day(), zone, now, context.tools(), asked_fold())
        else:
            publishing.unschedule(post, now)
    except UnclearTime as error:
        return _shown(422, which=dialogs.which(post, error))
    except (Busy, NotFound):
        raise
    except BlogError as error:
        return _shown(422 if isinstance(error, Invalid) else 409, said=str(error), kind="trouble")
    return _shown(said=dialogs.said_of(post), undo=before.undo(post), moved=post.id)


@route("POST", "/desk/calendar/week", role="author", effect=Effect.WRITE)
def calendar_week() -> Response:
    """Set the first day of the week for this user."""
    said = request.form.get("starts")
    planning.start_week(current_user.user(), int(said) if said in {"0", "5", "6"} else None)
    return go("desk.calendar", **dialogs.place())


def _shown(status: int = 200, **values: Any) -> Response:
    """Show the requested month or week.

    `said` is announced to screen readers, `undo` the form of its button, `which` is the data of a question about an
    ambiguous time, and the post `moved` gets the focus.
    """
    user, now = current_user.user(), context.now()
    today = wall(now, user.time_zone).date()
    starts, post_filter = days.week_starts(user), post_filters.from_request()
    dates = _asked_dates(today, starts)
    span = days.span_of(dates, user.time_zone, now, dialogs.whose(), post_filter)
    is_list = not span.is_week and request.values.get("view") == "list"
    filters = post_filters.query_of(post_filter)
    return show(
        "desk/calendar/calendar.html",
        "desk/calendar/_calendar.html",
        status,
        span=span,
        view="week" if span.is_week else "list" if is_list else "month",
        place=span.here | ({"view": "list"} if is_list else {}) | filters,
        filters=filters,
        post_filter=post_filter,
        choices=post_filters.choices(DestinationNames()),
        today=today,
        starts=starts,
        drafts=dialogs.drafts(post_filter),
        zone=user.time_zone,
        offset=span.offsets(user.time_zone),
        blog_zone=queue_slots.blog_zone(),
        **values,
    )


def _asked_dates(today: date, starts: int) -> list[date]:
    """Return the days of the requested week or month. Raises NotFound if it does not exist."""
    if "week" in request.values:
        day = days.day_of(request.values["week"], today)
        if day is None:
            raise NotFound("This week doesn't exist. Use a date such as 2026-11-23.")
        return days.dates_of_week(day, starts)
    first = days.first_of(request.values.get("month", ""), today)
    if first is None:
        raise NotFound("This month doesn't exist. Use a month such as 2026-11.")
    return days.dates_of_month(first, starts)
