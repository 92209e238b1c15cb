"""What WordPress' answers mean: its codes, sorted into errors that say what to do there."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from blogsvc.connectors._kit.responses import said
from blogsvc.connectors.base import ConnectorError, Disconnected, HttpResponse, Misconfigured, Rejected, Unsupported

# These codes of 403 are about one thing there; every other is about the account.
ONE_THING = frozenset(
    "rest_cannot_edit rest_cannot_edit_others rest_cannot_delete rest_cannot_read rest_cannot_read_post"
    " rest_forbidden_context rest_cannot_assign_term".split()
)
CREDENTIALS = {
    "incorrect_password": ("password", "The application password is wrong: make a new one there and paste it."),
    "invalid_username": ("username", "WordPress knows no such user name: check it."),
    "invalid_email": ("username", "WordPress knows no user with this e-mail: check it."),
    "application_passwords_disabled": ("password", "Application passwords are switched off there: switch them on."),
    "application_passwords_disabled_for_user": ("password", "This user may have no application passwords there."),
}
NOT_LOGGED_IN = (
    "WordPress did not accept the user name and the application password: check both. If they are right, its server"
    " drops the Authorization header, which its administrator can change."
)


class NotAllowed(Disconnected):
    """The user is known, and may not do this."""


class TermExists(Rejected):
    """There is such a tag or category already."""

    def __init__(self, term_id: int) -> None:
        super().__init__("There is a tag or category of this name already.")
        self.term_id = term_id


def wordpress_fault(answer: HttpResponse, secrets: tuple[str, ...]) -> ConnectorError | None:
    """The error that an answer stands for by WordPress' own words; None where it says nothing special."""
    code, status = str(body_of(answer).get("code") or ""), answer.status
    if status in (401, 403):
        return _refusal(status, code, said(answer, secrets))
    if status == 404 and code in ("", "rest_no_route"):
        return Misconfigured("There is no WordPress REST API at this address any more: reconnect it.", field="url")
    if code == "term_exists" and isinstance(term_id := _data(answer).get("term_id"), int):
        return TermExists(term_id)
    if code == "rest_invalid_param":
        return Rejected(f"WordPress did not take it.{_complaints(answer)}")
    if code == "rest_upload_sideload_error":  # answered with 500, and yet for good
        return Rejected(f"WordPress does not take this file.{said(answer, secrets)}")
    if code == "rest_trash_not_supported":
        return Unsupported("This WordPress has no trash.")
    return None


def _refusal(status: int, code: str, words: str) -> ConnectorError:
    if code in CREDENTIALS:
        field, message = CREDENTIALS[code]
        return Disconnected(message, field=field)
    if status == 401:
        return Disconnected(NOT_LOGGED_IN + words)
    if not code:
        return Misconfigured("Something before WordPress, such as a firewall, refused this: let blogsvc through.")
    if code in ONE_THING:
        return Rejected(f"WordPress does not let this user do that.{words}")
    return NotAllowed(f"WordPress does not let this user do that: give it the role Author or a higher one.{words}")


def _complaints(answer: HttpResponse) -> str:
    """What it says of each parameter."""
    params = _data(answer).get("params")
    if not isinstance(params, dict):
        return said(answer)
    return " It said: " + " ".join(str(why) for why in params.values())[:300]


def body_of(answer: HttpResponse) -> dict[str, Any]:
    """The object that an answer is; an empty one where it is something else."""
    with suppress(ValueError):
        if isinstance(body := answer.json(), dict):
            return body
    return {}


def list_of(answer: HttpResponse) -> list[dict[str, Any]]:
    """The objects of the list that an answer is; none where it is something else."""
    with suppress(ValueError):
        if isinstance(found := answer.json(), list):
            return [one for one in found if isinstance(one, dict)]
    return []


def _data(answer: HttpResponse) -> dict[str, Any]:
    data = body_of(answer).get("data")
    return data if isinstance(data, dict) else {}
