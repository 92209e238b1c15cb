"""The signed-in user, from the session in the cookie."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from flask import Response, g, redirect, request, url_for
from flask import session as cookie

from blogsvc import context
from blogsvc.auth import accounts
from blogsvc.lib.time import zone as zone_named
from blogsvc.models import Post, Quota, Session, User
from blogsvc.web.framework import known_browsers

SESSION_COOKIE = "token"


def session() -> Session | None:
    """Return the session of the request, None if there is none. Looked up once per request."""
    if "session" not in g:
        token = cookie.get(SESSION_COOKIE)
        g.session = accounts.current_session(token, context.now()) if isinstance(token, str) else None
    found: Session | None = g.session
    return found


def begin(session: Session, token: str) -> None:
    """Start a session in this browser. Ends the previous one and clears the cookie."""
    _leave()
    cookie.clear()
    cookie.permanent = True
    cookie[SESSION_COOKIE] = token
    g.session = None if session.awaits_code else session
    if not session.awaits_code:
        known_browsers.remember(session.user)


def half() -> Session | None:
    """Return the session that awaits a two-factor code, if the request has one."""
    token = cookie.get(SESSION_COOKIE)
    return Session.half(token, context.now()) if isinstance(token, str) else None


def _leave() -> None:
    if (there := session() or half()) is not None:
        accounts.sign_out(there)


def end() -> None:
    _leave()
    forget()


def forget() -> None:
    """Remove the session from the cookie."""
    cookie.clear()
    g.session = None


def quota() -> Quota:
    """Return the quotas of the user."""
    return Quota(user().id, context.tools().config)


def here() -> Session:
    """Return the session. Only for routes that require a role, where there is one."""
    there = session()
    assert there is not None
    return there


def user() -> User:
    """Return the signed-in user. Only for routes that require a role."""
    return here().user


def zone() -> ZoneInfo:
    """Return the user's time zone. Looked up once per request: a calendar asks for each time that it shows."""
    if "zone" not in g:
        g.zone = zone_named(user().time_zone)
    found: ZoneInfo = g.zone
    return found


def post(post_id: str, *, trashed: bool = False) -> Post:
    """Return a post. Raises NotFound if it does not exist or the user may not see it."""
    found = Post.get(post_id, trashed=trashed)
    user().require_visible(found)
    return found


def to_sign_in() -> Response:
    """Redirect to the sign-in page, which leads back here afterwards."""
    here = request.full_path.rstrip("?") if request.method == "GET" else None
    address = url_for("desk.login", next=here)
    if "HX-Request" in request.headers:
        return Response(status=401, headers={"HX-Redirect": url_for("desk.login")})
    return redirect(address, 303)  # type: ignore[return-value]
