"""Deliveries by hand: what a person has to do on the platform, and what they report afterwards."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from blogsvc.connections.load import connector_of
from blogsvc.connections.verify import release_database
from blogsvc.connectors.base import Connector, ConnectorError, HandOver, Operation, Payload, Receipt, web_url
from blogsvc.context import Tools
from blogsvc.delivery.article import article, chosen
from blogsvc.delivery.compose import compose
from blogsvc.errors import Fault, Invalid, NotFound, StateConflict, TextRefused
from blogsvc.lib.net.http import HttpError, RequestNotSent, Timeout
from blogsvc.lib.text.diff import DiffLine
from blogsvc.lib.workers.text_jobs import changes
from blogsvc.models import Delivery, Revision, db, record, transaction
from blogsvc.models.setting import site_changed

if TYPE_CHECKING:
    from blogsvc.connectors.by_hand import ByHand  # only where it is used: it needs the libraries for texts

# A link is checked while a person waits. In seconds.
LINK_TIMEOUT = Timeout(connect=4, read=4, total=6)
# The states in which a person may have the page open, and report what they did.
OPEN_FOR_PERSON = ("awaiting_hand", "queued", "sending", "retrying")


@dataclass(frozen=True)
class Task:
    """What a person has to do for one delivery. `hand_over` is None if the copy is to be deleted.

    `revision` is the wanted one: the person reports that this one is posted. `changes` are the changed paragraphs
    since the copy was posted, of an update.
    """

    delivery: Delivery
    connector: ByHand
    revision: Revision | None
    payload: Payload | None = None
    hand_over: HandOver | None = None
    changes: tuple[DiffLine, ...] = ()


def task_of(delivery: Delivery, tools: Tools) -> Task:
    """Return what a person has to do.

    Raises NotFound if the platform is not one by hand, ConnectorError or TextRefused for a text that it can't have.
    """
    connector = connector_by_hand(delivery, tools)
    revision = _revision(delivery.revision_id)
    if revision is None:
        return Task(delivery, connector, None)
    payload = _composed(delivery, revision, connector, tools)
    if delivery.remote_id is None:
        return Task(delivery, connector, revision, payload, connector.hand_over(payload))
    before = _revision(delivery.copy_revision_id)
    changed = _changed(_composed(delivery, before, connector, tools), payload) if before else ()
    return Task(delivery, connector, revision, payload, connector.hand_over(payload), changed)


def connector_by_hand(delivery: Delivery, tools: Tools) -> ByHand:
    """Return the connector of a delivery by hand. Raises NotFound if it is not one, or its destination was removed."""
    from blogsvc.connectors.by_hand import ByHand

    connector: Connector = connector_of(delivery.connection, tools)
    if not isinstance(connector, ByHand):
        raise NotFound(f"Delivery {delivery.id!r} is not one by hand.")
    return connector


def _revision(revision_id: str | None) -> Revision | None:
    return db.session.get(Revision, revision_id) if revision_id is not None else None


def _composed(delivery: Delivery, revision: Revision, connector: ByHand, tools: Tools) -> Payload:
    options = chosen(revision, delivery.destination, connector)
    return compose(connector, article(delivery.post, revision, delivery.destination, tools.config.public_url), options)


def compared_text(payload: Payload) -> str:
    """Return the text of a payload with a paragraph in each line, the title first, in which changes are found."""
    body = payload.body
    return "\n\n".join(part for part in (body.get("title"), body.get("markdown") or body.get("text")) if part)


def _changed(old: Payload, new: Payload) -> tuple[DiffLine, ...]:
    lines = (line for hunk in changes(compared_text(old), compared_text(new)) for line in hunk.lines)
    return tuple(line for line in lines if line.kind != "same" and any(run.text.strip() for run in line.runs))


def report_posted(
    delivery: Delivery,
    url: str | None,
    now: datetime,
    tools: Tools,
    *,
    revision_id: str | None = None,
    by: str = "",
    did: Operation | None = None,
) -> Delivery:
    """Record that a person has posted or updated the copy, or deleted it if that was to be done.

    If the post has changed since they copied the text, the copy has to be updated by hand again. The link can be
    changed later in the same way, without a revision.

    Args:
        url: the link of the copy. It is required for a new one.
        revision_id: the revision that the person copied; by default the wanted one.
        by: the name of the person.
        did: what they were asked to do. Raises StateConflict if that is no longer what the post needs.
    """
    with transaction():
        connector, before = connector_by_hand(delivery, tools), delivery.url
        is_link_change = delivery.state == "delivered" and url is not None
        if is_link_change and revision_id is not None and url != before:
            raise StateConflict("Another link was already entered.", state=delivery.state)
        if not is_link_change and delivery.state not in OPEN_FOR_PERSON:
            delivery.require_move("resolve")
        if not is_link_change and did is not None and did != delivery.needed_operation:
            raise StateConflict("The post has changed since it was handed over.", state=delivery.state)
        if delivery.revision_id is None:
            delivery.mark_removed(now)
            delivery.record("delivery.withdrawn", now, isDraft=False)
        else:
            link = require_link(url or delivery.url, connector)
            revision = _revision(revision_id) or db.session.get_one(Revision, delivery.revision_id)
            if revision.post_id != delivery.post_id:
                raise Invalid(Fault("#/revision", "unknown", "This is a revision of another post. Reload the page."))
            _land(delivery, link, revision, connector, now, tools, by)
        if delivery.url != before and delivery.post.site_revision_id is not None:
            site_changed()  # the page on this blog lists its copies
        delivery.post.settle(now)
        return delivery


def _land(
    delivery: Delivery, link: str, revision: Revision, connector: ByHand, now: datetime, tools: Tools, by: str
) -> None:
    if delivery.state == "delivered":
        delivery.url = link
        delivery.record("delivery.succeeded", now, url=link)
        return
    copy_hash = ""
    with suppress(ConnectorError, TextRefused):  # the platform can't have this text, but the person has posted it
        copy_hash = _composed(delivery, revision, connector, tools).hash
    delivery.armed_revision_id = revision.id
    delivery.record_delivered(
        Receipt(delivery.remote_id or delivery.id, link, extra={"by": by} if by else {}), copy_hash, now
    )
    delivery.record("delivery.succeeded", now, url=link, resolved="by hand", **({"by": by} if by else {}))


def require_link(url: str | None, connector: ByHand) -> str:
    """Return the link of a copy. Raises Invalid if it is missing, or pages may not link to it."""
    if not url:
        detail = f"Enter the link of the {connector.noun} on {connector.label}."
        raise Invalid(Fault("#/url", "required", detail))
    if web_url(url) is None:
        raise Invalid(Fault("#/url", "not_a_url", "Enter a link that starts with https://"))
    return url


LinkCheck = Literal["works", "elsewhere", "broken", "unknown"]


def check_link(delivery: Delivery, url: str, tools: Tools) -> LinkCheck:
    """Open a link once. elsewhere: it is on another site. broken: there is no such page. unknown: it did not say so.

    Many platforms answer servers with an error, so only 404, 410 and an unknown host count as broken.
    """
    connector = connector_by_hand(delivery, tools)
    if not connector.is_link_here(url):
        return "elsewhere"
    release_database()
    try:
        status = tools.http.anywhere.request("GET", url, timeout=LINK_TIMEOUT, redirects=5).status
    except RequestNotSent:
        return "broken"
    except HttpError:
        return "unknown"
    if status in (404, 410):
        return "broken"
    return "works" if 200 <= status < 300 else "unknown"


def remind_later(delivery: Delivery, at: datetime, now: datetime) -> Delivery:
    """Ask the person again at this time. Raises StateConflict if there is nothing to do now."""
    with transaction():
        if delivery.state != "awaiting_hand":
            raise StateConflict("There is nothing to do by hand for this copy now.", state=delivery.state)
        delivery.remind(at, now)
        return delivery


def decline(delivery: Delivery, now: datetime) -> Delivery:
    """Leave the platform as it is: post nothing, keep the copy without the changes, or keep it although it should go.

    A destination without a copy is removed from the post.
    """
    with transaction():
        _require_awaiting(delivery)
        delivery.cancel(now)
        post = delivery.post
        others = [name for name in post.platforms if name != delivery.destination]
        if delivery.state == "withdrawn" and others:
            post.rewrite({}, others, now)
            record("post.updated", now, post_id=post.id, fields=["platforms"])
        post.settle(now)
        return delivery


def undo_decline(delivery: Delivery, now: datetime) -> Delivery:
    """Take `decline` back: the destination is one of the post again, and its copy has to be posted."""
    with transaction():
        post = delivery.post
        if delivery.state != "withdrawn" or delivery.remote_id is not None or not post.is_live:
            raise StateConflict("This can't be undone any more. Publish the post again.", state=delivery.state)
        post.add_platforms([delivery.destination])
        delivery.want(post.live_revision_id, now)
        post.settle(now)
        return delivery


def _require_awaiting(delivery: Delivery) -> None:
    if delivery.state not in OPEN_FOR_PERSON or delivery.state == "sending":
        raise StateConflict("There is nothing to do by hand for this copy any more.", state=delivery.state)


def same_time_tomorrow(due_at: datetime, now: datetime) -> datetime:
    """Return the next day's instant with the time of day of `due_at`; both in the time zone of the person."""
    local = now.replace(hour=due_at.hour, minute=due_at.minute, second=0, microsecond=0)
    return local + timedelta(days=1)
