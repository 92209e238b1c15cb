"""The token that monitoring sends for what not everybody may read."""

from __future__ import annotations

from hmac import compare_digest

from flask import Response, request

from blogsvc.auth.plain_http import can_send_secrets
from blogsvc.config import Config


def refusal(config: Config) -> Response | None:
    """Return the response to a request without the token of BLOGSVC_METRICS_TOKEN; None if the request has it."""
    if not config.metrics_token:
        return _refusal(404, "Set BLOGSVC_METRICS_TOKEN to read this, and send it as a Bearer token.")
    if not can_send_secrets(config, request.is_secure, request.remote_addr):
        return _refusal(403, "Use https://. Replace the token, because it was sent unencrypted.")
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not compare_digest(given.encode(), config.metrics_token.encode()):
        return _refusal(401, "Send BLOGSVC_METRICS_TOKEN as a Bearer token.")
    return None


def _refusal(status: int, sentence: str) -> Response:
    headers = {"WWW-Authenticate": 'Bearer realm="metrics"'} if status == 401 else {}
    return Response(f"{sentence}\n", status, headers, mimetype="text/plain")
