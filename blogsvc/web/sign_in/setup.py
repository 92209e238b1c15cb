"""First sign-in: the owner by the setup link, everyone else by invitation."""

from __future__ import annotations

from typing import Any

from flask import Response
from wtforms import EmailField, PasswordField, SelectField, StringField
from wtforms.validators import InputRequired

from blogsvc import context
from blogsvc.auth import accounts, users
from blogsvc.auth import setup as first_run
from blogsvc.errors import Invalid
from blogsvc.models import Invitation, User, setting
from blogsvc.models.user import require_valid_fields
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, show
from blogsvc.web.framework.routes import route
from blogsvc.web.framework.time_zones import zones
from blogsvc.web.sign_in.sign_in import whence


class TitleForm(Form):
    title = StringField("Blog title", [InputRequired("Enter a title for your blog.")])


class InvitedForm(Form):
    name = StringField("Your name", [InputRequired("Enter your name. Readers may see it.")])
    email = EmailField("E-mail", [InputRequired("Enter your e-mail address.")])
    password = PasswordField("Password", [InputRequired("Enter a password.")])
    # Not validated here: a browser may report another spelling of a zone than the list has.
    time_zone = SelectField("Time zone", choices=zones, default="UTC", validate_choice=False)


class OwnerForm(InvitedForm, TitleForm):
    """In the order of the page, in which fields are declared."""


@route("GET", "/setup", role=None)
def setup_is_elsewhere() -> Response:
    return go("desk.login") if User.count() else show("desk/setup_required.html")


@route("GET POST", "/setup/<token>", role=None)
def setup(token: str) -> Response:
    vault = context.tools().vault
    first_run.require_setup_link(token, vault)
    form = OwnerForm()
    if not form.is_submitted():
        there = setting.blog()["title"]
        form.title.data = "" if there == setting.DEFAULTS["blog_title"] else there
        return _ask("desk/setup.html", form)
    asked = ("name", "email", "password", "title", "time_zone")
    said = first_run.SetupForm(**{name: form[name].data or "" for name in asked})
    is_complete = form.validate()
    try:
        said.require_valid()
        if not is_complete:
            return _ask("desk/setup.html", form)
        owner, _ = first_run.set_up(token, said, vault, context.now())
    except Invalid as error:
        take_faults(form, error)
        return _ask("desk/setup.html", form)
    _let_in(owner)
    return go("desk.welcome")


@route("GET", "/desk/welcome", role="owner")
def welcome() -> Response:
    return show("desk/welcome.html", blog_url=context.tools().config.public_url)


@route("GET POST", "/login/invite/<token>", role=None)
def invited(token: str) -> Response:
    invitation, form = Invitation.of(token, context.now()), InvitedForm()
    if not form.is_submitted():
        return _ask("desk/join.html", form, role=invitation.role)
    said = {name: form[name].data or "" for name in ("email", "name", "password", "time_zone")}
    is_complete = form.validate()
    try:
        require_valid_fields(**said)
        if not is_complete:
            return _ask("desk/join.html", form, role=invitation.role)
        user = users.accept(token, **said, now=context.now())
    except Invalid as error:
        take_faults(form, error)
        return _ask("desk/join.html", form, role=invitation.role)
    _let_in(user)
    return go("desk.home")


def _let_in(user: User) -> None:
    current_user.begin(*accounts.begin_session(user, *whence(), context.now()))


def _ask(page: str, form: Form, **words: Any) -> Response:
    return show(page, status=422 if form.is_submitted() else 200, form=form, **words)
