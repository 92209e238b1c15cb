"""The response headers in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from blogsvc.api.framework.openapi.examples import Exchange

TEXTS = {
    "X-Request-Id": ("The request id: the one you sent, or a generated one. The log contains it.", "req_01m86a3..."),
    "RateLimit-Policy": ("The rate limit tier, its quota and its window in seconds.", '"read";q=300;w=60'),
    "RateLimit": (
        "The tier, its remaining requests and the seconds until its window ends.",
        '"read";r=299;t=60',
    ),
    "X-RateLimit-Limit": ("The requests per minute in this tier.", "300"),
    "X-RateLimit-Remaining": ("The remaining requests in this window.", "299"),
    "X-RateLimit-Reset": ("When the window ends, as a Unix timestamp in seconds.", "1795510860"),
    "Location": ("The path of the created object.", "/api/v1/posts/post_01m86a3..."),
    "ETag": ("The version of the object, for `If-Match` and `If-None-Match`.", '"3b4c0d1e..."'),
    "Link": (
        "The next page, with `rel=next`. Absent on the last page.",
        '</api/v1/posts?cursor=...>; rel="next"',
    ),
    "Allow": ("The allowed methods.", "GET, HEAD, OPTIONS, POST"),
    "Retry-After": ("The number of seconds to wait before you retry.", "42"),
    "WWW-Authenticate": ("The authentication scheme.", 'Bearer realm="blogsvc"'),
    "Idempotency-Replayed": ("`true` if this is the stored response of an earlier request.", "true"),
    "Preference-Applied": ("The preference of `Prefer` that was applied.", "return=minimal"),
    "Deprecation": ("When the operation was deprecated (RFC 9745).", "@1782864000"),
    "Sunset": ("The earliest date on which the operation may be removed (RFC 8594).", "Fri, 01 Jan 2027 00:00:00 GMT"),
}
COMPONENTS = {
    name: {"description": description, "schema": {"type": "string"}, "example": example}
    for name, (description, example) in TEXTS.items()
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


def of_answer(status: int, exchanges: Iterable[Exchange], more: Iterable[str] = ()) -> dict[str, Any]:
    """Return the headers of responses with this status: the common ones and those of recorded examples."""
    names = [*(COMMON_HEADERS if status < 400 else ["X-Request-Id"]), *WITH.get(status, ()), *more]
    for exchange in exchanges:
        names += [name for name in exchange.answer.get("headers", {}) if name in TEXTS]
    return {name: {"$ref": f"#/components/headers/{name}"} for name in dict.fromkeys(names)}
