"""Who is asking: the person whose session the cookie holds."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from flask import Response, g, redirect, request, url_for
from flask import session as cookie

from blogsvc import context
from blogsvc.auth import accounts
from blogsvc.lib.time import zone as zone_named
from blogsvc.models import Person, Post, Session

SESSION_COOKIE = "token"


def session() -> Session | None:
    """The session that the request comes with; looked up once."""
    if "session" not in g:
        token = cookie.get(SESSION_COOKIE)
        g.session = accounts.current_session(token, context.now()) if isinstance(token, str) else None
    found: Session | None = g.session
    return found


def begin(session: Session, token: str) -> None:
    """From here on the browser comes with this session. The one before is over; the cookie is begun anew."""
    _leave()
    cookie.clear()
    cookie.permanent = True
    cookie[SESSION_COOKIE] = token
    g.session = None if session.awaits_code else session


def half() -> Session | None:
    """The session that still awaits its code, if the request comes with one."""
    token = cookie.get(SESSION_COOKIE)
    return Session.half(token, context.now()) if isinstance(token, str) else None


def _leave() -> None:
    if (there := session() or half()) is not None:
        accounts.sign_out(there)


def end() -> None:
    _leave()
    forget()


def forget() -> None:
    """The browser comes with no session any more."""
    cookie.clear()
    g.session = None


def here() -> Session:
    """The same for routes that demand a role, where there is somebody."""
    there = session()
    assert there is not None
    return there


def person() -> Person:
    """Whoever is signed in. For routes that demand a role."""
    return here().person


def zone() -> ZoneInfo:
    """The zone in which the person reads and writes times."""
    return zone_named(person().time_zone)


def post(post_id: str, *, trashed: bool = False) -> Post:
    """Raises NotFound for a post that is not there, or that is none of the person's business."""
    found = Post.get(post_id, trashed=trashed)
    person().demand_sight(found)
    return found


def to_sign_in() -> Response:
    """Sent away to sign in, and back here afterwards."""
    here = request.full_path.rstrip("?") if request.method == "GET" else None
    address = url_for("desk.login", next=here)
    if "HX-Request" in request.headers:
        return Response(status=401, headers={"HX-Redirect": url_for("desk.login")})
    return redirect(address, 303)  # type: ignore[return-value]
