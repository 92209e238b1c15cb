"""Declare API operations: their path, scope, request and responses.

Routing, authentication, validation and the OpenAPI document are derived from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import wraps
from inspect import getdoc, getmodule
from typing import Any, Literal

from flask import Blueprint, Response, after_this_request, g, request
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import MethodNotAllowed

from blogsvc.api.framework import auth, dry_runs, etags, idempotency, remembered, requests, uploads
from blogsvc.api.framework.auth import Tier
from blogsvc.api.framework.deprecation import Deprecation
from blogsvc.api.schemas import In
from blogsvc.errors import Busy, Invalid
from blogsvc.media import images
from blogsvc.models.database import as_busy
from blogsvc.models.transactions import unsure_if_saved

Preference = Literal["wait", "return"]
blueprint = Blueprint("api", "blogsvc.api", url_prefix="/api/v1")


@dataclass(frozen=True)
class Reply:
    """The result of a view: a document (a schema instance or JSON text), status and headers."""

    document: BaseModel | str | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    # The fields to return, of the document or of each item in its `data`; None for all.
    fields: frozenset[str] | None = None
    has_etag: bool = True


def follow_up(reply: Callable[[], Reply]) -> None:
    """Replace the response with the result of `reply`, which is called after the transaction is committed."""
    g.follow_up = reply


@dataclass(frozen=True)
class Operation:
    """A declared operation. `max_bytes` is the maximum file size of a multipart body; None for JSON bodies."""

    name: str
    method: str
    path: str
    summary: str
    scopes: tuple[str, ...]
    tier: Tier
    query: type[BaseModel] | None
    body: type[In] | None
    is_body_required: bool
    max_bytes: int | None
    answers: Mapping[int, type[BaseModel] | None]
    refuses: frozenset[int]
    produces: str
    has_dry_run: bool
    prefers: Preference | None = None
    description: str = ""
    noun: str = ""
    deprecated: Deprecation | None = None

    @property
    def scope(self) -> str | None:
        """The first scope that a key needs, or None if any key may call the operation."""
        return self.scopes[0] if self.scopes else None

    @property
    def body_type(self) -> str:
        return "application/json" if self.max_bytes is None else "multipart/form-data"


@dataclass(frozen=True)
class OperationRegistry:
    """A blueprint and the operations declared on it."""

    blueprint: Blueprint
    operations: list[Operation] = field(default_factory=list)
    fixed: dict[str, set[str]] = field(default_factory=dict)  # the methods of paths without parameters

    def methods_of(self, path: str) -> set[str]:
        """Return the methods of a path without parameters, empty for other paths."""
        return self.fixed.get(path, set())

    def add(self, declared: Operation) -> None:
        self.operations.append(declared)
        if "<" not in declared.path:
            self.fixed.setdefault(f"{self.blueprint.url_prefix}{declared.path}", set()).add(declared.method)


API = OperationRegistry(blueprint)
OPERATIONS = API.operations


def operation(
    method: str,
    path: str,
    summary: str,
    *,
    scope: str | tuple[str, ...] | None,
    answers: Mapping[int, type[BaseModel] | None],
    tier: Tier | None = None,
    query: type[BaseModel] | None = None,
    body: type[In] | None = None,
    is_body_required: bool = True,
    max_bytes: int | None = None,
    refuses: tuple[int, ...] = (),
    name: str | None = None,
    produces: str = "application/json",
    is_atomic: bool = True,
    has_dry_run: bool | None = None,
    prepare: Callable[..., object] | None = None,
    is_remembered: bool = False,
    prefers: Preference | None = None,
    stored: requests.Stored | None = None,
    takes_ticket: bool = False,
    deprecated: Deprecation | None = None,
    on: OperationRegistry = API,
) -> Callable[[Callable[..., Reply | Response]], Callable[..., Response]]:
    """Declare a view as an operation. `path` uses Flask's syntax.

    The view receives the path parameters, and the validated `query` and `body` if declared. Its docstring is the
    description of the operation, its module's docstring that of the tag. A view that does not return JSON returns
    a Response of the media type `produces`.

    Args:
        scope: The scope that a key needs, or several if it needs all of them. None for any key.
        answers: Schemas of successful responses by status; None for an empty response.
        refuses: Error statuses in addition to the common ones.
        max_bytes: Maximum file size; makes the body a multipart form.
        is_atomic: False if the view cannot run in one transaction because it calls a platform (idempotency.py).
        has_dry_run: Whether `dryRun` returns the response and undoes the change. Default: for every write.
        prepare: Slow work that needs no transaction. Called before the view with the same arguments, and the view gets
            its result as `prepared`.
        is_remembered: True if the response depends on the database, the URL and the key alone, or may be a minute old
            (remembered.py).
        prefers: The preference that the view honors: to wait for an outcome, or whether to return the object.
        takes_ticket: True if a ticket in the query may stand for the key.
        stored: How to find the stored object, for a body that may contain what a client has read of it.
    """

    def declare(view: Callable[..., Reply | Response]) -> Callable[..., Response]:
        declared = Operation(
            name=name or view.__name__,
            method=method,
            path=path,
            summary=summary,
            scopes=(scope,) if isinstance(scope, str) else scope or (),
            tier=tier or ("read" if method == "GET" else "write"),
            query=query,
            body=body,
            is_body_required=is_body_required,
            max_bytes=max_bytes,
            answers=answers,
            refuses=frozenset(refuses),
            produces=produces,
            has_dry_run=method != "GET" if has_dry_run is None else has_dry_run,
            prefers=prefers,
            description=getdoc(view) or "",
            noun=getdoc(getmodule(view)) or "",
            deprecated=deprecated,
        )
        on.add(declared)

        @wraps(view)
        def call(**parts: Any) -> Response:
            if declared.deprecated is not None:
                after_this_request(declared.deprecated.announce)
            is_dry_run = declared.has_dry_run and dry_runs.is_requested()
            data_version = remembered.version() if is_remembered else None
            auth.admit(declared.scopes, declared.tier, takes_ticket=takes_ticket)
            requests.require_acceptable(declared.produces)
            if parts:
                requests.check_path(parts)
                if methods := on.methods_of(request.path):  # `bulk` in `GET /posts/bulk` is no id
                    raise MethodNotAllowed(valid_methods=sorted(methods | {"OPTIONS"}))
            with nullcontext() if declared.max_bytes is None else images.processing_slot():
                try:
                    parts |= _query_and_body(declared, stored and (lambda: stored(**parts)))
                except Invalid:
                    if is_dry_run or (first := idempotency.stored_response()) is None:
                        raise
                    return first
                if prepare is not None:
                    parts["prepared"] = prepare(**parts)
                if is_dry_run:
                    return dry_runs.response_of(lambda: respond(view(**parts)))
                response = idempotency.once(lambda: _executed(view, parts), is_atomic=is_atomic)
            if is_remembered:
                remembered.allow_storing(data_version)
            follow_up: Callable[[], Reply] | None = g.pop("follow_up", None)
            return response if follow_up is None else _followed_up(follow_up, response)

        on.blueprint.add_url_rule(path, declared.name, call, methods=[method])
        return call

    return declare


def _executed(view: Callable[..., Reply | Response], parts: dict[str, Any]) -> Response:
    with nullcontext() if request.method == "GET" else unsure_if_saved():
        return respond(view(**parts))


def _followed_up(follow_up: Callable[[], Reply], response: Response) -> Response:
    """Return the later response, or the first one, which still holds, if the database can't be read meanwhile."""
    try:
        return respond(follow_up())
    except (Busy, SQLAlchemyError) as error:
        if as_busy(error) is None:
            raise
        return response


