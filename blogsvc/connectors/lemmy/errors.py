"""What Lemmy means by its words for a failure: `{"error": "snake_case"}`, most of them with a plain 400."""

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

_LOGIN = "Lemmy does not accept user name and password: check them."
_SECOND_FACTOR = "This account asks for a second factor, which cannot be given here: use one without it."
_NOT_CONFIRMED = "This account is not confirmed yet: see to it on the server."
_LOGINS = {
    "incorrect_login": _LOGIN,
    "incorrect_password": _LOGIN,
    "couldnt_find_that_username_or_email": _LOGIN,
    "not_logged_in": "Lemmy has ended the session: reconnect the account.",
    "missing_totp_token": _SECOND_FACTOR,
    "incorrect_totp_token": _SECOND_FACTOR,
    "email_not_verified": _NOT_CONFIRMED,
    "registration_application_is_pending": _NOT_CONFIRMED,
    "site_ban": "This account is banned on its server.",
}
_BANNED = "This account may not post in this community: choose another."
_COMMUNITIES = {
    "couldnt_find_community": "This community is not known there: check how it is written.",
    "person_is_banned_from_community": _BANNED,
    "banned_from_community": _BANNED,
    "community_ban": _BANNED,
    "only_mods_can_post_in_community": "Only moderators may post in this community: choose another.",
}
_TEXTS = {
    "invalid_post_title": "Lemmy does not take this title: 3 to 200 characters in one line.",
    "invalid_url": "Lemmy does not take this link.",
    "blocked_url": "This server does not take links to this site: post from another one.",
    "invalid_body_field": "The text is too long for Lemmy: shorten it.",
    "slurs": "This server does not take a word in it: choose another.",
    "language_not_allowed": "This community does not take posts in this language.",
}
_GONE = ("couldnt_find_post", "not_found")


def fault(answer: HttpResponse, wait: float | None) -> ConnectorError | None:
    """The error that its word stands for; None where it has none that we know."""
    word = _word(answer) if 400 <= answer.status < 500 else ""
    if word in ("rate_limit_error", "too_many_requests"):
        return RateLimited("Lemmy asks us to slow down.", wait)
    if word in _LOGINS:
        return Disconnected(_LOGINS[word], field="password" if _LOGINS[word] == _LOGIN else None)
    if word in _COMMUNITIES:
        return Misconfigured(_COMMUNITIES[word], field="community")
    if word in _GONE:
        return Gone("Lemmy has no such post any more.")
    return Rejected(_TEXTS[word]) if word in _TEXTS else None


def _word(answer: HttpResponse) -> str:
    word = as_object(answer).get("error")
    return word if isinstance(word, str) else ""
