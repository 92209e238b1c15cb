"""The publish dialog: check what would be sent to each destination, then publish or schedule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.delivery import post_checks, preflight
from blogsvc.delivery.status import labels_of
from blogsvc.errors import BlogError, Busy, Forbidden, Invalid, NotFound, Unsure
from blogsvc.lib.time import SkippedTime, UnclearTime, stamp, utc_offset
from blogsvc.models import Connection, PendingPublish, Post, transaction
from blogsvc.posts import image_copies, prepare, publishing, queue_slots, rules, undo
from blogsvc.posts.image_copies import ImageCopies
from blogsvc.posts.publish_request import PublishRequest
from blogsvc.web.framework import current_user
from blogsvc.web.framework.clock_changes import readings
from blogsvc.web.framework.rendering import show, today
from blogsvc.web.framework.routes import route
from blogsvc.web.publishing.publish_actions import destination_action
from blogsvc.web.publishing.publish_form import PublishForm, digest
from blogsvc.web.publishing.publish_labels import Selected, button_label, short_time, summary
from blogsvc.web.publishing.status import status_of

UNDONE = "Publishing is undone. Nothing left the server."
# After this time the page says how many images are left.
COPYING_SECONDS = 10
# In bytes, which a form may triple. It has the texts of several destinations, and at most `body_limits.MAX_BODY`.
MAX_TEXT_IN_DIALOG = 100_000
TOO_LATE = "It was too late to undo this. Unpublish the post to remove its copies."


@route("GET POST", "/desk/posts/<post_id>/publish", role="author", effect=Effect.WRITE)
def publish_dialog(post_id: str) -> Response:
    """Show what publishing would send to each destination; on POST, publish and show the status."""
    post = current_user.post(post_id)
    if request.method == "GET":
        if PendingPublish.of(post_id) is not None:
            return status_of(post_id, "sheet")
        return _dialog(post, PublishForm.of(post, request.args.get("at")))
    form = _sent(post)
    if "same" in request.form:
        return _dialog(post, replace(form, platforms_or_none=preflight.last_used(current_user.user())))
    if "check" in request.form or request.form.get("leave_images") == "now":
        return _dialog(post, form)
    if "copy_images" in request.form:
        return _copy_images(post, form)
    home = context.tools().config.public_url
    if not form.leaves_images and post_checks.new_external_images(post, _selected_overrides(post, form), home):
        return _dialog(post, form, 422)  # it was added after the dialog was shown
    try:
        _carry_out(post_id, form)
    except UnclearTime as error:
        return _dialog(post, form, 422, unclear=error)
    except Invalid as error:
        return _dialog(post, form, 422, faults=error.faults)
    except (NotFound, Forbidden, Unsure):
        raise
    except BlogError as error:
        return _dialog(current_user.post(post_id), form, 503 if isinstance(error, Busy) else 409, refused=str(error))
    return status_of(post_id, is_news=True)


def _carry_out(post_id: str, form: PublishForm) -> None:
    """Publish or schedule the post, or change nothing and raise BlogError or, for an ambiguous time, UnclearTime.

    Publishing can be undone for a few seconds.
    """
    now, tools, user = context.now(), context.tools(), current_user.user()
    request = PublishRequest(form.platforms, form.time(user.time_zone, now), form.overrides)
    prepared = prepare.publication(current_user.post(post_id), request, tools)
    with transaction():
        undo.publish_with_undo(current_user.post(post_id), request, current_user.user(), now, tools, prepared)


def _copy_images(post: Post, form: PublishForm) -> Response:
    """Copy images of other websites, and show what is left to do. The editor copies most of them before that itself."""
    try:
        overrides = _selected_overrides(post, form)
        copies = image_copies.copy_images(post, overrides, context.tools(), current_user.quota(), COPYING_SECONDS)
    except Busy as error:
        return _dialog(current_user.post(post.id), form, 503, refused=str(error))
    response = _dialog(current_user.post(post.id), form.with_images_at(copies.paths), copies=copies)
    if copies.paths:
        response.headers["Draft-Changed"] = "1"  # for the editor
    return response


def _selected_overrides(post: Post, form: PublishForm) -> dict[str, Any]:
    return {name: own for name, own in _chosen(post, form)[0].items() if name in form.platforms}


def _dialog(
    post: Post, form: PublishForm, status: int = 200, copies: ImageCopies | None = None, **problems: Any
) -> Response:
    user, now = current_user.user(), context.now()
    checks = preflight.preflight(post, context.tools(), _chosen(post, form)[0], ticked=form.platforms_or_none)
    if form.leaves_images:
        checks = checks.without_block("external_images")
    wrong: dict[str, list[str]] = {"": [problems["refused"]]} if "refused" in problems else {}
    for fault in problems.get("faults", ()):
        wrong.setdefault(fault.pointer.removeprefix("#/"), []).append(fault.detail)
    unclear: UnclearTime | None = problems.get("unclear")
    slot = None if post.is_live else queue_slots.next_slot(now)
    selected = [
        Selected(check.name, check.short_label, check.operation, check.waits_for)
        for check in checks.destinations
        if check.is_open and form.is_ticked(check.name, check.is_ticked)
    ]
    brief = short_time(slot.wall, today()) if slot else ""
    when = _when(form, brief)
    question = _question(unclear)
    can_connect = user.is_at_least("owner")
    return show(
        "desk/publish.html",
        "desk/_publish_dialog.html",
        status,
        post=post,
        form=form,
        preflight=checks,
        copies=copies,
        same=_same_as_last_time(post, form, checks),
        slot=slot,
        slot_stamp=stamp(slot.at) if slot else "",
        slot_brief=brief,
        slot_offset=utc_offset(slot.at, slot.time_zone) if slot else "",
        button=button_label(selected, when),
        summary=summary(selected, when, question),
        question=question,
        zone=user.time_zone,
        offset=utc_offset(form.likely_instant(user.time_zone, now), user.time_zone),
        wrong=wrong,
        unclear=unclear,
        readings=readings(unclear) if unclear else (),
        longest_option=rules.MAX_OPTION_LENGTH,
        can_connect=can_connect,
        actions={check.name: destination_action(post, check, can_connect) for check in checks.destinations},
    )


def _when(form: PublishForm, slot: str) -> str:
    """Return "now", or the chosen time for the button; "" if it is not valid."""
    if form.when == "at":
        return short_time(local, today()) if (local := form.local_or_none()) else ""
    return slot if form.when == "slot" and slot else "now"


def _question(unclear: UnclearTime | None) -> str:
    """Return what the author must choose before the post can be scheduled."""
    if unclear is None:
        return ""
    return "Choose a time." if isinstance(unclear, SkippedTime) else f"Choose which {unclear.local:%H:%M} you mean."


def _same_as_last_time(post: Post, form: PublishForm, checks: preflight.Preflight) -> list[preflight.DestinationCheck]:
    """Return the destinations of the user's last published post, if others are selected now."""
    used = set(preflight.last_used(current_user.user()))
    same = [check for check in checks.destinations if check.is_open and check.name in used and not post.is_live]
    selected = {
        check.name for check in checks.destinations if check.is_open and form.is_ticked(check.name, check.is_ticked)
    }
    return [] if {check.name for check in same} == selected else same


