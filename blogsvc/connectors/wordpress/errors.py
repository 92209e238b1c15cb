"""WordPress' error codes, and the errors for them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from blogsvc.connectors._kit.responses import platform_message
from blogsvc.connectors.base import ConnectorError, Disconnected, HttpResponse, Misconfigured, Rejected, Unsupported

# Status 403 with these codes concerns one object; with others, it concerns the account.
ONE_THING = frozenset(
    "rest_cannot_edit rest_cannot_edit_others rest_cannot_delete rest_cannot_read rest_cannot_read_post"
    " rest_forbidden_context rest_cannot_assign_term".split()
)
CREDENTIALS = {
    "incorrect_password": ("password", "Wrong application password. Create a new one in WordPress and enter it."),
    "invalid_username": ("username", "Unknown WordPress username. Check it."),
    "invalid_email": ("username", "No WordPress user has this e-mail. Check it."),
    "application_passwords_disabled": (
        "password",
        "Application passwords are disabled on this site. Enable them in WordPress.",
    ),
    "application_passwords_disabled_for_user": (
        "password",
        "This WordPress user isn't allowed to use application passwords.",
    ),
}
NOT_LOGGED_IN = (
    "WordPress rejected the username or application password. Check both. If they are correct, the web server drops"
    " the Authorization header. Ask its administrator to pass it on."
)


class NotAllowed(Disconnected):
    """The user is known but lacks the permission."""


class TermExists(Rejected):
    """The tag or category already exists."""

    def __init__(self, term_id: int) -> None:
        super().__init__("A tag or category with this name already exists.")
        self.term_id = term_id


def wordpress_fault(answer: HttpResponse, secrets: tuple[str, ...]) -> ConnectorError | None:
    """Return the error for WordPress' error code, None if it is not specific."""
    code, status = str(body_of(answer).get("code") or ""), answer.status
    if status in (401, 403):
        return _refusal(status, code, platform_message(answer, secrets))
    if status == 404 and code in ("", "rest_no_route"):
        return Misconfigured(
            "The WordPress REST API is no longer available at this URL. Reconnect the site.", field="url"
        )
    if code == "term_exists" and isinstance(term_id := _data(answer).get("term_id"), int):
        return TermExists(term_id)
    if code == "rest_invalid_param":
        return Rejected(f"WordPress rejected the request.{_parameter_errors(answer)}")
    if code == "rest_upload_sideload_error":  # a permanent error, despite status 500
        return Rejected(f"WordPress rejected this file.{platform_message(answer, secrets)}")
    if code == "rest_trash_not_supported":
        return Unsupported("The trash is disabled on this WordPress site. Delete the copy in WordPress.")
    return None


def _refusal(status: int, code: str, words: str) -> ConnectorError:
    if code in CREDENTIALS:
        field, message = CREDENTIALS[code]
        return Disconnected(message, field=field)
    if status == 401:
        return Disconnected(NOT_LOGGED_IN + words)
    if not code:
        return Misconfigured(
            "A firewall or proxy in front of WordPress blocked the request. Allow requests from blogsvc."
        )
    if code in ONE_THING:
        return Rejected(f"This WordPress user doesn't have permission.{words}")
    return NotAllowed(f"This WordPress user doesn't have permission. Give it the role Author or higher.{words}")


def _parameter_errors(answer: HttpResponse) -> str:
    """Return the message about each parameter."""
    params = _data(answer).get("params")
    if not isinstance(params, dict):
        return platform_message(answer)
    return " Response: " + " ".join(str(why) for why in params.values())[:300]


def body_of(answer: HttpResponse) -> dict[str, Any]:
    """Return the JSON object of a response, {} if it is something else."""
    with suppress(ValueError):
        if isinstance(body := answer.json(), dict):
            return body
    return {}


def list_of(answer: HttpResponse) -> list[dict[str, Any]]:
    """Return the objects in the JSON list of a response, [] if it is something else."""
    with suppress(ValueError):
        if isinstance(found := answer.json(), list):
            return [one for one in found if isinstance(one, dict)]
    return []


def _data(answer: HttpResponse) -> dict[str, Any]:
    data = body_of(answer).get("data")
    return data if isinstance(data, dict) else {}