def _query_and_body(declared: Operation, stored: Callable[[], BaseModel] | None) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    others = {dry_runs.PARAMETER} if declared.has_dry_run else set[str]()
    if declared.query is not None:
        arguments["query"] = requests.query(declared.query, others)
    else:
        requests.no_query(others)
    if declared.body is not None and declared.max_bytes is not None:
        arguments["body"] = uploads.form(declared.body, declared.max_bytes)
    elif declared.body is not None:
        arguments["body"] = requests.body(declared.body, is_required=declared.is_body_required, stored=stored)
    return arguments


def respond(reply: Reply | Response) -> Response:
    """Return the HTTP response. A single resource has an ETag and supports conditional requests."""
    if isinstance(reply, Response):
        return reply
    if reply.document is None:
        return Response(status=reply.status, headers=dict(reply.headers))
    whole, sent = _whole_and_sent(reply.document, reply.fields)
    response = Response(sent, reply.status, dict(reply.headers), mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    if reply.has_etag:
        response.headers["ETag"] = etags.of(whole)
        response.headers["Cache-Control"] = "private, no-cache"
        if request.method in {"GET", "HEAD"}:
            response.make_conditional(request)
    return response


def _whole_and_sent(document: BaseModel | str, fields: frozenset[str] | None) -> tuple[str, str]:
    """Return the whole document, for the ETag, and the text to send."""
    if isinstance(document, str):
        return document, document
    whole = document.model_dump_json(by_alias=True)
    if fields is None:
        return whole, whole
    names: Any = set(fields)
    if "data" in type(document).model_fields:
        names = {**dict.fromkeys(type(document).model_fields, True), "data": {"__all__": set(fields)}}
    return whole, document.model_dump_json(by_alias=True, include=names)
