"""Answer requests for public pages and files from memory, before Flask.

Flask takes most of the time of a request for a cached page. Here, the first response of Flask to each address is stored
if its view allows that, and the next requests get the same bytes and headers, with their own request id. Responses of
the API are stored for the client that they were made for, and each request still counts for its rate limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from time import perf_counter
from typing import Any

from flask import Flask, Response, request
from werkzeug.http import is_resource_modified, remove_entity_headers

from blogsvc.context import InMemory
from blogsvc.lib.response_cache import (
    CACHEABLE,
    Cacheable,
    ClientCache,
    Environ,
    Headers,
    Key,
    ResponseCache,
    StoredResponse,
    is_storable,
)
from blogsvc.server import content_coding, logging
from blogsvc.server.large_body import MAX_FROM_MEMORY, LargeBody

StartResponse = Callable[..., Any]
WsgiApp = Callable[[Environ, StartResponse], Iterable[bytes]]

REQUEST_ID = "X-Request-Id"
# Headers that belong to one request, in lower case. The HTTP server adds the date.
OF_ONE_REQUEST = {
    "x-request-id",
    "date",
    "ratelimit-policy",
    "ratelimit",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
}
# The headers that are part of a key, in lower case: of every request, and of one with credentials.
IN_KEY = {"accept-encoding"}
IN_CLIENT_KEY = IN_KEY | {"authorization", "host", "accept", "origin"}
# Requests with these headers may get another response than 200 or 304.
SPECIAL = ("HTTP_IF_MATCH", "HTTP_UPGRADE")

responses = InMemory(lambda _tools: ResponseCache())
client_responses = InMemory(lambda _tools: ClientCache())


def init(app: Flask) -> None:
    """Store responses. Call it before anything else that changes responses, so that its changes are stored too."""
    app.after_request(_encode)
    app.wsgi_app = Middleware(app, app.wsgi_app)  # type: ignore[method-assign]


def _encode(response: Response) -> Response:
    """Compress a response that may be stored if the client accepts it, or return 304 if the client has it."""
    cacheable: Cacheable | None = request.environ.get(CACHEABLE)
    if cacheable is None or cacheable.admit is not None or response.status_code != 200:
        return response
    query, cache_control = request.environ.get("QUERY_STRING", ""), response.headers.get("Cache-Control", "")
    if not is_storable(cacheable, query, cache_control, response.content_length or 0):
        del request.environ[CACHEABLE]  # and it is not compressed: that would cost as much each time
        return response.make_conditional(request)  # type: ignore[return-value]
    response.direct_passthrough = False
    body = response.get_data()
    coding = ""
    if content_coding.is_compressible(response.mimetype or "", len(body)):
        response.vary.add("Accept-Encoding")
        coding = content_coding.choose(request.headers.get("Accept-Encoding", ""))
    if coding:
        response.headers["Content-Encoding"] = coding
        etag, _ = response.get_etag()
        if etag is not None:
            response.set_etag(f"{etag}-{coding}")
    response.make_conditional(request)
    if coding and response.status_code == 200:
        response.set_data(content_coding.compress(body, coding))
    return response


class Middleware:
    """The WSGI application that answers from memory, or else asks Flask."""

    def __init__(self, app: Flask, inner: WsgiApp) -> None:
        self.app, self.inner = app, inner

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        key = _key(environ)
        if key is None:
            return self.inner(environ, start_response)
        began = perf_counter()
        stored = client_responses.of(self.app).find(key) if key.client else None
        stored = stored or responses.of(self.app).find(key._replace(client=""))
        if stored is not None:
            admit = stored.cacheable.admit
            headers = [] if admit is None else admit(environ)
            if headers is not None:
                return _send(stored, headers, environ, start_response, began)
        if environ["REQUEST_METHOD"] != "GET":
            return self.inner(environ, start_response)
        return self._ask(key, environ, start_response)

    def _ask(self, key: Key, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Return Flask's response, and store it if that is allowed."""
        begun: list[tuple[str, Headers]] = []

        def start(status: str, headers: Headers, *error: Any) -> Any:
            begun[:] = [(status, headers)]
            return start_response(status, headers, *error)

        parts = self.inner(environ, start)
        cacheable: Cacheable | None = environ.get(CACHEABLE)
        status, headers = begun[0] if begun else ("", [])
        if cacheable is None or not status.startswith("200") or not _is_for_all(headers, cacheable):
            return parts
        try:
            body = b"".join(parts)
        finally:
            getattr(parts, "close", lambda: None)()
        is_shared = len(body) > MAX_FROM_MEMORY and cacheable.admit is None
        stored = _stored(cacheable, environ, headers, LargeBody(body) if is_shared else body)
        if cacheable.admit is not None:
            client_responses.of(self.app).store(key, stored)
        else:
            responses.of(self.app).store(key._replace(client=""), stored)
        return [stored.body]


