"""Sign in with a password and, if enabled, a two-factor code; sign out."""

from __future__ import annotations

from typing import Any

from flask import Response, redirect, request, url_for
from wtforms import EmailField, PasswordField, StringField
from wtforms.validators import InputRequired

from blogsvc import context
from blogsvc.auth import accounts, totp
from blogsvc.auth.passkeys import RelyingParty
from blogsvc.errors import Invalid
from blogsvc.http import lanes
from blogsvc.models import Passkey, User
from blogsvc.web.framework import current_user, sign_in_limits
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.next_page import wanted_next
from blogsvc.web.framework.rendering import go, show
from blogsvc.web.framework.routes import route


class SignInForm(Form):
    email = EmailField("E-mail", [InputRequired("Enter your e-mail address.")])
    password = PasswordField("Password", [InputRequired("Enter your password.")])


class CodeForm(Form):
    code = StringField("Code", [InputRequired("Enter the code.")])


@route("GET POST", "/login", role=None)
def login() -> Response:
    if not User.count():
        return go("desk.setup_is_elsewhere")
    if request.method == "GET" and current_user.session() is not None:
        return _onwards()
    form = SignInForm()
    if not form.validate_on_submit():
        return _ask(form)
    lanes.enter("sign-in")
    try:
        with sign_in_limits.password_attempt(form.email.data):
            session, token = accounts.sign_in(form.email.data, form.password.data, *whence(), context.now())
    except Invalid as error:
        take_faults(form, error)
        return _ask(form)
    current_user.begin(session, token)
    return go("desk.login_code", next=wanted_next()) if session.awaits_code else _onwards()


@route("GET POST", "/login/code", role=None)
def login_code() -> Response:
    half = current_user.half()
    if half is None:
        return go("desk.login", next=wanted_next())
    form = CodeForm()
    if not form.validate_on_submit():
        return show("desk/login_code.html", status=_status(form), form=form)
    try:
        with sign_in_limits.code_attempt(half.user):
            session, token = totp.sign_in(half, form.code.data, context.tools().vault, context.now())
    except Invalid as error:
        take_faults(form, error)
        return show("desk/login_code.html", status=422, form=form)
    current_user.begin(session, token)
    return _onwards()


@route("POST", "/logout", role=None)
def logout() -> Response:
    current_user.end()
    return go("desk.login")


def whence() -> tuple[str, str]:
    """Return the user agent and the IP address of the request."""
    return request.user_agent.string, request.remote_addr or ""


def _onwards() -> Response:
    return redirect(wanted_next() or url_for("desk.home"), 303)  # type: ignore[return-value]


def _ask(form: SignInForm) -> Response:
    site = RelyingParty.of(context.tools().config)
    has_passkeys = site is not None and Passkey.is_anywhere()
    return show("desk/login.html", status=_status(form), form=form, site=site, has_passkeys=has_passkeys)


def _status(form: Any) -> int:
    return 422 if form.is_submitted() else 200
