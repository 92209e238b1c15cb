"""The users page, for owners: roles, invitations and removal."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from wtforms import SelectField, StringField

from blogsvc import context
from blogsvc.auth import second_factor, users
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.models import Invitation, Passkey, User
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route

MAY = {
    "author": "Author: write and publish their own posts",
    "editor": "Editor: also edit all posts and the calendar",
    "owner": "Owner: also change all settings",
}


class InviteForm(Form):
    role = SelectField("Role", choices=MAY)
    note = StringField("Name")


class RoleForm(Form):
    role = SelectField("Role", choices=MAY)


@route("GET", "/desk/settings/users", role="owner")
def everybody() -> Response:
    return _show(InviteForm())


@route("POST", "/desk/settings/users/invitations", role="owner", effect=Effect.LET_IN)
def invite() -> Response:
    form = InviteForm()
    if not form.validate():
        return _show(form, 422)
    try:
        invitation, token = users.invite(form.role.data, form.note.data or "", context.now(), current_user.user().id)
    except Invalid as error:
        take_faults(form, error)
        return _show(form, 422)
    return _show(
        InviteForm(formdata=None), link=f"{context.tools().config.public_url}/login/invite/{token}", made=invitation
    )


@route("POST", "/desk/settings/users/invitations/<invitation_id>/take-back", role="owner", effect=Effect.END_ACCESS)
def take_back_invitation(invitation_id: str) -> Response:
    users.revoke_invitation(invitation_id)
    notice("Invitation revoked.")
    return go("desk.everybody")


@route("POST", "/desk/settings/users/<user_id>/role", role="owner", effect=Effect.LET_IN)
def change_role(user_id: str) -> Response:
    user = users.change_role(user_id, RoleForm().role.data, context.now(), current_user.user().id)
    notice(f"The role of {user.name} is now {user.role}.")
    return go("desk.everybody" if current_user.user().is_at_least("owner") else "desk.profile")


@route("POST", "/desk/settings/users/<user_id>/remove", role="owner", effect=Effect.KEEP_OUT)
def remove_user(user_id: str) -> Response:
    was_me = user_id == current_user.user().id
    user = users.remove(user_id, context.now(), current_user.user().id)
    if was_me:
        current_user.forget()
        return go("desk.login")
    notice(f"{user.name} is removed. Their posts are kept.")
    return go("desk.everybody")


@route("POST", "/desk/settings/users/<user_id>/sign-out", role="owner", effect=Effect.KEEP_OUT)
def sign_out_user(user_id: str) -> Response:
    user, ended = users.sign_out(user_id)
    if user.id == current_user.user().id:
        current_user.forget()
        return go("desk.login")
    notice(f"{user.name} is signed out of {ended} browser{'' if ended == 1 else 's'}.")
    return go("desk.everybody")


@route("POST", "/desk/settings/users/second-factor", role="owner", effect=Effect.LET_IN)
def require_second_factor() -> Response:
    is_on = request.form.get("to") == "on"
    second_factor.require(is_on)
    notice("A second factor is required." if is_on else "A second factor is no longer required.")
    return go("desk.everybody")


def _show(form: Form, status: int = 200, **values: Any) -> Response:
    return show(
        "desk/settings/users.html",
        status=status,
        form=form,
        users=User.all(),
        owners=User.count("owner"),
        invitations=Invitation.open(context.now()),
        may=MAY,
        is_required=second_factor.is_required(),
        holders=Passkey.holders(),
        **values,
    )
