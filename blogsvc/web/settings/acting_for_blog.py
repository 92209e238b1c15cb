"""The page of everything that can act for this blog, with its creator, its last use, and a button to end it."""

from __future__ import annotations

from flask import Response

from blogsvc import context
from blogsvc.auth import acting_for_blog
from blogsvc.auth.reauthentication import Effect
from blogsvc.web.framework import current_user
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route

ACCESS_PAGE = "/desk/settings/access"
# The kinds in the order of the page: heading, what the kind can do, the button, and the notice after it.
KINDS = {
    "key": ("API keys", "Programs use them to call the API.", "Revoke", "The API key is revoked."),
    "webhook": ("Webhooks", "Servers that receive events.", "Disable", "The webhook is disabled."),
    "destination": (
        "Destinations",
        "Accounts that blogsvc publishes with. Copies stay published when you disconnect one.",
        "Disconnect",
        "The destination is disconnected and its secrets are deleted.",
    ),
    "invitation": ("Open invitations", "Links that create an account.", "Revoke", "The invitation is revoked."),
    "share": (
        "Shared drafts",
        "Links with which people read a draft and comment on it.",
        "Revoke",
        "The share link is revoked.",
    ),
    "session": ("Sessions", "Browsers in which users are signed in.", "Sign out", "The session has ended."),
}


@route("GET", ACCESS_PAGE, role="owner")
def all_access() -> Response:
    found = acting_for_blog.everything(context.now())
    groups = {kind: [one for one in found if one.kind == kind] for kind in KINDS}
    return show("desk/settings/access.html", groups=groups, kinds=KINDS, this_session=current_user.here().id)


@route("POST", f"{ACCESS_PAGE}/<kind>/<access_id>/end", role="owner", effect=Effect.END_ACCESS)
def end_access(kind: str, access_id: str) -> Response:
    acting_for_blog.end(kind, access_id, context.now())
    notice(KINDS[kind][3])
    return go("desk.all_access")


@route("POST", f"{ACCESS_PAGE}/session/<session_id>/end", role="owner", effect=Effect.KEEP_OUT)
def end_user_session(session_id: str) -> Response:
    acting_for_blog.end_session(session_id)
    if session_id == current_user.here().id:
        current_user.forget()
        return go("desk.login")
    notice(KINDS["session"][3])
    return go("desk.all_access")
