"""What Slack's Web API answers: 200 to nearly all, and in one word what went wrong."""

from __future__ import annotations

import re
from typing import Any

from blogsvc.connectors._kit.responses import Call, demand, retry_after, unfinished
from blogsvc.connectors.base import (
    ConnectorError,
    Disconnected,
    Gone,
    HttpResponse,
    Misconfigured,
    RateLimited,
    Rejected,
    Unsupported,
)

TOKEN_WORDS = frozenset(
    "invalid_auth not_authed account_inactive token_revoked token_expired no_permission access_denied"
    " org_login_required ekm_access_denied not_allowed_token_type".split()
)
CHANNEL_WORDS = frozenset("channel_not_found is_archived restricted_action cannot_post_in_channel".split())
FIXED_WORDS = frozenset("cant_update_message cant_delete_message edit_window_closed is_inactive".split())
UNSURE_WORDS = frozenset("internal_error fatal_error service_unavailable request_timeout".split())


class MissingScope(Disconnected):
    """The app has not the right to do this."""


class NotInChannel(Misconfigured):
    """The app is not in the channel."""


def taken(answer: HttpResponse, call: Call, need: str = "ok") -> dict[str, Any]:
    """What Slack answered, once it says that it is well."""
    value = answer.json() if answer.body else None
    if not isinstance(value, dict):
        raise unfinished(call, "Slack answered with something that cannot be read.")
    if value.get("ok") is not True:
        raise _fault(str(value.get("error")), answer, call)
    demand(answer, call, need)
    return value


def _fault(said: str, answer: HttpResponse, call: Call) -> ConnectorError:
    word = said if re.fullmatch(r"[a-z_]{1,60}", said) else "no reason"
    if word in ("ratelimited", "rate_limited"):
        return RateLimited("Slack asks us to slow down.", retry_after(answer))
    if word in UNSURE_WORDS:
        return unfinished(call, f"Slack has a problem of its own ({word}).")
    return _refused(word)


def _refused(word: str) -> ConnectorError:
    """The error that Slack's word for it stands for."""
    if word in TOKEN_WORDS:
        return Disconnected(f"Slack does not accept the token ({word}): reconnect the account.", field="token")
    if word == "missing_scope":
        return MissingScope("The app on Slack lacks a right: give it chat:write and install it again.", field="token")
    if word == "not_in_channel":
        return NotInChannel("The app is not in the channel: invite it there.", field="channel")
    if word in CHANNEL_WORDS:
        return Misconfigured(f"Slack does not let the app post in this channel ({word}).", field="channel")
    if word == "message_not_found":
        return Gone("The message is not on Slack any more.")
    if word in FIXED_WORDS:
        return Unsupported(f"The rules of this Slack do not let the app do that to the message ({word}).")
    if word == "msg_too_long":
        return Rejected("The text is too long for Slack: shorten it.")
    return Rejected(f"Slack did not take it ({word}): change it and try again.")
