"""What can act for this blog: API keys, webhooks, invitations, connections, share links and sessions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from urllib.parse import urlsplit

from sqlalchemy import func, select

from blogsvc.auth import api_keys, users
from blogsvc.connections import manage
from blogsvc.connections.disconnect import disconnect
from blogsvc.connections.summary import summaries
from blogsvc.errors import NotFound
from blogsvc.models import (
    ApiKey,
    Connection,
    Invitation,
    Session,
    ShareLink,
    User,
    Webhook,
    WebhookDelivery,
    db,
    transaction,
)
from blogsvc.models.creator import Creator
from blogsvc.posts import sharing
from blogsvc.webhooks import manage as webhooks

log = logging.getLogger(__name__)

Kind = Literal["key", "webhook", "invitation", "destination", "share", "session"]


@dataclass(frozen=True)
class Access:
    """One thing that can act for the blog. `creator` is None for the command line."""

    kind: Kind
    id: str
    name: str
    creator: Creator | None
    created_at: datetime
    last_used_at: datetime | None
    # The user or key that has taken it over.
    keeper: Creator | None = None
    # The scopes of a key that count now, the description of a webhook, the role of an invitation, the account of a
    # destination, the post of a share link, or the address of a session.
    detail: str = ""


def everything(now: datetime) -> list[Access]:
    """Return all that can act for the blog now, by kind, the newest first."""
    found = [*_keys(now), *_webhooks(), *_invitations(now), *_destinations(), *_share_links(now), *_sessions(now)]
    return sorted(found, key=lambda one: one.created_at, reverse=True)


def _keys(now: datetime) -> Iterator[Access]:
    for row in ApiKey.all():
        if row.is_valid(now):
            creator, scopes = Creator.of(row.created_by), ", ".join(row.present_scopes) or "no permissions any more"
            yield Access("key", row.id, row.name, creator, row.created_at, row.last_used_at, None, scopes)


def _webhooks() -> Iterator[Access]:
    latest = select(WebhookDelivery.webhook_id, func.max(WebhookDelivery.delivered_at))
    used = {row[0]: row[1] for row in db.session.execute(latest.group_by(WebhookDelivery.webhook_id))}
    for row in db.session.scalars(select(Webhook).where(Webhook.is_enabled)):
        host = urlsplit(row.url).hostname or row.url
        creator, keeper = Creator.of(row.created_by), Creator.of(row.adopted_by)
        yield Access("webhook", row.id, host, creator, row.created_at, used.get(row.id), keeper, row.description)


def _invitations(now: datetime) -> Iterator[Access]:
    for row in Invitation.open(now):
        yield Access("invitation", row.id, row.note, Creator.of(row.created_by), row.created_at, None, None, row.role)


def _destinations() -> Iterator[Access]:
    rows = Connection.all()
    used = summaries([row.id for row in rows])
    for row in rows:
        last, keeper = used[row.id].last, Creator.of(row.adopted_by)
        at = last.at if last else None
        yield Access(
            "destination", row.id, row.name, Creator.of(row.created_by), row.created_at, at, keeper, row.account
        )


def _share_links(now: datetime) -> Iterator[Access]:
    for row in ShareLink.open(now):
        creator, title = Creator.of(row.created_by), row.post.title or "Untitled"
        yield Access("share", row.id, row.name, creator, row.created_at, row.last_opened_at, None, title)


def _sessions(now: datetime) -> Iterator[Access]:
    for user in User.all():
        creator = Creator("user", user.id, user.name)
        for row in Session.all_of(user, now):
            yield Access("session", row.id, row.browser, creator, row.created_at, row.seen_at, None, row.address)


def end(kind: str, id: str, now: datetime) -> None:
    """Revoke a key, an invitation or a share link, disable a webhook, or disconnect a destination. Raises NotFound."""
    if kind not in _ENDS:
        raise NotFound(f"There is nothing of the kind {kind!r} here.")
    _ENDS[kind](id, now)
    log.info("%s was ended", id)


def _end_destination(id: str, now: datetime) -> None:
    connection = db.session.get(Connection, id)
    if connection is None:
        raise NotFound("This account was already disconnected.")
    disconnect(manage.connection_named(connection.name), now)


def end_session(id: str) -> None:
    """Sign a user out of one browser. Raises NotFound."""
    with transaction():
        session = db.session.get(Session, id)
        if session is None:
            raise NotFound("This session has already ended.")
        db.session.delete(session)


_ENDS: dict[str, Callable[[str, datetime], object]] = {
    "key": api_keys.revoke,
    "webhook": lambda id, now: webhooks.change(Webhook.get(id), {}, False, now),
    "invitation": lambda id, now: users.revoke_invitation(id),
    "destination": _end_destination,
    "share": lambda id, now: sharing.revoke(ShareLink.get(id), now),
}
