"""The queue: weekly slots, the posts in them, and the free ones."""

from __future__ import annotations

from flask import Response, request
from wtforms import SelectChoice, SelectField, SelectMultipleField, TimeField, widgets
from wtforms.validators import InputRequired, ValidationError

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid, StateConflict
from blogsvc.lib.time import utc_offset
from blogsvc.models import QueueSlot, transaction
from blogsvc.posts import calendar
from blogsvc.posts import queue_slots as slots
from blogsvc.posts.calendar import QueueEntry
from blogsvc.web.calendar.dialogs import PreviousTime, done, drafts, said_of, whose
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, is_fragment, notice, show
from blogsvc.web.framework.routes import route
from blogsvc.web.framework.time_zones import zones

MAX_OPEN_SLOTS_SHOWN = 10
# Rows on the page; the calendar shows later posts.
MAX_QUEUE_ROWS = 100


def _require_weekday(_form: Form, field: SelectMultipleField) -> None:
    # InputRequired would make browsers require every single checkbox.
    if not field.data:
        raise ValidationError("Select at least one day.")


NO_SLOT = "The queue has no free slot. "
ADD_SLOT = "Add a queue slot below, then add the post again."
ASK_FOR_SLOT = "Ask an editor of this blog to add one."


class SlotsForm(Form):
    weekdays = SelectMultipleField(
        "Days",
        [_require_weekday],
        choices=[SelectChoice(str(number), name) for number, name in enumerate(slots.WEEKDAYS)],
        option_widget=widgets.CheckboxInput(),
        widget=widgets.ListWidget(prefix_label=False),
    )
    time = TimeField("Time", [InputRequired("Enter a time.")])


class ZoneForm(Form):
    time_zone = SelectField("Time zone", choices=zones, validate_choice=False)


@route("GET", "/desk/queue", role="author")
def queue() -> Response:
    return _queue_page(SlotsForm())


@route("POST", "/desk/queue/posts/<post_id>", role="author", effect=Effect.WRITE)
def queue_add(post_id: str) -> Response:
    """Schedule a post in the next free queue slot."""
    post = current_user.post(post_id)
    before = PreviousTime.of(post)
    if slots.next_slot(context.now()) is None:
        said = NO_SLOT + (ADD_SLOT if current_user.user().is_at_least("editor") else ASK_FOR_SLOT)
        return _queue_page(SlotsForm(formdata=None), 409, said=said, kind="trouble")
    return done(calendar.enqueue(post, context.now(), context.tools()), before)


@route("POST", "/desk/queue/posts/<post_id>/position", role="editor", effect=Effect.WRITE)
def queue_reorder(post_id: str) -> Response:
    """Move a post to the queue position of another, with the `up` and `down` buttons or by drag and drop."""
    button = next((name for name in ("up", "down", "of") if name in request.form), "of")
    post, other = current_user.post(post_id), current_user.post(request.form.get(button, ""))
    try:
        calendar.swap_before(post, other, context.now())
    except StateConflict as error:
        if not is_fragment():
            raise
        return _queue_page(SlotsForm(formdata=None), 409, said=str(error), kind="trouble")
    if not is_fragment():
        return done(post)
    return _queue_page(SlotsForm(formdata=None), said=said_of(post), moved=post.id, button=button)


@route("POST", "/desk/queue/slots", role="editor", effect=Effect.WRITE)
def queue_slots() -> Response:
    """Add queue slots: one time on one or more days of the week."""
    form = SlotsForm()
    if not form.validate():
        return _queue_page(form, 422)
    at = f"{form.time.data:%H:%M}"
    try:
        with transaction():
            for weekday in form.weekdays.data:
                slots.add_slot(int(weekday), at)
    except Invalid as error:
        take_faults(form, error)
        return _queue_page(form, 422)
    return go("desk.queue", _anchor="slots")


@route("POST", "/desk/queue/slots/remove", role="editor", effect=Effect.WRITE)
def queue_remove_slot() -> Response:
    """Remove a queue slot, given as weekday and time: "0 09:00"."""
    weekday, _, time = request.form.get("slot", "").partition(" ")
    slots.remove_slot(int(weekday) if weekday.isdecimal() else -1, time)
    return go("desk.queue", _anchor="slots")


@route("GET POST", "/desk/queue/zone", role="editor", effect=Effect.WRITE)
def queue_zone() -> Response:
    """Change the time zone of the queue slots."""
    form = ZoneForm(time_zone=slots.blog_zone())
    if form.is_submitted() and form.validate():
        try:
            slots.change_zone(form.time_zone.data)
        except Invalid as error:
            take_faults(form, error)
        else:
            notice(f"The queue uses {form.time_zone.data}. Scheduled posts keep their times.")
            return go("desk.queue")
    status = 422 if form.is_submitted() else 200
    return show("desk/queue/zone.html", None, status, form=form)


def _queue_page(form: SlotsForm, status: int = 200, **values: object) -> Response:
    user, now = current_user.user(), context.now()
    blog_zone = slots.blog_zone()
    waiting = calendar.queue(now, whose(), MAX_QUEUE_ROWS + 1)
    ahead = [QueueEntry(slot.at, is_slot=True) for slot in slots.next_slots(now, MAX_OPEN_SLOTS_SHOWN)]
    return show(
        "desk/queue/queue.html",
        "desk/queue/_list.html",
        status,
        line=sorted([*waiting, *ahead], key=lambda entry: entry.at)[:MAX_QUEUE_ROWS],
        has_more=len(waiting) + len(ahead) > MAX_QUEUE_ROWS,
        last_open=ahead[-1].at if len(ahead) == MAX_OPEN_SLOTS_SHOWN else None,
        neighbours=_neighbours(waiting),
        week=_week(),
        form=form,
        drafts=drafts(),
        blog_zone=blog_zone,
        offset=utc_offset(now, blog_zone),
        own_zone=user.time_zone,
        own_offset=utc_offset(now, user.time_zone),
        can_edit=user.is_at_least("editor"),
        **({"moved": request.args.get("moved", "")} | values),
    )


def _neighbours(waiting: list[QueueEntry]) -> dict[str, tuple[str | None, str | None]]:
    """Return the previous and next post for each post in the queue."""
    queued = [entry.post.post_id for entry in waiting if entry.is_slot and entry.post is not None]
    around = zip(queued, [None, *queued], [*queued[1:], None], strict=False)
    return {post_id: (before, after) for post_id, before, after in around}


def _week() -> list[tuple[int, str, list[str]]]:
    """Return the number, name and times of each weekday that has slots."""
    times: dict[int, list[str]] = {}
    for slot in QueueSlot.all():
        times.setdefault(slot.weekday, []).append(slot.time)
    return [(weekday, slots.WEEKDAYS[weekday], times[weekday]) for weekday in sorted(times)]
