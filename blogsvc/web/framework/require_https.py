"""Refuse the pages over plain HTTP from other machines, because passwords and sessions could be intercepted."""

from __future__ import annotations

from flask import Response, g, request

from blogsvc import context
from blogsvc.auth.plain_http import can_send_secrets
from blogsvc.web.framework.rendering import show
from blogsvc.web.framework.routes import blueprint

TITLE = "This page needs HTTPS"
TEXT = "Passwords and sessions can be intercepted over plain HTTP. Nothing was read or changed."


@blueprint.before_request
def require_https() -> Response | None:
    config = context.tools().config
    if can_send_secrets(config, request.is_secure, request.remote_addr):
        return None
    g.session = None  # whatever the request says
    secure = config.public_url if config.public_url.startswith("https://") else None
    response = show("desk/plain_http.html", "desk/_notice.html", status=403, title=TITLE, text=TEXT, secure=secure)
    response.headers["HX-Retarget"] = "#notices"
    response.headers["HX-Reswap"] = "innerHTML"
    return response
