"""End or hand over what a removed person has made, so that nothing goes on acting in their name."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, func, select, update

from blogsvc.models import ApiKey, Connection, Invitation, ShareLink, db
from blogsvc.models.webhook import kept_by
from blogsvc.webhooks.manage import disable


def end_all_of(person_id: str, now: datetime, *, to: str | None) -> None:
    """Revoke a person's keys and share links, disable their webhooks, delete their open invitations: in a transaction.

    What their keys made ends too. Their connections belong to the person `to` from now on; None is for
    the command line.
    """
    makers = {person_id}
    while made := _keys_made_by(makers):
        for key in made:
            key.revoke(now)
        makers |= {key.id for key in made}
    for webhook in kept_by(*makers):
        if webhook.is_enabled:
            disable(webhook, "orphaned", now)
    db.session.execute(delete(Invitation).where(Invitation.created_by.in_(makers)))
    for link in db.session.scalars(select(ShareLink).where(ShareLink.created_by.in_(makers))):
        link.revoke(now)
    keeper = func.coalesce(Connection.adopted_by, Connection.created_by)
    db.session.execute(update(Connection).where(keeper.in_(makers)).values(adopted_by=to))


def _keys_made_by(makers: set[str]) -> list[ApiKey]:
    """Return the keys that these people and keys made, without those that are among them."""
    return list(db.session.scalars(select(ApiKey).where(ApiKey.created_by.in_(makers), ApiKey.id.not_in(makers))))
