"""Posts that wait for an account: choose the account, or decide about posts whose time has passed.

After connecting an account, the same page tells what was connected.
"""

from __future__ import annotations

from datetime import datetime

from flask import Response, redirect, request, url_for

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.connections import manage
from blogsvc.connections.load import connector_of
from blogsvc.connections.waiting import KnownDestinations, Waiting
from blogsvc.connectors.base import by_part
from blogsvc.delivery import decide
from blogsvc.delivery.attention import waiting_deliveries
from blogsvc.delivery.status import label_of
from blogsvc.errors import NotFound
from blogsvc.models import SITE, Connection, Delivery, Post
from blogsvc.posts import editing, sample_draft
from blogsvc.web.dashboard.bulk_results import each_delivery, seen
from blogsvc.web.framework import current_user
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route

WAITING_PAGE = "/desk/waiting"


@route("GET", f"{WAITING_PAGE}/<name>", role="author")
def waiting_posts(name: str) -> Response:
    """Show what the posts for a destination wait for: an account, the choice of one, or a decision about each post.

    For a connected account, also show its limits, and whether it is selected for new posts.
    With `post`, the page leads back to the post that the user came from.
    """
    user, group, origin = current_user.user(), _waiting(name), came_from()
    is_owner = user.is_at_least("owner")
    accounts = _accounts(group) if group.code == "not_connected" else []
    if group.code == "not_connected" and is_owner and group.kind is not None and not accounts:
        return go("desk.connect_destination", key=group.kind.key, name=name, post=origin and origin.id)
    row = Connection.named(name) if group.code == "late" else None
    return show(
        "desk/waiting.html",
        waiting=group,
        accounts=accounts,
        row=row,
        allowed=_allowed(row) if row else "",
        is_default=name in editing.default_platforms(),
        deliveries=waiting_deliveries(name, user),
        is_owner=is_owner,
        is_new_writer=not sample_draft.has_own_posts(user.id),
        origin=origin,
        now=context.now(),
    )


def _allowed(row: Connection) -> str:
    """Return the limits of an account as a sentence; "" if the connector has no limits."""
    connector = connector_of(row, context.tools())
    first = by_part(connector.limits_here())
    words = {"text": "{}", "title": "titles of up to {}"}
    allowed = [said.format(first[part].amount) for part, said in words.items() if part in first]
    # Limits of a server differ from those of the platform.
    who = "This server" if connector.can("limits_here") else connector.label
    return f"{who} allows {' and '.join(allowed)}." if allowed else ""


def came_from() -> Post | None:
    """Return the post that the user came from, if the address names one that the user may see."""
    return next(iter(seen([request.args.get("post", "").replace("\0", "")])), None)


def _waiting(name: str) -> Waiting:
    """Return what posts wait for at a destination. Raises NotFound if there is no such destination."""
    known = KnownDestinations()
    is_waited_for = bool(waiting_deliveries(name, current_user.user(), 1))
    if name == SITE or not (known.is_known(name) or is_waited_for):
        raise NotFound(f"There is no destination {name!r}.")
    return known.reason(name)


def _accounts(waiting: Waiting) -> list[Connection]:
    """Return the accounts that could be the one that posts wait for."""
    return [row for row in Connection.all() if waiting.kind is not None and row.connector == waiting.kind.key]


@route("POST", f"{WAITING_PAGE}/<name>", role="author", effect=Effect.WRITE)
def see_to_waiting(name: str) -> Response:
    """Publish the selected posts, stop waiting with all posts that were listed, start a draft, or only go back.

    From the attention list, which lists no posts, both apply to all of them. Each button of the page also saves if the
    destination is selected for new posts.
    """
    does, now, origin = request.form.get("do"), context.now(), came_from()
    _save_default(name)
    if does == "back":
        return _go_back(origin)
    if does == "write":
        return redirect(url_for("desk.new_post"), 307)  # type: ignore[return-value]
    back = {"name": name, "post": origin.id if origin else None}
    chosen, listed = _sent("delivery"), _sent("listed")
    if does == "publish" and listed and not chosen:
        notice("Select at least one post.", "trouble")
        return go("desk.waiting_posts", **back)
    ids = listed if does == "leave" else chosen
    ids = ids or [delivery.id for delivery in waiting_deliveries(name, current_user.user())]
    if does == "publish":
        each_delivery(ids, lambda delivery: _publish(delivery, now)).tell("queued for publishing")
    elif does == "leave":
        label = label_of(name, Connection.by_name().get(name))
        each_delivery(ids, lambda delivery: decide.leave(delivery, now)).tell(f"won't be published on {label}")
    has_more = listed and waiting_deliveries(name, current_user.user(), 1)
    return go("desk.waiting_posts", **back) if origin or has_more else go("desk.home")


def _save_default(name: str) -> None:
    """Save if the destination is selected for new posts, if the form asked an owner for that."""
    if "default_shown" not in request.form or not current_user.user().is_at_least("owner"):
        return
    is_chosen = "default" in request.form
    if is_chosen != (name in editing.default_platforms()):
        editing.choose_default(name, is_chosen)
        notice("Default destinations saved.")


def _go_back(origin: Post | None) -> Response:
    """Redirect to the post that the user came from, else to the list of destinations."""
    if origin is not None:
        return go("desk.edit_post", post_id=origin.id)
    return go("desk.destinations" if current_user.user().is_at_least("owner") else "desk.home")


def _sent(field: str) -> list[str]:
    return [one.replace("\0", "") for one in request.form.getlist(field)]


def _publish(delivery: Delivery, now: datetime) -> None:
    if delivery.state == "blocked":
        decide.retry(delivery, now)


@route("POST", f"{WAITING_PAGE}/<name>/account", role="owner", effect=Effect.ARRANGE)
def choose_account(name: str) -> Response:
    """Let a connection receive what waits under this name."""
    row, origin = manage.connection_named(request.form.get("account", "")), came_from()
    manage.change(row, None, None, context.tools(), [*row.aliases, name])
    if origin or waiting_deliveries(row.name, current_user.user(), 1):
        return go("desk.waiting_posts", name=row.name, post=origin and origin.id)
    notice(f"Posts for {name} are published with {row.account or row.name}.")
    return go("desk.home")
