"""Ask for the password or a passkey again before a delicate action, then carry the action out as it was sent.

A form isn't lost: the page that asks carries its fields, encrypted, and is sent to the
same address. So the answer carries the action out, too, without JavaScript.
"""

from __future__ import annotations

import json
from typing import Any

from flask import Response, request, url_for
from werkzeug.datastructures import MultiDict
from wtforms import PasswordField, StringField

from blogsvc import context
from blogsvc.auth import reauthentication, second_factor
from blogsvc.auth.passkeys import RelyingParty
from blogsvc.errors import Invalid, StateConflict
from blogsvc.lib.crypto import WrongKey
from blogsvc.models import Passkey
from blogsvc.web.framework import current_user, sign_in_limits
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.next_page import page_before
from blogsvc.web.framework.rendering import go, show

# The field with the encrypted form. The page has a prefix, because the form may have a password, too.
HELD = "reauthentication-held"
CONFIRM = "Confirm that it's you, then try again."
OWN_FIELDS = ("csrf_token", HELD, "reauthentication-password", "reauthentication-code")


class ReauthenticationForm(Form):
    password = PasswordField("Password")
    code = StringField("Two-factor code")


def question() -> Response | None:
    """Return the response that asks, None if the user has proved their identity, maybe in this request."""
    if request.is_json:
        detail = {"detail": CONFIRM, "go": url_for("desk.confirm_identity", next=page_before())}
        return None if is_given() else Response(json.dumps(detail), 401, mimetype="application/json")
    if "HX-Request" in request.headers and not is_given():
        return go("desk.confirm_identity", next=page_before())
    if request.method != "POST":
        return None if is_given() else go("desk.confirm_identity", next=request.full_path.rstrip("?"))
    held = request.form.get(HELD)
    if held is None and not is_given():
        return page(_sealed_form())
    if held is not None:
        if (refused := taken(held)) is not None:
            return refused
        _restore_form(held)
    return None


def is_given() -> bool:
    """Return True after a recent one, with two factors if the user has codes or the blog requires it."""
    session = current_user.here()
    if session.user.asks_for_code and not session.is_two_factor:
        return False
    return session.is_reauthenticated(context.now()) and not lacks_second_factor(can_set_up=True)


def lacks_second_factor(*, can_set_up: bool = False) -> bool:
    """Return True if the blog requires a second factor, and the user has not used one in this session.

    With `can_set_up`, only if the user has one to use.
    """
    session = current_user.here()
    if session.is_two_factor or not second_factor.is_required():
        return False
    return not can_set_up or second_factor.is_set_up(session.user)


def taken(held: str | None = None) -> Response | None:
    """Take the password or code from the form. Return the page with the errors if it is wrong or missing, else None."""
    if is_given():
        return None
    form, session, tools = ReauthenticationForm(prefix="reauthentication-"), current_user.here(), context.tools()
    user, now = session.user, context.now()
    try:
        with sign_in_limits.password_attempt(user.email):
            if user.asks_for_code:
                reauthentication.require_password(user, form.password.data or "")
            else:
                reauthentication.by_password(session, form.password.data or "", now)
        if user.asks_for_code:
            with sign_in_limits.code_attempt(user):
                reauthentication.by_code(session, form.code.data or "", tools.vault, now)
    except Invalid as error:
        take_faults(form, error)
    return None if is_given() else page(held, form, 422)


def page(held: str | None = None, form: ReauthenticationForm | None = None, status: int = 401) -> Response:
    """Show the page that asks. With `held`, it is sent to this address, else to `confirm_identity`."""
    user, site = current_user.user(), RelyingParty.of(context.tools().config)
    has_passkeys = site is not None and bool(Passkey.all_of(user))
    return show(
        "desk/confirm.html",
        status=status,
        form=form or ReauthenticationForm(formdata=None, prefix="reauthentication-"),
        held=held,
        user=user,
        site=site if has_passkeys else None,
        # A password alone is not enough where a second factor is required.
        only_passkeys=not user.asks_for_code and lacks_second_factor(can_set_up=True),
    )


def _sealed_form() -> str:
    """Return the fields of the form, encrypted, because they may contain passwords."""
    fields = [(name, text) for name, text in request.form.items(multi=True) if name not in OWN_FIELDS]
    kept = [current_user.user().id, request.full_path, fields]
    return context.tools().vault.seal(json.dumps(kept)).decode()


def _restore_form(held: str) -> None:
    """Replace the request's form by the one that was sent first. Raises StateConflict if it is not for this action."""
    try:
        user_id, path, fields = json.loads(context.tools().vault.unseal(held.encode()))
    except (WrongKey, ValueError):
        user_id = path = fields = None
    if (user_id, path) != (current_user.user().id, request.full_path):
        raise StateConflict("This form is no longer valid. Open the page again.", state="expired")
    form: Any = MultiDict([(name, text) for name, text in fields])
    request.form = form
