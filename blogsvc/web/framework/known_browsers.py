"""Browsers in which an account has signed in before, by a signed cookie. It is no session and gives no access.

A known browser has sign-in limits of its own, so that attempts from elsewhere cannot lock its user out.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_urlsafe

from flask import Response, after_this_request, request

from blogsvc import context
from blogsvc.lib.crypto import BadSignature, sign, unsign
from blogsvc.lib.time import parse, stamp
from blogsvc.models import User
from blogsvc.web.framework.cookies import cookie_name, is_secure

# Longer than any session, so that whoever signs in now and then is known.
KNOWN_FOR = timedelta(days=365)


def id_for(user: User) -> str | None:
    """Return the id of this browser if the user has signed in with it before, else None."""
    user_id, browser_id, since = _read() or ("", "", None)
    is_known = user_id == user.id and since is not None and context.now() - since < KNOWN_FOR
    return browser_id if is_known else None


def is_any() -> bool:
    """Return True if the request has the cookie of a known browser, whoever signed in."""
    return _read() is not None


def remember(user: User) -> None:
    """Set the cookie with the response to this request. A browser that is known already keeps its id."""
    value = " ".join((user.id, id_for(user) or token_urlsafe(16), stamp(context.now())))
    signed = sign(value.encode(), _key())

    @after_this_request
    def _set(response: Response) -> Response:
        response.set_cookie(
            cookie_name("blogsvc-known"),
            signed,
            max_age=KNOWN_FOR,
            secure=is_secure(),
            httponly=True,
            samesite="Strict",
        )
        return response


def _read() -> tuple[str, str, datetime] | None:
    text = request.cookies.get(cookie_name("blogsvc-known"))
    if text is None:
        return None
    try:
        user_id, browser_id, since = unsign(text, _key()).decode().split(" ")
    except BadSignature:
        return None
    return user_id, browser_id, parse(since)


def _key() -> bytes:
    return context.tools().vault.derive("known browsers")