def _key(environ: Environ) -> Key | None:
    """Return the key of a request, or None if it is only for Flask."""
    if environ["REQUEST_METHOD"] not in ("GET", "HEAD") or any(name in environ for name in SPECIAL):
        return None
    coding = content_coding.choose(environ.get("HTTP_ACCEPT_ENCODING", ""))
    query = environ.get("QUERY_STRING", "")
    return Key(environ["wsgi.url_scheme"], coding, environ["PATH_INFO"], query, _client(environ))


def _is_for_all(headers: Headers, cacheable: Cacheable) -> bool:
    """Return True if all requests with the same key get this response."""
    varies = {word.strip().lower() for name, value in headers if name.lower() == "vary" for word in value.split(",")}
    known = IN_KEY if cacheable.admit is None else IN_CLIENT_KEY
    return varies <= known and not any(name.lower() == "set-cookie" for name, _ in headers)


def _client(environ: Environ) -> str:
    """Return a hash of the headers that responses to a request with credentials depend on, so that no key is stored."""
    credential = environ.get("HTTP_AUTHORIZATION")
    if not credential:
        return ""
    headers = (credential, *(environ.get(name, "") for name in ("HTTP_HOST", "HTTP_ACCEPT", "HTTP_ORIGIN")))
    return sha256("\n".join(headers).encode()).hexdigest()


def _stored(cacheable: Cacheable, environ: Environ, headers: Headers, body: bytes) -> StoredResponse:
    kept = [(name, value) for name, value in headers if name.lower() not in OF_ONE_REQUEST]
    unchanged = kept[:]
    remove_entity_headers(unchanged)
    by_name = dict(kept)
    path = environ["PATH_INFO"].encode("latin-1").decode(errors="replace")
    return StoredResponse(
        cacheable, kept, unchanged, body, by_name.get("ETag"), by_name.get("Last-Modified"), f"/{path.lstrip('/')}"
    )


def _send(
    stored: StoredResponse, own: Headers, environ: Environ, start_response: StartResponse, began: float
) -> Iterable[bytes]:
    """Send a stored response, with the headers of this one request."""
    request_id = logging.request_id(environ)
    is_unchanged = _is_unchanged(stored, environ)
    status, headers = (304, stored.headers_unchanged) if is_unchanged else (200, stored.headers)
    if stored.cacheable.on_hit is not None:
        stored.cacheable.on_hit(environ)
    logging.log_request(environ, stored.path, status, began, request_id, stored.cacheable.key_id)
    start_response("304 NOT MODIFIED" if is_unchanged else "200 OK", [*headers, *own, (REQUEST_ID, request_id)])
    return [] if is_unchanged or environ["REQUEST_METHOD"] == "HEAD" else [stored.body]


def _is_unchanged(stored: StoredResponse, environ: Environ) -> bool:
    """Return True if the client has the response."""
    tag = environ.get("HTTP_IF_NONE_MATCH")
    if tag is None and "HTTP_IF_MODIFIED_SINCE" not in environ:
        return False
    # Browsers send the tag as they received it, and parsing takes longer than everything else here.
    if tag is not None and tag == stored.etag:
        return True
    return not is_resource_modified(environ, stored.etag, last_modified=stored.last_modified)
