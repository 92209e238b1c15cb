"""End or hand over what a user has made who is removed or gets a lower role, so that it doesn't act for them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, func, select, update

from blogsvc.models import ApiKey, Connection, Invitation, ShareLink, User, db
from blogsvc.webhooks.manage import end_orphans


def end_all_of(user: User, now: datetime, *, to: str | None) -> None:
    """Revoke the keys and share links of a user who is removed, and end what only owners have: in a transaction.

    What their keys made ends too.
    """
    for key in _keys_behind(user):
        key.revoke(now)
    for link in _links_made_by(user):
        link.revoke(now)
    _end_as_owner(user, to)


def end_beyond_role(user: User, now: datetime, *, to: str | None) -> None:
    """End what a user's new role doesn't allow: in a transaction.

    Their share links to posts that they may not edit are revoked. Unless they are an owner, what only owners have ends.
    Their keys do no more than the role allows without this (`ApiKey.present_scopes`).
    """
    for link in _links_made_by(user):
        if not user.can_see(link.post):
            link.revoke(now)
    if not user.is_at_least("owner"):
        _end_as_owner(user, to)
        end_orphans(now)


def _end_as_owner(user: User, to: str | None) -> None:
    """Delete a user's open invitations, and hand their connections, and those of their keys, over to the user `to`.

    None is for the command line. Their webhooks are orphans from now on (`webhooks.manage.is_orphan`).
    """
    db.session.execute(delete(Invitation).where(Invitation.created_by == user.id))
    creators = {user.id, *(key.id for key in _keys_behind(user))}
    keeper = func.coalesce(Connection.adopted_by, Connection.created_by)
    db.session.execute(update(Connection).where(keeper.in_(creators)).values(adopted_by=to))


def _links_made_by(user: User) -> Iterable[ShareLink]:
    return db.session.scalars(select(ShareLink).where(ShareLink.created_by == user.id))


def _keys_behind(user: User) -> list[ApiKey]:
    """Return the keys that a user made, and those that these keys made, and so on."""
    found: list[ApiKey] = []
    creators = [user.id]
    while creators:
        made = list(db.session.scalars(select(ApiKey).where(ApiKey.created_by.in_(creators))))
        found += made
        creators = [key.id for key in made]
    return found
