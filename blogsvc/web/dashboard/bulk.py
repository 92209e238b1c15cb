"""Bulk actions on posts: schedule, tag, move to the trash."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import datetime
from functools import partial

from flask import Response, request, url_for
from wtforms import DateTimeLocalField, RadioField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import Optional

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Fault, Invalid, StateConflict
from blogsvc.lib.time import UnclearTime, resolve, stamp, utc_offset
from blogsvc.models import Post
from blogsvc.posts import editing, prepare, publishing, queue_slots, tagging, trash
from blogsvc.posts.publish_request import PublishRequest, WallTime
from blogsvc.posts.queue_slots import SlotOccurrence
from blogsvc.posts.rules import check_time
from blogsvc.web.dashboard import post_filters, post_rows
from blogsvc.web.dashboard.bulk_results import chosen, each, seen
from blogsvc.web.framework import current_user
from blogsvc.web.framework.clock_changes import readings
from blogsvc.web.framework.destination_names import DestinationNames
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import Undo, go, notice, show
from blogsvc.web.framework.routes import route


@route("POST", "/desk/bulk", role="author", effect=Effect.WRITE)
def bulk() -> Response:
    ids, name = chosen(), request.form.get("label", "")
    if not ids:
        notice("Select posts first.", "trouble")
        return back()
    match request.form.get("do"):
        case "schedule":
            return go("desk.schedule_posts", post=ids)
        case "tag":
            return _tag(ids, partial(tagging.tag, name=name), f"tagged “{name}”")
        case "untag":
            return _tag(ids, partial(tagging.untag, name=name), f"no longer tagged “{name}”")
    return discard_posts_now(ids)


def back() -> Response:
    """Return to the same list, page and filters of the dashboard."""
    return go("desk.home", **_kept("in", "after"))


def _kept(*names: str) -> dict[str, str]:
    """Return the filters, and the other fields of this name, that the form carries."""
    given = {name: value for name in names if (value := request.form.get(name))}
    return given | post_filters.query_of(post_filters.from_request())


def _tag(ids: list[str], act: Callable[..., Post], done: str) -> Response:
    now = context.now()
    each(ids, lambda post: act(post, now=now)).tell(done)
    return back()


@route("POST", "/desk/bulk/discard", role="author", effect=Effect.WRITE)
def discard_posts() -> Response:
    """Move posts to the trash. Asks first what to do with copies that are still on platforms."""
    return discard_posts_now(chosen())


def discard_posts_now(ids: list[str]) -> Response:
    posts, answer = seen(ids), request.form.get("withdraw")
    live = [post for post in posts if post.is_live and post_rows.live_copies(post)]
    if live and answer is None:
        return show(
            "desk/discard.html",
            posts=posts,
            live=live,
            destinations=DestinationNames(),
            copies=post_rows.live_copies,
            kept=_kept("in"),
        )
    now = context.now()
    withdraw, delete = answer == "yes", answer == "delete"
    outcome = each(ids, lambda post: trash.discard(post, now, withdraw=withdraw, delete_copies=delete))
    outcome.tell("moved to the trash", Undo(url_for("desk.undo_discard"), {"at": stamp(now)}))
    return back()


@route("POST", "/desk/posts/<post_id>/duplicate", role="author", effect=Effect.WRITE)
def duplicate_post(post_id: str) -> Response:
    original, author_id = current_user.post(post_id), current_user.user().id
    post = editing.duplicate(original, context.now(), author_id, current_user.quota())
    notice(f"“{post.title}” is created as a draft.")
    return go("desk.edit_post", post_id=post.id)


class BulkScheduleForm(Form):
    how = RadioField("When", choices=[SelectChoice("slots"), SelectChoice("at")])
    at = DateTimeLocalField("Time", [Optional()], format="%Y-%m-%dT%H:%M")
    # Chooses the first or second reading of a time that a clock change makes ambiguous.
    fold = RadioField("Choose a time", [Optional()], choices=[])


@route("GET POST", "/desk/bulk/schedule", role="author", effect=Effect.WRITE)
def schedule_posts() -> Response:
    posts = seen(chosen())
    if not posts:
        notice("Select posts first.", "trouble")
        return go("desk.home")
    ahead = queue_slots.next_slots(context.now(), len(posts))
    form = BulkScheduleForm(how="slots" if ahead else "at")
    form.fold.choices = _readings(form.at.data)
    if form.validate_on_submit():
        try:
            return _schedule(posts, _times(form, ahead, len(posts)))
        except Invalid as error:
            take_faults(form, error)
    status = 422 if form.is_submitted() else 200
    zone = current_user.zone().key
    offset = utc_offset(context.now(), zone)
    return show("desk/schedule.html", status=status, form=form, posts=posts, ahead=ahead, zone=zone, offset=offset)


def _readings(local: datetime | None) -> list[SelectChoice]:
    """Return the two readings of an ambiguous local time, [] if it is clear."""
    if local is None:
        return []
    try:
        resolve(local, current_user.zone().key)
    except UnclearTime as error:
        return [SelectChoice(str(reading.fold), reading.label) for reading in readings(error)]
    except ValueError:
        return []
    return []


def _times(form: BulkScheduleForm, ahead: list[SlotOccurrence], count: int) -> list[WallTime]:
    """Return a time for each post, fewer if there are fewer free queue slots. Raises Invalid."""
    if form.how.data == "slots":
        if not ahead:
            raise Invalid(
                Fault("#/how", "required", "There are no free queue slots. Choose a time, or add queue slots.")
            )
        return [WallTime(one.wall, one.time_zone, one.fold) for one in ahead]
    if form.at.data is None:
        raise Invalid(Fault("#/at", "required", "Choose a time."))
    if form.fold.choices and form.fold.data not in ("0", "1"):
        raise Invalid(Fault("#/fold", "ambiguous", "The clocks change at that time. Choose one of the two times."))
    when = WallTime(form.at.data, current_user.zone().key, int(form.fold.data) if form.fold.choices else None)
    check_time(_instant(when), context.now())
    return [when] * count


def _instant(when: WallTime) -> datetime:
    """Return the instant. Raises Invalid if the time is ambiguous or does not exist."""
    try:
        return when.instant()
    except ValueError as error:
        raise Invalid(Fault("#/at", "not_a_time", str(error))) from error


def _schedule(posts: list[Post], times: list[WallTime]) -> Response:
    now, ahead, tools = context.now(), deque(times), context.tools()
    prepared = {post.id: prepare.publication(post, PublishRequest(when=now), tools) for post in posts}

    def give_time(post: Post) -> None:
        if not ahead:
            raise StateConflict("no free queue slot is left", state=post.state)
        publishing.publish_request(post, PublishRequest(when=ahead[0]), now, tools, prepared[post.id])
        ahead.popleft()

    each([post.id for post in posts], give_time).tell("scheduled")
    return go("desk.home", **{"in": "scheduled"})
