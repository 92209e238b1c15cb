"""Find the target of links that lead through a redirecting page, as sites add them to what is copied or mailed."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

# Host and path of redirecting pages, and the parameter that has the target.
_REDIRECTS = (
    (re.compile(r"(?:www\.)?google\.[a-z.]{2,6}/url"), ("q", "url")),
    (re.compile(r"lm?\.(?:facebook|instagram|messenger)\.com/(?:l\.php)?"), ("u",)),
    (re.compile(r"(?<![a-z0-9-])[a-z0-9-]++\.safelinks\.protection\.outlook\.com/.*"), ("url",)),
    (re.compile(r"www\.youtube\.com/redirect"), ("q",)),
    (re.compile(r"out\.reddit\.com/.*"), ("url",)),
    (re.compile(r"slack-redir\.net/link"), ("url",)),
    (re.compile(r"www\.linkedin\.com/redir/redirect"), ("url",)),
)
_MAX_HOPS = 3


def direct_url(url: str) -> str:
    """Return the URL to which a redirecting page leads, or else the URL itself."""
    for _ in range(_MAX_HOPS):
        target = _target(url)
        if target is None:
            break
        url = target
    return url


def _target(url: str) -> str | None:
    if "?" not in url or not url.startswith(("https://", "http://")):
        return None
    try:
        parts = urlsplit(url)
        parameters = parse_qs(parts.query)
    except ValueError:
        return None
    for page, names in _REDIRECTS:
        if page.fullmatch(f"{parts.netloc.lower()}{parts.path}"):
            found = next((parameters[name][0] for name in names if name in parameters), "")
            return found if found.startswith(("https://", "http://")) else None
    return None
