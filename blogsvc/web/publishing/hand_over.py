"""The page on which a person posts, updates or deletes a copy by hand, and enters its link."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from flask import Response, request, url_for

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.connectors.base import ConnectorError, Operation
from blogsvc.delivery import hand_over as verbs
from blogsvc.delivery.attention import ready_deliveries
from blogsvc.delivery.hand_over import LinkCheck, Task
from blogsvc.delivery.status import label_of
from blogsvc.errors import Busy, Invalid, NotFound, StateConflict, TextRefused
from blogsvc.models import Delivery, db
from blogsvc.web.framework import current_user
from blogsvc.web.framework.rendering import Undo, go, local, notice, show
from blogsvc.web.framework.routes import route
from blogsvc.web.publishing.hand_over_text import text_context

if TYPE_CHECKING:
    from blogsvc.connectors.by_hand import ByHand

ADDRESS = "/desk/deliveries/<delivery_id>/hand-over"
# ready: post it. changed: update it. delete: delete it. done: it is live. soon: the text is not ready yet. gone: there
# is no copy, and none is wanted. refused: the platform can't have this text.
State = Literal["ready", "changed", "delete", "done", "soon", "gone", "refused"]
TO_DO: dict[Operation, State] = {"create": "ready", "update": "changed", "delete": "delete"}
# What the user was asked to do, by what they report.
DID: dict[str, Operation] = {"delivered": "create", "updated": "update", "deleted": "delete"}


@dataclass(frozen=True)
class Entered:
    """What the user has typed and ticked, and what is wrong with the link. `doubt` asks before the link is saved."""

    url: str = ""
    text: str | None = None
    steps: tuple[str, ...] = ()
    error: str = ""
    doubt: str = ""


@route("GET", ADDRESS, role="author")
def hand_over(delivery_id: str) -> Response:
    """Show what is to be done by hand for a delivery: the text, the link to the editor, and the form for the result."""
    return _page(_delivery(delivery_id))


@route("POST", ADDRESS, role="author", effect=Effect.WRITE)
def report_hand_over(delivery_id: str) -> Response:
    """Store what the user reports: posted with its link, updated, deleted, to be done tomorrow, or not to be done."""
    delivery = _delivery(delivery_id)
    outcome = "delivered" if "anyway" in request.form else request.form.get("outcome", "")
    try:
        match outcome:
            case "delivered":
                return _posted(delivery)
            case "updated" | "deleted":
                return _changed(delivery, outcome)
            case "tomorrow":
                return _tomorrow(delivery)
            case "left" | "kept":
                return _declined(delivery, outcome)
        return go("desk.hand_over", delivery_id=delivery_id)
    except Busy:
        raise
    except (StateConflict, Invalid) as error:
        db.session.rollback()
        delivery = _delivery(delivery_id)
        if isinstance(error, Invalid):
            return _page(delivery, 422, _entered(error=str(error)))
        return _page(delivery, 409, _entered(), message=_what_happened(delivery, outcome))


@route("POST", f"{ADDRESS}/undo", role="author", effect=Effect.WRITE)
def undo_hand_over(delivery_id: str) -> Response:
    """Make the platform a destination of the post again."""
    delivery = _delivery(delivery_id)
    label = _connector(delivery).label
    try:
        verbs.undo_decline(delivery, context.now())
        notice(f"{label} is a destination of this post again.")
    except StateConflict as error:
        db.session.rollback()
        notice(str(error), "trouble")
    return _to_post(_delivery(delivery_id))


def _delivery(delivery_id: str) -> Delivery:
    """Return a delivery. Raises NotFound if the user may not see its post, or if nothing is done for it by hand.

    Of a post in the trash, only the deletion of the copy is left to do.
    """
    delivery = Delivery.get(delivery_id, trashed=True)
    if delivery.post.deleted_at is not None and delivery.revision_id is not None:
        raise NotFound(f"There is no delivery {delivery_id!r}.")
    current_user.user().require_visible(delivery.post)
    _connector(delivery)
    return delivery


def _connector(delivery: Delivery) -> ByHand:
    return verbs.connector_by_hand(delivery, context.tools())


def _posted(delivery: Delivery) -> Response:
    """Store the link of the copy, after a question if it doesn't open or leads to another site."""
    url, revision_id = verbs.require_link(_link(), _connector(delivery)), _sent("revision")
    check: LinkCheck | None = None
    if _sent("anyway") != url:
        check = verbs.check_link(delivery, url, context.tools())
        if doubt := _doubt(check, delivery):
            return _page(delivery, 422, _entered(doubt=doubt))
    _report(delivery, "delivered", url, revision_id)
    return _done(delivery, check)


def _changed(delivery: Delivery, outcome: str) -> Response:
    _report(delivery, outcome, None, _sent("revision"))
    if outcome == "deleted":
        notice(f"Deleted. {_connector(delivery).label} no longer has a copy of this post.")
    return _done(delivery)


def _report(delivery: Delivery, outcome: str, url: str | None, revision_id: str) -> None:
    verbs.report_posted(
        delivery,
        url,
        context.now(),
        context.tools(),
        revision_id=revision_id or None,
        by=current_user.user().name,
        did=DID[outcome],
    )


def _done(delivery: Delivery, check: LinkCheck | None = None) -> Response:
    """Show the page again. `link` says what the check of the link found."""
    if delivery.state == "queued":
        notice("Saved. The post has changed since you copied the text, so the copy needs an update.")
    return go("desk.hand_over", delivery_id=delivery.id, link=check)


def _tomorrow(delivery: Delivery) -> Response:
    at = _reminder(delivery)
    verbs.remind_later(delivery, at, context.now())
    notice(f"We'll remind you on {_day_and_time(at)}.")
    return go("desk.hand_over", delivery_id=delivery.id)


