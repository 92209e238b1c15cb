"""Confirm that it's you: for actions without a form, with a passkey, and with a required second factor."""

from __future__ import annotations

import json

from flask import Response, redirect, request, url_for

from blogsvc import context
from blogsvc.auth import reauthentication
from blogsvc.auth import second_factor as factors
from blogsvc.auth.passkeys import RelyingParty
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.web.framework import current_user, reauthenticate, sign_in_limits
from blogsvc.web.framework.next_page import wanted_next
from blogsvc.web.framework.rendering import go, show
from blogsvc.web.framework.routes import route
from blogsvc.web.sign_in.passkeys import shown_passkey


@route("GET POST", "/desk/confirm", role="author", effect=Effect.PROVE_IDENTITY, second_factor="confirms")
def confirm_identity() -> Response:
    if not reauthenticate.is_given():
        if request.method == "GET":
            return reauthenticate.page(status=200)
        if (refused := reauthenticate.taken()) is not None:
            return refused
    return redirect(wanted_next() or url_for("desk.home"), 303)  # type: ignore[return-value]


@route("POST", "/desk/confirm/passkey", role="author", effect=Effect.PROVE_IDENTITY, second_factor="confirms")
def confirm_by_passkey() -> Response:
    try:
        reauthentication.by_passkey(current_user.here(), shown_passkey(), context.now())
    except Invalid as error:
        sign_in_limits.count_failed_passkey()
        return Response(json.dumps({"detail": str(error)}), 422, mimetype="application/json")
    return Response("{}", mimetype="application/json")


@route("GET", "/desk/second-factor", role="author", second_factor="confirms")
def missing_second_factor() -> Response:
    """Lead to the setup of a second factor; a user who has one already, to using it."""
    if not reauthenticate.lacks_second_factor():
        return go("desk.home")
    if factors.is_set_up(current_user.user()):
        return go("desk.confirm_identity", next=wanted_next())
    return show("desk/second_factor.html", site=RelyingParty.of(context.tools().config))
