"""Idempotency keys: a repeated POST runs once and returns the stored response.

The response is stored in the transaction that makes the change, so a crash leaves both or neither. An
operation that cannot run in one transaction, because it calls a platform or decodes an image, claims the key
first and stores the response afterwards. Error responses are not stored: they changed nothing, so the client
can fix the request and send it again. The design follows Stripe and the IETF draft
(draft-ietf-httpapi-idempotency-key-header).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock

from flask import Response, g, request

from blogsvc import context
from blogsvc.api.framework import auth
from blogsvc.api.framework.problems import Problem
from blogsvc.context import InMemory
from blogsvc.errors import Busy, Unsure
from blogsvc.models import IdempotentResponse, db, transaction
from blogsvc.models.transactions import UNSURE

IDEMPOTENCY_HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
# The response headers to store; all others belong to the individual request.
STORED = ("Content-Type", "Location", "ETag", "Cache-Control")
_QUOTED = re.compile(r'"(?:[^"\\]|\\["\\])+"')


class Running:
    """The idempotency keys of the requests that this process is handling."""

    def __init__(self) -> None:
        self._keys: set[tuple[str, str]] = set()
        self._lock = Lock()

    @contextmanager
    def alone(self, key: tuple[str, str]) -> Iterator[None]:
        with self._lock:
            if key in self._keys:
                raise _in_progress()
            self._keys.add(key)
        try:
            yield
        finally:
            with self._lock:
                self._keys.remove(key)


running = InMemory(lambda _tools: Running())


def once(act: Callable[[], Response], *, is_atomic: bool) -> Response:
    """Return the response of `act`, or the stored response if this request was sent before.

    Raises Problem if the key is in use or was used for a different request.
    """
    key = given_key()
    if key is None:
        return act()
    g.is_executed_once = is_atomic
    with running().alone((g.key.id, key)):
        return _within_one_transaction(key, act) if is_atomic else _around_others(key, act)


def given_key() -> str | None:
    """Return the idempotency key of a POST. Raises Problem if it is not valid."""
    key = _key_sent()
    if key is not None and not (1 <= len(key) <= 255 and key.isprintable()):
        raise Problem("unreadable", f"{IDEMPOTENCY_HEADER} must have 1 to 255 printable characters, such as a UUID.")
    return key


def _key_sent() -> str | None:
    """Return the idempotency key of a POST. The draft writes it as a quoted string (RFC 9651), most clients do not."""
    sent = request.headers.get(IDEMPOTENCY_HEADER) if request.method == "POST" else None
    if sent is None or not _QUOTED.fullmatch(sent):
        return sent
    return re.sub(r"\\(.)", r"\1", sent[1:-1])


def stored_response() -> Response | None:
    """Return the stored response if this request was sent before, for a request that is no longer valid.

    A scheduled time may have passed since then: the first response still holds.
    """
    key = _key_sent()
    if key is None:
        return None
    stored = db.session.get(IdempotentResponse, (g.key.id, key))
    if stored is None or stored.is_over(context.now()) or stored.status is None:
        return None
    return _replay(stored) if stored.fingerprint == _fingerprint() else None


def _within_one_transaction(key: str, act: Callable[[], Response]) -> Response:
    with transaction():
        stored = _find(key)
        if stored is not None:
            return _replay(stored)
        response = act()
        _fill(_claim(key), response)
        return response


def _around_others(key: str, act: Callable[[], Response]) -> Response:
    with transaction():
        stored = _find(key)
        if stored is None:
            _claim(key)
    if stored is not None:
        return _replay(stored)
    try:
        response = act()
    except Unsure:
        raise  # nobody knows whether it was executed, so the key stays in use
    except BaseException:
        with suppress(Busy), transaction():
            db.session.delete(db.session.get_one(IdempotentResponse, (g.key.id, key)))
        raise
    try:
        with transaction():
            _fill(db.session.get_one(IdempotentResponse, (g.key.id, key)), response)
    except Busy as error:  # what the request changed is saved
        raise Unsure(UNSURE) from error
    return response


def _find(key: str) -> IdempotentResponse | None:
    stored = db.session.get(IdempotentResponse, (g.key.id, key))
    if stored is None:
        return None
    if stored.is_over(context.now()):
        db.session.delete(stored)
        db.session.flush()
        return None
    if stored.fingerprint != _fingerprint():
        raise Problem(
            "idempotency-key-reused",
            f"This {IDEMPOTENCY_HEADER} was used for a different request. Use a new key for each request.",
        )
    if stored.status is None:
        raise _in_progress()
    return stored


def _claim(key: str) -> IdempotentResponse:
    answer = IdempotentResponse(
        key_id=g.key.id, idempotency_key=key, fingerprint=_fingerprint(), created_at=context.now()
    )
    db.session.add(answer)
    return answer


def _fill(answer: IdempotentResponse, response: Response) -> None:
    answer.status, answer.scopes = response.status_code, sorted(g.scopes)
    answer.headers = {name: response.headers[name] for name in STORED if name in response.headers}
    answer.sealed = context.tools().vault.seal(response.get_data(as_text=True))


def _replay(answer: IdempotentResponse) -> Response:
    """Return the stored response. Raises Problem if the key no longer has a scope that it needed."""
    for scope in answer.scopes:
        auth.require_scope(scope)
    body = context.tools().vault.unseal(answer.sealed)
    return Response(body, answer.status, {**answer.headers, REPLAYED: "true"})


def _fingerprint() -> bytes:
    digest = hashlib.sha256(f"{request.method} {request.full_path}\n".encode())
    digest.update(g.get("body_digest") or request.get_data())
    return digest.digest()


def _in_progress() -> Problem:
    detail = f"A request with this {IDEMPOTENCY_HEADER} is still in progress. Retry in a moment."
    return Problem("request-in-progress", detail, {"Retry-After": "1"})
