"""The status of a post at each destination, and the actions: retry, resolve, unpublish."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.connectors.base import web_url
from blogsvc.delivery import decide, extra_copies
from blogsvc.delivery import status as delivery_status
from blogsvc.errors import Busy, Fault, Invalid, StateConflict
from blogsvc.lib.time import utc_offset
from blogsvc.models import Delivery, PendingPublish, Post, db, transaction
from blogsvc.models.extra_copy import extra_copies_of
from blogsvc.web.framework import current_user, wording
from blogsvc.web.framework.destination_names import DestinationNames
from blogsvc.web.framework.rendering import go, is_fragment, notice, show
from blogsvc.web.framework.routes import route
from blogsvc.web.publishing.status_actions import StatusActions

# Where the status is shown: on its own page, in the publish dialog, in the margin of the editor. Element ids differ.
WHERE = ("page", "sheet", "margin")
# The htmx event that tells the rest of the page to refresh.
NEWS = "postchanged"


@route("GET", "/desk/posts/<post_id>/status", role="author")
def status(post_id: str) -> Response:
    """Show the status. `pending` and `open` say what the page showed before: if that has ended, the rest refreshes."""
    values = status_context(current_user.post(post_id), _where())
    response = _show(values)
    if ("pending" in request.args and values["pending"] is None) or ("open" in request.args and not values["is_open"]):
        response.headers["HX-Trigger"] = NEWS
    return response


@route("POST", "/desk/posts/<post_id>/retry", role="author", effect=Effect.WRITE)
def retry_post(post_id: str) -> Response:
    """Retry every delivery of the post that can be retried."""
    home, now = context.tools().config.public_url, context.now()
    with transaction():
        for one in delivery_status.statuses(current_user.post(post_id), home):
            if one.delivery is not None and one.action == "retry" and one.delivery.state in ("failed", "retrying"):
                decide.retry(one.delivery, now)
    return status_of(post_id, is_news=True)


@route("POST", "/desk/deliveries/<delivery_id>/retry", role="author", effect=Effect.WRITE)
def retry_copy(delivery_id: str) -> Response:
    delivery = _delivery(delivery_id)
    return _act_and_show(delivery, lambda: decide.retry(delivery, context.now()))


@route("POST", "/desk/deliveries/<delivery_id>/resolve", role="author", effect=Effect.WRITE)
def resolve_copy(delivery_id: str) -> Response:
    """Resolve an uncertain delivery, as the user has found it."""
    delivery, now = _delivery(delivery_id), context.now()
    if request.form.get("outcome") == "there":
        return _act_and_show(delivery, lambda: decide.resolve_delivered(delivery, _copy_url(), now, context.tools()))
    return _act_and_show(delivery, lambda: decide.resolve_again(delivery, now))


@route("POST", "/desk/deliveries/<delivery_id>/extra-copies", role="author", effect=Effect.WRITE)
def decide_extra_copies(delivery_id: str) -> Response:
    """Remove the extra copies, or keep them."""
    delivery, now = _delivery(delivery_id), context.now()
    if request.form.get("do") == "keep":
        return _act_and_show(delivery, lambda: decide.leave(delivery, now))
    return _act_and_show(delivery, lambda: extra_copies.remove_extra_copies(delivery, now))


@route("POST", "/desk/deliveries/<delivery_id>/leave", role="author", effect=Effect.WRITE)
def leave_copy(delivery_id: str) -> Response:
    """Keep the copy as it is on the platform, or dismiss what readers miss of it."""
    delivery = _delivery(delivery_id)
    return _act_and_show(delivery, lambda: decide.leave(delivery, context.now()))


@route("POST", "/desk/deliveries/<delivery_id>/withdraw", role="author", effect=Effect.WRITE)
def withdraw_copy(delivery_id: str) -> Response:
    """Unpublish the copy, or delete it."""
    delivery, delete = _delivery(delivery_id), request.form.get("do") == "delete"
    return _act_and_show(delivery, lambda: decide.withdraw(delivery, context.now(), delete=delete))


def _delivery(delivery_id: str) -> Delivery:
    """Return a delivery. Raises NotFound if the user may not see its post."""
    delivery = Delivery.get(delivery_id)
    current_user.user().require_visible(delivery.post)
    return delivery


def _copy_url() -> str | None:
    """Return the URL of the copy, if given. Raises Invalid if it is malformed."""
    url = request.form.get("url", "").strip()
    if url and not web_url(url):
        raise Invalid(Fault("#/url", "not_a_url", "Enter a URL that starts with https://, or leave this empty."))
    return url or None


def _act_and_show(delivery: Delivery, act: Callable[[], object]) -> Response:
    """Run an action and show the new status, or the reason why it failed."""
    post_id = delivery.post_id
    try:
        act()
    except Busy:
        raise
    except (StateConflict, Invalid) as error:
        db.session.rollback()
        status = 409 if isinstance(error, StateConflict) else 422
        return _status_page(current_user.post(post_id), status, message=str(error))
    return status_of(post_id, is_news=True)


def status_of(post_id: str, where: str | None = None, *, message: str = "", is_news: bool = False) -> Response:
    """Respond to a form: the status list for htmx, else a redirect to its page, in both with what to say about it.

    With `is_news`, other parts of the page refresh too.
    """
    if not is_fragment():
        if message:
            notice(message)
        return go("desk.status", post_id=post_id)
    response = _status_page(current_user.post(post_id), where=where, done=message)
    if is_news:
        response.headers["HX-Trigger"] = NEWS
    return response


def _status_page(
    post: Post, status: int = 200, message: str = "", where: str | None = None, done: str = ""
) -> Response:
    return _show(status_context(post, where or _where(), message), status, done)


def _where() -> str:
    """Return where the status is shown, as the request says."""
    return request.values.get("where", "margin" if is_fragment() else "page")


def _show(values: Mapping[str, object], status: int = 200, done: str = "") -> Response:
    return show("desk/status.html", "desk/_status.html", status, **values, done=done)


def status_context(post: Post, where: str = "page", message: str = "") -> dict[str, object]:
    """Return the context for `_status.html`, also for pages that include it."""
    where = where if where in WHERE else "page"
    home, zone = context.tools().config.public_url, current_user.user().time_zone
    statuses, pending = delivery_status.statuses(post, home), PendingPublish.of(post.id)
    planned = delivery_status.planned(pending.platforms, home) if pending else []
    return {
        "pending": pending,
        "seconds_left": pending.seconds_left(context.now()) if pending else 0,
        "going_to": delivery_status.labels_of([status.platform for status in planned if status.phase == "queued"]),
        "planned": planned,
        "post": post,
        "statuses": statuses,
        "heading": wording.post_status(post, statuses),
        "note": wording.status_note(statuses),
        "is_open": delivery_status.is_open(statuses),
        "extra_copies": {
            status.delivery.id: extra_copies_of(status.delivery.id)
            for status in statuses
            if status.delivery is not None and status.delivery.extra_count
        },
        "where": where,
        "actions": StatusActions(post, where, current_user.user().is_at_least("owner"), DestinationNames()),
        "message": message,
        "zone": zone,
        "offset": utc_offset(post.scheduled_at or context.now(), zone),
    }