def _declined(delivery: Delivery, outcome: str) -> Response:
    """Leave the platform as it is, and say so on the status page of the post."""
    connector, is_new = _connector(delivery), delivery.remote_id is None
    if is_new != (outcome == "left"):
        raise StateConflict("The copy was posted or deleted meanwhile.", state=delivery.state)
    verbs.decline(delivery, context.now())
    post, undo = delivery.post, None
    if delivery.state == "withdrawn" and delivery.remote_id is None and post.is_live:
        undo = Undo(url_for("desk.undo_hand_over", delivery_id=delivery.id), {})
    if not is_new:
        notice(f"The {connector.noun} on {connector.label} stays as it is.")
    elif delivery.destination in post.platforms:
        notice(f"This post won't be posted on {connector.label}.", undo=undo)
    else:
        notice(f"{connector.label} removed from this post.", undo=undo)
    return _to_post(delivery)


def _to_post(delivery: Delivery) -> Response:
    """Redirect to the status page of the post, which a post in the trash does not have."""
    if delivery.post.deleted_at is not None:
        return go("desk.trash")
    return go("desk.status", post_id=delivery.post_id)


def _sent(field: str) -> str:
    return request.form.get(field, "").replace("\0", "")


def _link() -> str:
    return request.form.get("url", "").strip()


def _entered(error: str = "", doubt: str = "") -> Entered:
    text = request.form.get("title", request.form.get("text"))
    return Entered(_link(), text, tuple(request.form.getlist("step")), error, doubt)


def _doubt(check: LinkCheck, delivery: Delivery) -> str:
    """Return the question about a link that may be wrong, "" if it seems right."""
    if check == "broken":
        return "This link doesn't open. Check it, or save it anyway."
    connector = _connector(delivery)
    where = connector.hosts[0] if connector.hosts else connector.label
    return f"This link isn't on {where}. Save it anyway?" if check == "elsewhere" else ""


def _what_happened(delivery: Delivery, outcome: str) -> str:
    """Return why a report came too late. The page shows the present state below."""
    connector = _connector(delivery)
    noun, label = connector.noun, connector.label
    match _state(delivery):
        case "done":
            by = f" by {delivery.extra['by']}" if delivery.extra.get("by") else ""
            change = " To replace the link, choose “Change link”." if outcome == "delivered" else ""
            return f"The {noun} was already reported as posted{by}.{change}"
        case "gone":
            rest = f" If you posted the {noun} on {label}, delete it there." if outcome == "delivered" else ""
            return f"This post is no longer published on {label}, so there is nothing left to do.{rest}"
        case "delete":
            return f"This post was unpublished since you opened the page. Delete the {noun} on {label}."
        case "changed":
            return f"The {noun} was already posted, and the post has changed since. Update the {noun}."
        case "ready":
            return f"This post was published again since you opened the page. Post it on {label}."
    return "This post has changed since you opened the page. Nothing was saved."


def _state(delivery: Delivery) -> State:
    match delivery.state:
        case "awaiting_hand":
            return TO_DO[delivery.needed_operation]
        case "delivered":
            return "done"
        case "failed":
            return "refused"
        case "withdrawn":
            is_scheduled = delivery.post.state == "scheduled" and delivery.destination in delivery.post.platforms
            return "soon" if is_scheduled else "gone"
    return "soon"


def _page(delivery: Delivery, status: int = 200, entered: Entered | None = None, message: str = "") -> Response:
    """Show the page in the state of the delivery. `said` is why a report was not accepted."""
    connector, entered = _connector(delivery), entered or Entered()
    state, task, refusal = _task(delivery)
    at = _reminder(delivery)
    return show(
        "desk/hand_over.html",
        status=status,
        delivery=delivery,
        post=delivery.post,
        connector=connector,
        state=state,
        refusal=refusal,
        message=message,
        entered=entered,
        task=task,
        **(text_context(task, entered.text) if task is not None and task.hand_over is not None else {}),
        is_changing_link=state == "done" and bool("change" in request.args or entered.error or entered.doubt),
        link_check=request.args.get("link"),
        tomorrow=f"{_day_and_time(at)} ({current_user.user().time_zone})",
        ready_at=_ready_at(delivery),
        next=_next(delivery) if state in ("done", "gone") else None,
    )


def _task(delivery: Delivery) -> tuple[State, Task | None, str]:
    """Return the state of the page, what is to be done if anything is, and why the platform can't have the text."""
    state = _state(delivery)
    if state not in TO_DO.values():
        return state, None, delivery.error_detail or ""
    try:
        return state, verbs.task_of(delivery, context.tools()), ""
    except (ConnectorError, TextRefused) as error:
        return "refused", None, str(error)


def _reminder(delivery: Delivery) -> datetime:
    """Return when the user is asked again: tomorrow, at the time of day of the post."""
    return verbs.same_time_tomorrow(local(delivery.due_at), local(context.now()))


def _day_and_time(at: datetime) -> str:
    return f"{local(at):%a} {local(at).day} {local(at):%b, %H:%M}"


def _ready_at(delivery: Delivery) -> datetime | None:
    """Return when the text will be ready, None if that is in a moment, or if it is not known."""
    at = delivery.post.scheduled_at if delivery.state == "withdrawn" else delivery.expected_at
    return at if at is not None and at > context.now() else None


def _next(delivery: Delivery) -> tuple[Delivery, str] | None:
    """Return what is to be done next by hand, and where; None if there is nothing."""
    found = next((one for one in ready_deliveries(current_user.user(), most=2) if one.id != delivery.id), None)
    return (found, label_of(found.destination, found.connection)) if found else None
