"""End or hand over what a user has made who is removed or gets a lower role, so that it doesn't act for them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, func, select, update

from blogsvc.models import ApiKey, Connection, Invitation, ShareLink, User, db
from blogsvc.models.webhook import kept_by
from blogsvc.webhooks.manage import disable


def end_all_of(user_id: str, now: datetime, *, to: str | None) -> None:
    """Revoke a user's keys and share links, disable their webhooks, delete their open invitations: in a transaction.

    What their keys made ends too. Their connections belong to the user `to` from now on; None is for
    the command line.
    """
    makers = {user_id}
    while made := _keys_made_by(makers):
        for key in made:
            key.revoke(now)
        makers |= {key.id for key in made}
    for webhook in kept_by(*makers):
        if webhook.is_enabled:
            disable(webhook, "orphaned", now)
    _delete_invitations(makers)
    for link in _links_made_by(makers):
        link.revoke(now)
    keeper = func.coalesce(Connection.adopted_by, Connection.created_by)
    db.session.execute(update(Connection).where(keeper.in_(makers)).values(adopted_by=to))


def end_links_beyond_role(user: User, now: datetime) -> None:
    """Revoke a user's share links to posts that they may not edit, and their invitations unless they are an owner.

    Call it in a transaction.
    """
    for link in _links_made_by({user.id}):
        if not user.may_see(link.post):
            link.revoke(now)
    if not user.is_at_least("owner"):
        _delete_invitations({user.id})


def _links_made_by(makers: set[str]) -> Iterable[ShareLink]:
    return db.session.scalars(select(ShareLink).where(ShareLink.created_by.in_(makers)))


def _delete_invitations(makers: set[str]) -> None:
    db.session.execute(delete(Invitation).where(Invitation.created_by.in_(makers)))


def _keys_made_by(makers: set[str]) -> list[ApiKey]:
    """Return the keys that these users and keys made, without those that are among them."""
    return list(db.session.scalars(select(ApiKey).where(ApiKey.created_by.in_(makers), ApiKey.id.not_in(makers))))
