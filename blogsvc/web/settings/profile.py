"""The profile: name, e-mail address, password, two-factor codes, passkeys, notices and sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response
from wtforms import BooleanField, EmailField, PasswordField, SelectField, StringField
from wtforms.validators import InputRequired

from blogsvc import context
from blogsvc.auth import accounts
from blogsvc.auth.passkeys import RelyingParty
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.lib.net.smtp import MailError
from blogsvc.models import Author, Passkey, RecoveryCode, Session
from blogsvc.notices.send import send_test
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route
from blogsvc.web.framework.time_zones import zones


class ProfileForm(Form):
    name = StringField("Name", [InputRequired("Enter your name. Readers may see it.")])
    time_zone = SelectField("Time zone", choices=zones, validate_choice=False)
    scheme = SelectField("Colors", choices={"": "Same as the system", "light": "Light", "dark": "Dark"})
    shortcuts = BooleanField("Single-key shortcuts")


class NoticesForm(Form):
    notices = BooleanField("E-mail me when something needs me")


class EmailForm(Form):
    email = EmailField("New e-mail address", [InputRequired("Enter the new e-mail address.")])


class PasswordForm(Form):
    password = PasswordField("New password", [InputRequired("Enter the new password.")])


@route("GET", "/desk/settings/profile", role="author")
def profile() -> Response:
    return show_profile()


@route("POST", "/desk/settings/profile", role="author", effect=Effect.ARRANGE)
def change_profile() -> Response:
    form = ProfileForm()

    def change() -> str:
        chosen = {"shortcuts": form.shortcuts.data, "scheme": form.scheme.data}
        accounts.change_profile(current_user.user(), form.name.data, form.time_zone.data, chosen)
        return "Profile saved."

    return _carry_out(form, "you", change)


@route("POST", "/desk/settings/profile/notices", role="author", effect=Effect.ARRANGE)
def change_notices() -> Response:
    is_wanted = bool(NoticesForm().notices.data)
    accounts.change_preferences(current_user.user(), {"notices": is_wanted})
    notice("You get an e-mail when something needs you." if is_wanted else "You no longer get these e-mails.")
    return go("desk.profile")


@route("POST", "/desk/settings/profile/notices/test", role="owner", effect=Effect.ARRANGE)
def send_test_email() -> Response:
    """Send an e-mail to the owner's own address, and show what the mail server answered."""
    user = current_user.user()
    try:
        send_test(user.email, context.tools())
        notice(f"The mail server accepted a test e-mail to {user.email}.")
    except MailError as error:
        notice(f"The test e-mail was not sent. {error}", "trouble")
    return go("desk.profile")


@route("POST", "/desk/settings/profile/email", role="author", effect=Effect.CHANGE_SIGN_IN)
def change_email() -> Response:
    form = EmailForm()

    def change() -> str:
        accounts.change_email(current_user.user(), form.email.data)
        return "E-mail address changed. Use the new address to sign in."

    return _carry_out(form, "email", change)


@route("POST", "/desk/settings/profile/password", role="author", effect=Effect.CHANGE_SIGN_IN)
def change_password() -> Response:
    form = PasswordForm()

    def change() -> str:
        ended = accounts.change_password(current_user.here(), form.password.data, context.now())
        return f"Password changed.{_said_ended(ended)}"

    return _carry_out(form, "password", change)


@route("POST", "/desk/settings/profile/sessions/end", role="author", effect=Effect.KEEP_OUT)
def end_other_sessions() -> Response:
    notice(f"You are signed out everywhere else.{_said_ended(accounts.sign_out_elsewhere(current_user.here()))}")
    return go("desk.profile", _anchor="sessions")


@route("POST", "/desk/settings/profile/sessions/<session_id>/end", role="author", effect=Effect.KEEP_OUT)
def end_session(session_id: str) -> Response:
    if session_id == current_user.here().id:
        current_user.end()
        return go("desk.login")
    accounts.end_session(current_user.user(), session_id)
    notice("The browser is signed out.")
    return go("desk.profile", _anchor="sessions")


def show_profile(status: int = 200, **forms: Form) -> Response:
    """Show the profile. Forms passed in replace the empty ones, to show their errors."""
    session, now = current_user.here(), context.now()
    user = session.user
    you = ProfileForm(formdata=None, obj=user, shortcuts=user.prefers("shortcuts"), scheme=user.prefers("scheme"))
    usual = {
        "you": you,
        "email": EmailForm(formdata=None),
        "notices": NoticesForm(formdata=None, notices=user.prefers("notices")),
        "password": PasswordForm(formdata=None),
    }
    return show(
        "desk/settings/profile.html",
        status=status,
        forms={**usual, **forms},
        session=session,
        sessions=Session.all_of(user, now),
        passkeys=Passkey.all_of(user),
        site=RelyingParty.of(context.tools().config),
        can_mail=context.tools().mailer.is_set_up,
        own_author=Author.of_user(user.id),
        codes_left=RecoveryCode.left(user),
    )


def _carry_out(form: Form, name: str, change: Callable[[], str]) -> Response:
    """Validate the form and make the change, or show the form again with its errors."""
    faulty: dict[str, Any] = {name: form}
    if not form.validate():
        return show_profile(422, **faulty)
    try:
        notice(change())
    except Invalid as error:
        take_faults(form, error)
        return show_profile(422, **faulty)
    return go("desk.profile", _anchor="you" if name == "you" else "signing-in")


def _said_ended(count: int) -> str:
    return f" {count} other browser{' is' if count == 1 else 's are'} signed out." if count else ""
