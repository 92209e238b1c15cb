"""Lemmy's error codes, `{"error": "snake_case"}`, most of them with status 400."""

from __future__ import annotations

from blogsvc.connectors._kit.untrusted_json import as_object
from blogsvc.connectors.base import (
    ConnectorError,
    Disconnected,
    Gone,
    HttpResponse,
    Misconfigured,
    RateLimited,
    Rejected,
)

_LOGIN = "Wrong username or password."
_SECOND_FACTOR = "This account uses two-factor authentication, which isn't supported. Use an account without it."
_NOT_CONFIRMED = "This account isn't confirmed yet. Confirm it on the server."
_LOGINS = {
    "incorrect_login": _LOGIN,
    "incorrect_password": _LOGIN,
    "couldnt_find_that_username_or_email": _LOGIN,
    "not_logged_in": "The Lemmy session has expired. Reconnect the account.",
    "missing_totp_token": _SECOND_FACTOR,
    "incorrect_totp_token": _SECOND_FACTOR,
    "email_not_verified": _NOT_CONFIRMED,
    "registration_application_is_pending": _NOT_CONFIRMED,
    "site_ban": "This account is banned on its server.",
}
_BANNED = "This account can't post in this community. Choose another community."
_COMMUNITIES = {
    "couldnt_find_community": "Community not found. Check its name.",
    "person_is_banned_from_community": _BANNED,
    "banned_from_community": _BANNED,
    "community_ban": _BANNED,
    "only_mods_can_post_in_community": "Only moderators can post in this community. Choose another community.",
}
_TEXTS = {
    "invalid_post_title": "Lemmy rejected the title. Use 3 to 200 characters on one line.",
    "invalid_url": "Lemmy rejected the link.",
    "blocked_url": "This server blocks links to this site. Use an account on another server.",
    "invalid_body_field": "The text is too long for Lemmy. Shorten it.",
    "slurs": "The post contains a word that this server blocks. Use another word.",
    "language_not_allowed": "This community doesn't allow posts in this language.",
}
_GONE = ("couldnt_find_post", "not_found")


def fault(answer: HttpResponse, wait: float | None) -> ConnectorError | None:
    """Return the error for Lemmy's error code, None if the code is unknown."""
    word = as_object(answer).get("error") if 400 <= answer.status < 500 else None
    if not isinstance(word, str):
        return None
    if word in ("rate_limit_error", "too_many_requests"):
        return RateLimited("Lemmy rate limit reached.", wait)
    if word in _LOGINS:
        return Disconnected(_LOGINS[word], field="password" if _LOGINS[word] == _LOGIN else None)
    if word in _COMMUNITIES:
        return Misconfigured(_COMMUNITIES[word], field="community")
    if word in _GONE:
        return Gone("The post no longer exists on Lemmy.")
    return Rejected(_TEXTS[word]) if word in _TEXTS else None
