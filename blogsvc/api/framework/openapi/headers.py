"""The headers of answers: which there are, and on which answers they were seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from blogsvc.api.framework.openapi.examples import Exchange

TEXTS = {
    "X-Request-Id": ("The request's id, the caller's own where one was sent; it is in the log.", "req_01m86a3..."),
    "RateLimit-Policy": ("The tier that was counted, its calls and its window in seconds.", '"read";q=300;w=60'),
    "RateLimit": ("The tier, the calls that are left in this window, and its remaining seconds.", '"read";r=299;t=60'),
    "X-RateLimit-Limit": ("Calls a minute in this tier.", "300"),
    "X-RateLimit-Remaining": ("Calls that are left in this window.", "299"),
    "X-RateLimit-Reset": ("When the window ends, in seconds since 1970.", "1795510860"),
    "Location": ("Where that which was made is read.", "/api/v1/posts/post_01m86a3..."),
    "ETag": ("The version of the whole document, for `If-Match` and `If-None-Match`.", '"3b4c0d1e..."'),
    "Link": ("The next page, as `rel=next`; there is none on the last.", '</api/v1/posts?cursor=...>; rel="next"'),
    "Allow": ("The methods that there are.", "GET, HEAD, OPTIONS, POST"),
    "Retry-After": ("Seconds to wait.", "42"),
    "WWW-Authenticate": ("How to authenticate.", 'Bearer realm="blogsvc"'),
    "Idempotency-Replayed": ("`true` where this is the stored answer to an earlier request.", "true"),
    "Deprecation": ("Since when this is known to go (RFC 9745).", "@1782864000"),
    "Sunset": ("From when on it may be gone (RFC 8594).", "Fri, 01 Jan 2027 00:00:00 GMT"),
}
COMPONENTS = {
    name: {"description": words, "schema": {"type": "string"}, "example": example}
    for name, (words, example) in TEXTS.items()
}
COMMON_HEADERS = (
    "X-Request-Id",
    "RateLimit-Policy",
    "RateLimit",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
)
WITH = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}


def of_answer(status: int, seen: Iterable[Exchange], more: Iterable[str] = ()) -> dict[str, Any]:
    """The headers of an operation's answers with this status: those that all have, and those of recorded ones."""
    names = [*(COMMON_HEADERS if status < 400 else ["X-Request-Id"]), *WITH.get(status, ()), *more]
    for exchange in seen:
        names += [name for name in exchange.answer.get("headers", {}) if name in TEXTS]
    return {name: {"$ref": f"#/components/headers/{name}"} for name in dict.fromkeys(names)}