def _sent(post: Post) -> PublishForm:
    return PublishForm.sent(request.form, preflight.offered_names(post.platforms, Connection.by_name()))


def _chosen(post: Post, form: PublishForm) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the overrides of the post with what the user has chosen, and what is wrong with it, by destination.

    A destination with a wrong choice has its stored overrides.
    """
    chosen = preflight.with_choices(post.overrides, form.overrides, form.overrides)
    try:
        rules.check({"overrides": chosen}, None, post)
    except Invalid as error:
        wrong = {fault.pointer.split("/")[2]: fault.detail for fault in error.faults}
        kept = {name: post.overrides.get(name) for name in wrong}
        return {name: own for name, own in (chosen | kept).items() if own}, wrong
    return chosen, {}


@route("GET", "/desk/posts/<post_id>/publish/text", role="author")
def article_text(post_id: str) -> Response:
    """Return the text of an article for one destination, when its part of the dialog is opened."""
    post, name = current_user.post(post_id), request.args.get("for", "")
    destination = _check(post, post.overrides, name)
    text = (post.overrides.get(name) or {}).get("content") or post.content
    return show(
        "desk/_destination_text.html",
        post=post,
        destination=destination,
        text=text if len(text.encode()) <= MAX_TEXT_IN_DIALOG else None,
        shown=digest(text),
    )


@route("POST", "/desk/posts/<post_id>/publish/text", role="author", effect=Effect.WRITE)
def announcement_text(post_id: str) -> Response:
    """Return the length of the text that is being typed for one destination, and whether it can be selected."""
    post, name = current_user.post(post_id), request.args.get("for", "")
    overrides, wrong = _chosen(post, _sent(post))
    destination = _check(post, overrides, name)
    if name in wrong:
        destination = replace(destination, problem=wrong[name], remedy="edit", announcement=None)
    return show("desk/_announcement_count.html", post=post, destination=destination)


def _check(post: Post, overrides: dict[str, Any], name: str) -> preflight.DestinationCheck:
    """Return the check of one destination. Raises NotFound."""
    found = preflight.preflight(post, context.tools(), overrides, [name])
    if not found.destinations:
        raise NotFound("There is no such destination any more. Reload the page.")
    return found.destinations[0]


@route("POST", "/desk/posts/<post_id>/undo", role="author", effect=Effect.WRITE)
def undo_publish(post_id: str) -> Response:
    """Undo publishing, as long as nothing has left the server."""
    is_undone = undo.undo(current_user.post(post_id))
    return status_of(post_id, message=UNDONE if is_undone else TOO_LATE, is_news=True)


@route("POST", "/desk/posts/<post_id>/unschedule", role="author", effect=Effect.WRITE)
def unschedule_post(post_id: str) -> Response:
    """Remove the scheduled time. Also dismisses a missed post."""
    publishing.unschedule(current_user.post(post_id), context.now())
    return status_of(post_id, is_news=True)


@route("POST", "/desk/posts/<post_id>/remove-destination", role="author", effect=Effect.WRITE)
def remove_destination(post_id: str) -> Response:
    """Remove a destination from a scheduled post."""
    name = request.form.get("platform", "")
    publishing.remove_destination(current_user.post(post_id), name, context.now())
    return status_of(post_id, message=f"This post won't be published to {labels_of([name])[0]}.", is_news=True)


@route("POST", "/desk/posts/<post_id>/unpublish", role="author", effect=Effect.WRITE)
def unpublish_post(post_id: str) -> Response:
    """Unpublish the post here, and its copies where the platform supports that."""
    delete = request.form.get("do") == "delete"
    publishing.unpublish(current_user.post(post_id), context.now(), delete_copies=delete)
    return status_of(post_id, is_news=True)
