"""Posts that wait for an account: choose the account, or decide about posts whose time has passed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from flask import Response, request

from blogsvc import context
from blogsvc.connections import manage
from blogsvc.connections.waiting import KnownDestinations, Waiting
from blogsvc.delivery import decide
from blogsvc.delivery.attention import waiting_deliveries
from blogsvc.delivery.status import label_of
from blogsvc.errors import NotFound
from blogsvc.models import SITE, Connection, Delivery
from blogsvc.web import current_user
from blogsvc.web.bulk_results import each_delivery
from blogsvc.web.rendering import go, notice, show
from blogsvc.web.routes import route

WAITING_PAGE = "/desk/waiting"


@route("GET", f"{WAITING_PAGE}/<name>", role="author")
def waiting_posts(name: str) -> Response:
    """Show what the posts for a destination wait for: an account, the choice of one, or a decision about each post."""
    user, found = current_user.user(), _waiting(name)
    is_owner = user.is_at_least("owner")
    accounts = _accounts(found) if found.code == "not_connected" else []
    if found.code == "not_connected" and is_owner and found.kind is not None and not accounts:
        return go("desk.connect_destination", key=found.kind.key, name=name)
    deliveries = waiting_deliveries(name, user)
    return show("desk/waiting.html", waiting=found, accounts=accounts, deliveries=deliveries, is_owner=is_owner)


def _waiting(name: str) -> Waiting:
    """Return what posts wait for at a destination. Raises NotFound if there is no such destination."""
    known = KnownDestinations()
    is_waited_for = bool(waiting_deliveries(name, current_user.user(), 1))
    if name == SITE or not (known.is_known(name) or is_waited_for):
        raise NotFound(f"There is no destination {name!r}.")
    code: Literal["late", "not_connected"] = "late" if name in known.connections else "not_connected"
    return Waiting(name, code, known.connector_of(name))


def _accounts(waiting: Waiting) -> list[Connection]:
    """Return the accounts that could be the one that posts wait for."""
    return [row for row in Connection.all() if waiting.kind is not None and row.connector == waiting.kind.key]


@route("POST", f"{WAITING_PAGE}/<name>", role="author")
def see_to_waiting(name: str) -> Response:
    """Publish the chosen posts, or stop waiting with them. Without a choice, all of them."""
    does, now = request.form.get("do"), context.now()
    given = [one.replace("\0", "") for one in request.form.getlist("delivery")]
    if "chosen" in request.form and not given:
        notice("Select at least one post.", "trouble")
        return go("desk.waiting_posts", name=name)
    ids = given or [one.id for one in waiting_deliveries(name, current_user.user())]
    if does == "publish":
        each_delivery(ids, lambda one: _publish(one, now)).tell("queued for publishing")
    elif does == "leave":
        label = label_of(name, Connection.by_name().get(name))
        each_delivery(ids, lambda one: decide.leave(one, now)).tell(f"won't be published to {label}")
    return go("desk.home")


def _publish(delivery: Delivery, now: datetime) -> None:
    if delivery.state == "blocked":
        decide.retry(delivery, now)


@route("POST", f"{WAITING_PAGE}/<name>/account", role="owner")
def choose_account(name: str) -> Response:
    """Let a connection receive what waits under this name."""
    row = manage.connection_named(request.form.get("account", ""))
    manage.change(row, None, None, context.tools(), [*row.aliases, name])
    if waiting_deliveries(row.name, current_user.user(), 1):
        return go("desk.waiting_posts", name=row.name)
    notice(f"Posts for {name} are published with {row.account or row.name}.")
    return go("desk.home")
