"""What a user decides about one copy: send it again, dismiss it, say whether it arrived, or withdraw it."""

from __future__ import annotations

from datetime import datetime

from blogsvc.connections.adopt import link
from blogsvc.connectors.base import Receipt
from blogsvc.context import Tools
from blogsvc.delivery import hand_over
from blogsvc.delivery.extra_copies import keep_extra_copies
from blogsvc.errors import Fault, Invalid, StateConflict
from blogsvc.models import SITE, Connection, CopySearch, Delivery, transaction
from blogsvc.models.setting import site_changed


def retry(delivery: Delivery, now: datetime) -> Delivery:
    """Retry a delivery now, without waiting for its back-off.

    Overwrites the copy if it was edited on the platform, and creates it again if it was removed there.
    """
    with transaction():
        delivery.require_move("retry")
        _relink_connection(delivery)
        delivery.overrule()
        _require_connection(delivery).paused_until = None  # a manual retry ignores the pause
        if delivery.state == "blocked":
            delivery.release(now)
        else:
            delivery.retry_now(now)
        delivery.post.settle(now)
        return delivery


def _relink_connection(delivery: Delivery) -> None:
    """Use the connection that now has this name if the former one was removed. Raises Invalid if there is none."""
    if delivery.connection is None and delivery.destination != SITE:
        name = delivery.destination
        if (connection := Connection.by_name().get(name)) is None:
            detail = f"There is no connection named {name!r}. Connect it first."
            raise Invalid(Fault("#", "no_connection", detail, platform=name))
        link(delivery, connection)


def leave(delivery: Delivery, now: datetime) -> Delivery:
    """Dismiss a failure, a difference or extra copies: stop retrying, or accept what is on the platform as it is.

    A delivery by hand is given up. The post can still be published there again. Raises StateConflict if there is
    nothing to dismiss.
    """
    with transaction():
        if delivery.state == "awaiting_hand":
            return hand_over.decline(delivery, now)
        is_dismissed = delivery.accept_copy(now)
        if not keep_extra_copies(delivery) and not is_dismissed:
            raise StateConflict("There is nothing to dismiss for this copy.", state=delivery.state)
        delivery.post.settle(now)
        return delivery


def resolve_delivered(delivery: Delivery, url: str | None, now: datetime, tools: Tools, by: str = "") -> Delivery:
    """Resolve an uncertain delivery, or one by hand: a user says that it was done. `by` is the name of the user.

    Of a new copy, only the link is known afterwards. What a user enters is never an id: with it, they could change and
    delete what others have published with this account.

    Raises Invalid for a new copy by hand without its link, and for the link of another copy.
    """
    if delivery.state == "awaiting_hand":
        return hand_over.report_posted(delivery, url, now, tools, by=by)
    with transaction():
        delivery.require_move("resolve")
        if delivery.operation == "delete":
            delivery.mark_removed(now)
        else:
            if url is not None and delivery.is_taken(url, url):
                detail = "This is the link of another copy. Enter the link of this one, or none."
                raise Invalid(Fault("#/url", "taken", detail))
            delivery.record_delivered(Receipt(delivery.remote_id or delivery.id, delivery.url or url), "", now)
        delivery.record("delivery.succeeded", now, resolved="by hand")
        delivery.post.settle(now)
        return delivery


def resolve_again(delivery: Delivery, now: datetime) -> Delivery:
    """Resolve an uncertain delivery: a user has checked that it did not arrive. Sends it again."""
    with transaction():
        delivery.require_move("resolve")
        if delivery.state == "awaiting_hand":
            raise StateConflict("Nothing was sent: post the copy by hand, or dismiss it.", state=delivery.state)
        if delivery.operation == "create":
            CopySearch.begin(delivery, now)
        delivery.record_not_sent()
        delivery.retry_now(now)
        delivery.post.settle(now)
        return delivery


def withdraw(delivery: Delivery, now: datetime, *, delete: bool = False) -> Delivery:
    """Unpublish one copy. The post and its other copies stay.

    Where the platform has drafts, the copy becomes one, unless `delete` is set. Raises StateConflict for a draft that
    was kept before, unless `delete` is set.
    """
    with transaction():
        delivery.require_move("withdraw")
        if delivery.state == "withdrawn" and not delete:
            raise StateConflict("The copy is a draft already. Send `delete` to delete it.", state=delivery.state)
        if delivery.destination == SITE:
            delivery.post.leave_site(now)
            site_changed()
        else:
            if delivery.remote_id is not None or delivery.is_in_doubt or delivery.state != "blocked":
                _require_connection(delivery)
            delivery.want(None, now, delete=delete)
        delivery.post.settle(now)
        return delivery


def _require_connection(delivery: Delivery) -> Connection:
    """Return the delivery's connection. Raises Invalid if it was removed."""
    if delivery.connection is None:
        raise Invalid(Fault("#", "no_connection", "The connection was removed. Connect it again first."))
    return delivery.connection
