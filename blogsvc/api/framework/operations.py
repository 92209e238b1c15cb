"""An operation of the API: what it takes, what it needs, what it answers, declared in one place.

The declaration is all there is: routing, access, validation and the OpenAPI document follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import wraps
from inspect import getdoc, getmodule
from typing import Any

from flask import Blueprint, Response, after_this_request, g, request
from pydantic import BaseModel

from blogsvc.api.framework import auth, etags, idempotency, requests, uploads
from blogsvc.api.framework.auth import Tier
from blogsvc.api.framework.deprecation import Deprecation
from blogsvc.media import images

blueprint = Blueprint("api", "blogsvc.api", url_prefix="/api/v1")


@dataclass(frozen=True)
class Reply:
    """What a view answers: a document (a schema's instance, or its JSON), its status, and what goes beside it."""

    document: BaseModel | str | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    # The names that `fields` leaves, within the document or (`is_list`) within each of its `data`.
    fields: frozenset[str] | None = None
    has_etag: bool = True


def follow_up(reply: Callable[[], Reply]) -> None:
    """Answer with this instead, made once the view's change is committed."""
    g.follow_up = reply


@dataclass(frozen=True)
class Operation:
    name: str
    method: str
    path: str
    summary: str
    scope: str | None
    tier: Tier
    query: type[BaseModel] | None
    body: type[BaseModel] | None
    is_body_needed: bool
    # Where the body is a form with a file: how many bytes that may have.
    most_bytes: int | None
    answers: Mapping[int, type[BaseModel] | None]
    refuses: frozenset[int]
    produces: str
    is_atomic: bool
    description: str = ""
    noun: str = ""
    deprecated: Deprecation | None = None

    @property
    def body_type(self) -> str:
        return "application/json" if self.most_bytes is None else "multipart/form-data"


@dataclass(frozen=True)
class OperationRegistry:
    """A blueprint, and the operations that are declared on it."""

    blueprint: Blueprint
    operations: list[Operation] = field(default_factory=list)


API = OperationRegistry(blueprint)
OPERATIONS = API.operations


def operation(
    method: str,
    path: str,
    summary: str,
    *,
    scope: str | None,
    answers: Mapping[int, type[BaseModel] | None],
    tier: Tier | None = None,
    query: type[BaseModel] | None = None,
    body: type[BaseModel] | None = None,
    is_body_needed: bool = True,
    most_bytes: int | None = None,
    refuses: tuple[int, ...] = (),
    name: str | None = None,
    produces: str = "application/json",
    is_atomic: bool = True,
    prepare: Callable[..., None] | None = None,
    deprecated: Deprecation | None = None,
    on: OperationRegistry = API,
) -> Callable[[Callable[..., Reply | Response]], Callable[..., Response]]:
    """Declare a view as an operation. `path` is Flask's; `refuses` are statuses beside the usual ones.

    The view gets the path's parts, and `query` and `body` where it declares them, valid. What is not
    JSON it answers as a Response of its own, of the type that `produces` names. Its docstring says
    to callers what the summary leaves open; that of its module describes the noun.

    A POST may be run within one transaction (idempotency.py). What takes long and needs none is for
    `prepare`, which gets what the view gets and runs before; a view that leaves the database on its
    way is not atomic. With `most_bytes` the body is a multipart form, of which a file may have so many.
    """

    def declare(view: Callable[..., Reply | Response]) -> Callable[..., Response]:
        declared = Operation(
            name=name or view.__name__,
            method=method,
            path=path,
            summary=summary,
            scope=scope,
            tier=tier or ("read" if method == "GET" else "write"),
            query=query,
            body=body,
            is_body_needed=is_body_needed,
            most_bytes=most_bytes,
            answers=answers,
            refuses=frozenset(refuses),
            produces=produces,
            is_atomic=is_atomic,
            description=getdoc(view) or "",
            noun=getdoc(getmodule(view)) or "",
            deprecated=deprecated,
        )
        on.operations.append(declared)

        @wraps(view)
        def call(**parts: Any) -> Response:
            if declared.deprecated is not None:
                after_this_request(declared.deprecated.announce)
            auth.admit(declared.scope, declared.tier)
            requests.demand_acceptable(declared.produces)
            requests.demand_names(parts)
            with nullcontext() if declared.most_bytes is None else images.processing_slot():
                parts |= _given(declared)
                if prepare is not None:
                    prepare(**parts)
                response = idempotency.once(lambda: respond(view(**parts)), is_atomic=is_atomic)
            follow_up: Callable[[], Reply] | None = g.pop("follow_up", None)
            return response if follow_up is None else respond(follow_up())

        on.blueprint.add_url_rule(path, declared.name, call, methods=[method])
        return call

    return declare


def _given(declared: Operation) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if declared.query is not None:
        given["query"] = requests.query(declared.query)
    else:
        requests.no_query()
    if declared.body is not None and declared.most_bytes is not None:
        given["body"] = uploads.form(declared.body, declared.most_bytes)
    elif declared.body is not None:
        given["body"] = requests.body(declared.body, is_needed=declared.is_body_needed)
    return given


def respond(reply: Reply | Response) -> Response:
    """The HTTP answer. A single resource carries an ETag, and is not sent again to who has it."""
    if isinstance(reply, Response):
        return reply
    if reply.document is None:
        return Response(status=reply.status, headers=dict(reply.headers))
    whole, sent = _texts(reply.document, reply.fields)
    response = Response(sent, reply.status, dict(reply.headers), mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    if reply.has_etag:
        response.headers["ETag"] = etags.of(whole)
        response.headers["Cache-Control"] = "private, no-cache"
        if request.method in {"GET", "HEAD"}:
            response.make_conditional(request)
    return response


def _texts(document: BaseModel | str, fields: frozenset[str] | None) -> tuple[str, str]:
    """The whole document, which the ETag is of, and what of it is sent."""
    if isinstance(document, str):
        return document, document
    whole = document.model_dump_json(by_alias=True)
    return whole, whole if fields is None else _trimmed(document, fields)


def _trimmed(document: BaseModel, fields: frozenset[str]) -> str:
    names: Any = set(fields)
    if "data" in type(document).model_fields:
        names = {"data": {"__all__": set(fields)}, "next_cursor": True}
    return document.model_dump_json(by_alias=True, include=names)
