"""Add passkeys and sign in with them. Each takes two requests: get a challenge, then send the browser's response."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from flask import Response, request, url_for
from flask import session as cookie
from wtforms import StringField

from blogsvc import context
from blogsvc.auth import passkeys
from blogsvc.auth.passkeys import RelyingParty
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Fault, Invalid
from blogsvc.web.framework import current_user, sign_in_limits
from blogsvc.web.framework.forms import Form
from blogsvc.web.framework.next_page import wanted_next
from blogsvc.web.framework.rendering import go, notice
from blogsvc.web.framework.routes import route
from blogsvc.web.sign_in.sign_in import whence

# The key of the challenge in the signed cookie. A challenge can be used once, within this time.
CHALLENGE = "challenge"
CHALLENGE_LASTS = timedelta(minutes=5)
LATE = "This passkey request has expired. Try again."


class PasskeyNameForm(Form):
    name = StringField("Name")


@route("POST", "/login/passkey", role=None)
def ask_for_passkey() -> Response:
    return _asked(*passkeys.authentication_options(_site()))


@route("POST", "/login/passkey/answer", role=None)
def login_by_passkey() -> Response:
    try:
        passkey = shown_passkey()
        session, token = passkeys.sign_in(passkey, *whence(), context.now())
    except Invalid as error:
        sign_in_limits.count_failed_passkey()
        return _json({"detail": str(error)}, 422)
    current_user.begin(session, token)
    return _json({"go": wanted_next() or url_for("desk.home")})


@route(
    "POST", "/desk/settings/profile/passkeys/new", role="author", effect=Effect.CHANGE_SIGN_IN, second_factor="sets up"
)
def ask_for_new_passkey() -> Response:
    try:
        return _asked(*passkeys.registration_options(current_user.user(), _site()))
    except Invalid as error:
        return _json({"detail": str(error)}, 422)


@route("POST", "/desk/settings/profile/passkeys", role="author", effect=Effect.CHANGE_SIGN_IN, second_factor="sets up")
def add_passkey() -> Response:
    try:
        answer, state = _answer()
        _require_first(state)
        name = request.args.get("name", "")
        passkey = passkeys.add(current_user.here(), name, answer, state, _site(), context.now())
    except Invalid as error:
        return _json({"detail": str(error)}, 422)
    notice(f"{passkey.name} is added. You can sign in with it instead of your password.")
    return _json({"go": url_for("desk.profile", _anchor="passkeys")})


@route("POST", "/desk/settings/profile/passkeys/<passkey_id>", role="author", effect=Effect.ARRANGE)
def rename_passkey(passkey_id: str) -> Response:
    passkeys.rename(current_user.user(), passkey_id, PasskeyNameForm().name.data or "")
    notice("Passkey renamed.")
    return go("desk.profile", _anchor="passkeys")


@route("POST", "/desk/settings/profile/passkeys/<passkey_id>/remove", role="author", effect=Effect.CHANGE_SIGN_IN)
def remove_passkey(passkey_id: str) -> Response:
    passkeys.remove(current_user.here(), passkey_id, context.now())
    notice("Passkey removed. Remove it from your device as well.")
    return go("desk.profile", _anchor="passkeys")


def _site() -> RelyingParty:
    """Return the relying party. Raises Invalid if browsers do not allow passkeys for this URL."""
    site = RelyingParty.of(context.tools().config)
    if site is None:
        raise Invalid(Fault("#/passkey", "unsupported", "Passkeys need a domain name and HTTPS. Set BLOGSVC_BASE_URL."))
    return site


def _asked(options: dict[str, Any], state: dict[str, Any]) -> Response:
    cookie[CHALLENGE] = {**state, "asked_at": context.now().timestamp()}
    return _json(options)


def _answer() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the browser's response and its challenge. Raises Invalid if the challenge is missing or too old."""
    state, answer = cookie.pop(CHALLENGE, None), request.get_json(force=True, silent=True)
    if not isinstance(state, dict) or not isinstance(answer, dict):
        raise _late()
    if context.now().timestamp() - state.get("asked_at", 0) > CHALLENGE_LASTS.total_seconds():
        raise _late()
    return answer, state


def _require_first(state: dict[str, Any]) -> None:
    """Raise Invalid if the challenge was used before, also by another process or before a restart."""
    if not sign_in_limits.is_first(state["challenge"]):
        raise _late()


def _late() -> Invalid:
    return Invalid(Fault("#/passkey", "invalid", LATE))


def shown_passkey() -> passkeys.ShownPasskey:
    """Return the passkey that the browser shows. Raises Invalid if it is not valid, or its challenge was used."""
    answer, state = _answer()
    shown = passkeys.check(answer, state, _site(), request.remote_addr or "")
    _require_first(state)  # remembered for valid responses only, so that invalid ones fill no memory
    return shown


def _json(document: Any, status: int = 200) -> Response:
    return Response(json.dumps(document), status, mimetype="application/json")
