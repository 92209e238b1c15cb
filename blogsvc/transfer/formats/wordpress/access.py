"""Posts that WordPress' plug-ins show to some readers only."""

from __future__ import annotations

from collections.abc import Mapping

# What Substack writes where a post goes on for subscribers, which its importers keep.
PAYWALL = "paywall-jump"
# The fields of Jetpack's newsletter, Members and Restrict Content Pro, and the values that mean everybody.
_FIELDS = {
    "_jetpack_newsletter_access": ("everybody",),
    "_members_access_role": (),
    "rcp_subscription_level": ("0", "none"),
    "rcp_access_level": ("0", "none"),
    "rcp_user_level": ("all",),
}


def why_hidden(meta: Mapping[str, str]) -> str:
    """Return why a post is not for everybody, as a sentence for the report; "" if it is.

    Args:
        meta: the fields of the post.
    """
    for name, for_everybody in _FIELDS.items():
        value = meta.get(name, "").strip().lower()
        if value and value not in for_everybody:
            return "It was visible only to some readers. It is imported as a draft."
    return ""
