"""Recognize shortcodes, components and tags that show their content to some readers only."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_WORDS = frozenset(
    "access draft exclusive hide hidden hidethis ifmember invisible ismember ifuser locked locker logged login loggedin"
    " member memberonly members membersonly membership nonmember paid password passster patron patreon paywall premium"
    " private protect protected protector restrict restricted role secret subscriber subscribers"
    " visibility visitor wishlist".split()
)
# Shortcodes of plug-ins whose names do not say it.
_NAMES = frozenset(
    "if am4guest am4show comment content_control emaillocker hidepost lock mepr-active mepr-show s2if schedule"
    " signinlocker sociallocker um_loggedin um_loggedout um_show_content user_meta"
    " timed-content-client timed-content-rule timed-content-server".split()
)
_ARGUMENTS = frozenset(
    "capability level levels logged_in logged_out loggedin membership memberships password passwords role roles"
    " rules".split()
)
# What has a level or a role for another reason.
_WITH_LEVEL = ("heading", "title", "button", "section")


def is_restricted(name: str, arguments: Iterable[str] = ()) -> bool:
    """Return True if names say that readers do not see all of what is in it: its own, such as `members_only`, or one
    of its arguments, such as `role`.
    """
    lower = name.lower()
    if lower in _NAMES or any(part.lower() in _WORDS for part in _PART.findall(name)):
        return True
    return not lower.endswith(_WITH_LEVEL) and any(argument.lower() in _ARGUMENTS for argument in arguments)
