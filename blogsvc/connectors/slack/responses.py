"""Responses of Slack's Web API: status 200 for nearly everything, and an error code in the body."""

from __future__ import annotations

import re
from typing import Any

from blogsvc.connectors._kit.responses import Call, require_accepted, unfinished
from blogsvc.connectors.base import (
    ConnectorError,
    CredentialsRejected,
    Disconnected,
    Gone,
    HttpResponse,
    Misconfigured,
    RateLimited,
    Rejected,
    Unsupported,
)
from blogsvc.connectors.retry_after import retry_after

TOKEN_WORDS = frozenset(
    "invalid_auth not_authed account_inactive token_revoked token_expired no_permission access_denied"
    " org_login_required ekm_access_denied not_allowed_token_type".split()
)
CHANNEL_WORDS = frozenset("channel_not_found is_archived restricted_action cannot_post_in_channel".split())
FIXED_WORDS = frozenset("cant_update_message cant_delete_message edit_window_closed is_inactive".split())
UNSURE_WORDS = frozenset("internal_error fatal_error service_unavailable request_timeout".split())


class MissingScope(Disconnected):
    """The app lacks a permission."""


class NotInChannel(Misconfigured):
    """The app is not in the channel."""


def body_of(answer: HttpResponse, call: Call, need: str = "ok") -> dict[str, Any]:
    """Return the body of a successful response. Raises ConnectorError otherwise."""
    value = answer.json() if answer.body else None
    if not isinstance(value, dict):
        raise unfinished(call, "Slack returned an invalid response.")
    if value.get("ok") is False:
        raise _fault(str(value.get("error")), answer, call)
    if value.get("ok") is not True:
        raise unfinished(call, "Slack returned an invalid response.")
    require_accepted(answer, call, need)
    return value


def _fault(code: str, answer: HttpResponse, call: Call) -> ConnectorError:
    error = code if re.fullmatch(r"[a-z_]{1,60}", code) else "no reason"
    if error in ("ratelimited", "rate_limited"):
        return RateLimited("Slack rate limit reached.", retry_after(answer))
    if error in UNSURE_WORDS:
        return unfinished(call, f"Slack had a server error ({error}).")
    return _refused(error)


def _refused(word: str) -> ConnectorError:
    """Return the error for Slack's error code."""
    if word in TOKEN_WORDS:
        return CredentialsRejected("Slack", f" ({word})", what="token", field="token")
    if word == "missing_scope":
        return MissingScope(
            "The Slack app lacks permissions. Add the scope chat:write and reinstall the app.", field="token"
        )
    if word == "not_in_channel":
        return NotInChannel("The app isn't in the channel. Invite it.", field="channel")
    if word in CHANNEL_WORDS:
        return Misconfigured(f"The app can't post in this channel ({word}).", field="channel")
    if word == "message_not_found":
        return Gone("The message no longer exists on Slack.")
    if word in FIXED_WORDS:
        return Unsupported(f"The rules of this Slack workspace don't allow the app to change the message ({word}).")
    if word == "msg_too_long":
        return Rejected("The text is too long for Slack. Shorten it.")
    return Rejected(f"Slack rejected the message ({word}). Change the post and retry.")
