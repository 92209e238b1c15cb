"""Two-factor codes in the profile: the QR code, the first code and the recovery codes."""

from __future__ import annotations

from flask import Response
from markupsafe import Markup
from wtforms import StringField
from wtforms.validators import InputRequired

from blogsvc import context
from blogsvc.auth import totp
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.web.framework import current_user, sign_in_limits
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route


class FirstCodeForm(Form):
    code = StringField("6-digit code", [InputRequired("Enter the 6-digit code.")])


@route("GET", "/desk/settings/profile/codes", role="author", effect=Effect.CHANGE_SIGN_IN, second_factor="sets up")
def code_setup() -> Response:
    enrollment = totp.enrollment(current_user.user(), context.tools().vault)
    return _qr_code_page(enrollment, FirstCodeForm()) if enrollment else go("desk.profile", _anchor="codes")


@route("POST", "/desk/settings/profile/codes", role="author", effect=Effect.CHANGE_SIGN_IN, second_factor="sets up")
def begin_codes() -> Response:
    totp.begin(current_user.user(), context.tools().vault)
    return go("desk.code_setup")


@route(
    "POST", "/desk/settings/profile/codes/first", role="author", effect=Effect.CHANGE_SIGN_IN, second_factor="sets up"
)
def confirm_codes() -> Response:
    form, vault = FirstCodeForm(), context.tools().vault
    enrollment = totp.enrollment(current_user.user(), vault)
    if enrollment is None:
        return go("desk.profile", _anchor="codes")
    if not form.validate():
        return _qr_code_page(enrollment, form)
    try:
        with sign_in_limits.code_attempt(current_user.user()):
            recovery = totp.confirm(current_user.here(), form.code.data, vault, context.now())
    except Invalid as error:
        take_faults(form, error)
        return _qr_code_page(enrollment, form)
    return show("desk/settings/recovery_codes.html", codes=recovery, is_new=True)


@route("POST", "/desk/settings/profile/codes/recovery", role="author", effect=Effect.CHANGE_SIGN_IN)
def renew_recovery_codes() -> Response:
    return show(
        "desk/settings/recovery_codes.html",
        codes=totp.renew_recovery_codes(current_user.user()),
        is_new=False,
    )


@route("POST", "/desk/settings/profile/codes/off", role="author", effect=Effect.CHANGE_SIGN_IN)
def stop_codes() -> Response:
    totp.disable(current_user.here(), context.now())
    notice("Two-factor codes are off.")
    return go("desk.profile", _anchor="codes")


def _qr_code_page(enrollment: totp.Enrollment, form: FirstCodeForm) -> Response:
    import segno

    drawn = segno.make(enrollment.uri, micro=False).svg_inline(
        scale=4,
        border=3,
        light="#fff",
        svgclass="qr",
        lineclass=None,
        title="QR code for your authenticator app",
        omitsize=True,
    )
    qr_code = Markup(drawn)  # noqa: S704  (drawn by us, of squares)
    status = 422 if form.errors else 200
    return show("desk/settings/code_setup.html", status=status, qr_code=qr_code, enrollment=enrollment, form=form)
