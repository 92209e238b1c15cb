"""Calendar dialogs: set the time of a post, or fill a queue slot. Each is a page without JavaScript."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import Response, request, url_for
from wtforms import DateField, TimeField
from wtforms.validators import InputRequired

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid, StateConflict
from blogsvc.lib.time import SkippedTime, UnclearTime, utc_offset
from blogsvc.models import Post
from blogsvc.posts import calendar, publishing, queue_slots
from blogsvc.posts.calendar_entries import EVERY_POST, CalendarEntry, without_time
from blogsvc.posts.post_filter import PostFilter
from blogsvc.web.framework import current_user
from blogsvc.web.framework.clock_changes import readings
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import Undo, day, go, local, notice, show, time_of_day
from blogsvc.web.framework.request_values import asked_fold, asked_instant
from blogsvc.web.framework.routes import route

# Drafts listed beside the month and in the dialog of a queue slot; the dashboard lists all.
MAX_DRAFTS_SHOWN = 30
# The parameters that say where in the calendar a form was opened, and where it returns to.
PLACE = ("month", "week", "view", "tag", "by", "to", "back")


class MoveForm(Form):
    day = DateField("Day", [InputRequired("Choose a day.")])
    time = TimeField("Time", [InputRequired("Choose a time.")], format=["%H:%M", "%H:%M:%S"])


@dataclass(frozen=True)
class PreviousTime:
    """When a post was scheduled before it is moved."""

    at: datetime | None
    # Unscheduling unpins the version that was scheduled, so scheduling again would publish newer edits.
    has_newer_edits: bool

    @classmethod
    def of(cls, post: Post) -> PreviousTime:
        return cls(post.scheduled_at if post.state == "scheduled" else None, post.has_unpublished_changes)

    def undo(self, post: Post) -> Undo | None:
        """Return the form that moves the post back; None if that can't be done, or would do more than that."""
        if self.at == post.scheduled_at:
            return None
        if self.at is None:
            return Undo(url_for("desk.calendar_unschedule", post_id=post.id), place())
        if post.scheduled_at is None and self.has_newer_edits:
            return None
        was = local(self.at)
        fields = {"day": f"{was:%Y-%m-%d}", "time": f"{was:%H:%M:%S}", "fold": str(was.fold)}
        return Undo(url_for("desk.calendar_move", post_id=post.id), place() | fields)


@route("GET POST", "/desk/calendar/posts/<post_id>", role="author", effect=Effect.WRITE)
def calendar_move(post_id: str) -> Response:
    """Change the day and time of a post."""
    post = current_user.post(post_id)
    calendar.require_movable(post)
    before = PreviousTime.of(post)
    form = MoveForm()
    if not form.is_submitted():
        return _form_page(post, MoveForm(data=_initial_values(post)))
    if not form.validate():
        return _form_page(post, form, 422)
    try:
        when = datetime.combine(form.day.data, form.time.data)
        calendar.move(post, when, current_user.user().time_zone, context.now(), context.tools(), asked_fold())
    except UnclearTime as error:
        return show(
            "desk/calendar/ambiguous_time.html", "desk/calendar/_ambiguous_time.html", 422, **which(post, error)
        )
    except Invalid as error:
        take_faults(form, error)
        return _form_page(post, form, 422)
    return done(post, before)


@route("POST", "/desk/calendar/posts/<post_id>/unschedule", role="author", effect=Effect.WRITE)
def calendar_unschedule(post_id: str) -> Response:
    """Remove the scheduled time of a post."""
    post = current_user.post(post_id)
    before = PreviousTime.of(post)
    publishing.unschedule(post, context.now())
    return done(post, before)


@route("GET POST", "/desk/calendar/slot", role="author", effect=Effect.WRITE)
def calendar_slot() -> Response:
    """Show a free queue slot with the drafts that can fill it."""
    at = asked_instant()
    if request.method == "POST":
        post = current_user.post(request.form.get("post_id", ""))
        before = PreviousTime.of(post)
        calendar.use_slot(post, at, context.now(), context.tools())
        return done(post, before)
    if not any(slot.at == at for slot in queue_slots.open_occurrences(at, at + timedelta(seconds=1))):
        raise StateConflict("This queue slot is taken. Choose another slot.", state="taken")
    return show("desk/calendar/slot.html", "desk/calendar/_slot.html", at=at, drafts=drafts(), place=place())


def _form_page(post: Post, form: MoveForm, status: int = 200) -> Response:
    slot = queue_slots.next_slot(context.now())
    offset = utc_offset(post.scheduled_at or context.now(), current_user.user().time_zone)
    values = {"post": post, "form": form, "slot": slot, "offset": offset, "place": place()}
    return show("desk/calendar/move.html", "desk/calendar/_move.html", status, **values)


def _initial_values(post: Post) -> dict[str, object]:
    """Return the initial values of the form: the post's time, else the next free queue slot, else tomorrow."""
    now = context.now()
    slot = queue_slots.next_slot(now)
    tomorrow = datetime.combine(local(now).date() + timedelta(days=1), calendar.DEFAULT_TIME)
    at = post.scheduled_at or (slot.at if slot else None)
    shown = local(at) if at else tomorrow
    return {"day": shown.date(), "time": shown.time()}


def place() -> dict[str, str]:
    """Return where the user was in the calendar: month or week, view and filters; or "queue" as `back`."""
    return {name: value for name in PLACE if (value := request.values.get(name, "").replace("\0", ""))}


def done(post: Post, before: PreviousTime | None = None) -> Response:
    """Redirect to the page that opened the form, with a notice and its undo, and the focus on the post."""
    notice(said_of(post), undo=before.undo(post) if before else None)
    here = place()
    if here.get("back") == "queue":
        return go("desk.queue", moved=post.id)
    if post.scheduled_at:
        at = local(post.scheduled_at)
        here |= {"week": f"{at:%Y-%m-%d}"} if "week" in here else {"month": f"{at:%Y-%m}"}
    return go("desk.calendar", **here, moved=post.id)


def said_of(post: Post) -> str:
    name = f"“{post.title or 'Untitled'}”"
    if post.scheduled_at is None:
        return f"{name} is unscheduled. You find it in your drafts."
    zone = current_user.user().time_zone
    return f"{name} is scheduled for {day(post.scheduled_at)}, {time_of_day(post.scheduled_at)} ({zone})."


def which(post: Post, error: UnclearTime) -> dict[str, object]:
    """Return the data for the question about an ambiguous time, which sends the same form again with the answer."""
    sent = [(name, text) for name, text in request.form.items() if name not in ("csrf_token", "fold")]
    return {
        "post": post,
        "unclear": error,
        "is_skipped": isinstance(error, SkippedTime),
        "readings": readings(error),
        "sent": sent,
    }


def whose() -> str | None:
    """Return the id to filter posts by: an author sees only their own, everyone else all (None)."""
    user = current_user.user()
    return None if user.is_at_least("editor") else user.id


def drafts(wanted: PostFilter = EVERY_POST) -> list[CalendarEntry]:
    """Return the drafts of the user that were changed last."""
    return without_time(MAX_DRAFTS_SHOWN, whose(), wanted)
