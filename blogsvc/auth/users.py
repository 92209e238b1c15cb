"""Users: invitations, roles and removal. You can't remove the last owner."""

from __future__ import annotations

import logging
from datetime import datetime

from sqlalchemy import update

from blogsvc.auth.offboarding import end_all_of, end_beyond_role
from blogsvc.errors import Fault, Invalid, NotFound, StateConflict
from blogsvc.lib import passwords
from blogsvc.lib.text.plain import is_one_line
from blogsvc.models import ImportJob, Invitation, Post, Session, User, db, transaction
from blogsvc.models.user import MAX_NAME_LENGTH, ROLES, Role, require_valid_fields
from blogsvc.webhooks.manage import end_orphans

log = logging.getLogger(__name__)

LAST_OWNER = "You can't remove or demote the last owner. Make someone else an owner first."


def invite(role: Role, note: str, now: datetime, created_by: str | None = None) -> tuple[Invitation, str]:
    """Create an invitation, valid for seven days. Return it and its token, shown only once. Raises Invalid.

    `created_by` is the id of the user who invites.
    """
    _require_role(role)
    note = note.strip()
    if len(note) > MAX_NAME_LENGTH or not is_one_line(note):
        raise Invalid(Fault("#/note", "invalid", f"Must be a single line of at most {MAX_NAME_LENGTH} characters."))
    with transaction():
        Invitation.sweep(now)
        return Invitation.make(role, note, now, created_by)


def revoke_invitation(invitation_id: str) -> None:
    """Revoke an invitation. Raises NotFound if it was used or revoked."""
    with transaction():
        invitation = db.session.get(Invitation, invitation_id)
        if invitation is None:
            raise NotFound("This invitation has already been used or revoked.")
        db.session.delete(invitation)


def accept(token: str, email: str, name: str, password: str, time_zone: str, now: datetime) -> User:
    """Add a user with an invitation, which can be used once.

    Raises NotFound if the invitation is no longer valid, Invalid for an invalid field; the invitation then stays valid.
    """
    Invitation.of(token, now)
    require_valid_fields(email=email, name=name, time_zone=time_zone, password=password)
    password_hash = passwords.hashed(password)  # outside the transaction: hashing is slow on purpose
    with transaction():
        invitation = Invitation.of(token, now)
        if User.by_email(email) is not None:
            raise Invalid(Fault("#/email", "taken", "This e-mail address is already in use."))
        user = User.of(email.strip(), name.strip(), invitation.role, password_hash, time_zone.strip(), now)
        db.session.delete(invitation)
        log.info("%s joined as %s", user.id, user.role)
        return user


def change_role(user_id: str, role: Role, now: datetime, by: str | None = None) -> User:
    """Change a user's role. What they made that the new role doesn't allow ends, or belongs to `by` from then on.

    Raises NotFound, Invalid for an unknown role, StateConflict for the last owner.
    """
    _require_role(role)
    with transaction():
        user = User.get(user_id)
        if role != "owner":
            _require_another_owner(user)
        user.role = role
        end_beyond_role(user, now, to=by if by != user.id else None)
        log.info("%s is %s from now on", user.id, role)
        return user


def remove(user_id: str, now: datetime, by: str | None = None) -> User:
    """Remove a user and end their sessions, keys, webhooks and open invitations. Their posts stay, and those
    that their imports create, without an author.

    Their connections belong to `by`, the user who removes them, from then on.
    Raises NotFound, and StateConflict for the last owner.
    """
    with transaction():
        user = User.get(user_id)
        _require_another_owner(user)
        Session.end_all_of(user.id)
        end_all_of(user, now, to=by if by != user.id else None)
        db.session.execute(update(Post).where(Post.author_id == user.id).values(author_id=None))
        db.session.execute(update(ImportJob).where(ImportJob.user_id == user.id).values(user_id=None))
        db.session.delete(user)
        db.session.flush()
        end_orphans(now)
        log.info("%s is removed", user.id)
        return user


def sign_out(user_id: str) -> tuple[User, int]:
    """End all sessions of a user. Return the user and how many sessions were ended. Raises NotFound."""
    with transaction():
        user = User.get(user_id)
        return user, Session.end_all_of(user.id)


def _require_role(role: str) -> None:
    if role not in ROLES:
        raise Invalid(Fault("#/role", "not_one_of", f"The role must be one of: {', '.join(ROLES)}."))


def _require_another_owner(user: User) -> None:
    if user.role == "owner" and User.count("owner") == 1:
        raise StateConflict(LAST_OWNER, state="last owner")
