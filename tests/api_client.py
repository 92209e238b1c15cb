"""An API client for tests that checks every response against the OpenAPI document."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from werkzeug.test import TestResponse

from blogsvc.api.framework.openapi import document
from blogsvc.errors import ERROR_CODES

PREFIX = "/api/v1"
BOUNDARY = "between-the-parts"


class File(NamedTuple):
    """A file in a form: data, name and media type."""

    data: bytes
    name: str = "image.png"
    kind: str = "application/octet-stream"


class Api:
    """`api.post("/posts", title="...")` sends JSON; `json=` and `form=` replace the keywords."""

    def __init__(self, client: FlaskClient, key: str | None) -> None:
        self.client = client
        self.key = key

    def __call__(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        form: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        **body: Any,
    ) -> TestResponse:
        sent = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        options: dict[str, Any] = {"headers": sent | (headers or {})}
        if json is not None or body:
            options["json"] = json if json is not None else body
        if form is not None:
            options |= {"data": encoded_form(form), "content_type": f"multipart/form-data; boundary={BOUNDARY}"}
        answer = self.client.open(PREFIX + path, method=method, **options)
        check_response(method, path, answer)
        return answer

    def get(self, path: str, **options: Any) -> TestResponse:
        return self("GET", path, **options)

    def post(self, path: str, **options: Any) -> TestResponse:
        return self("POST", path, **options)

    def put(self, path: str, **options: Any) -> TestResponse:
        return self("PUT", path, **options)

    def patch(self, path: str, **options: Any) -> TestResponse:
        return self("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> TestResponse:
        return self("DELETE", path, **options)


def encoded_form(form: dict[str, Any]) -> bytes:
    """Return a multipart form (RFC 7578) of texts, Files or lists of them. Werkzeug's own leaves large files open."""
    parts = [(name, part) for name, value in form.items() for part in (value if type(value) is list else [value])]
    return b"".join(_part(name, part) for name, part in parts) + f"--{BOUNDARY}--\r\n".encode()


def _part(name: str, part: str | File) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"'
    if isinstance(part, str):
        return f"{head}\r\n\r\n{part}\r\n".encode()
    head += f'; filename="{part.name}"\r\nContent-Type: {part.kind}\r\n\r\n'
    return head.encode() + part.data + b"\r\n"


@cache
def _document() -> dict[str, Any]:
    return document()


@cache
def _registry() -> Registry:
    """Return the schemas of the document, without the permission that responses have to get more fields later."""
    schemas = _document()["components"]["schemas"]
    strict = {name: {"additionalProperties": False} | schema for name, schema in schemas.items()}
    known = {name: schema if "properties" in schema else schemas[name] for name, schema in strict.items()}
    return Registry().with_resource(
        "urn:openapi", Resource.from_contents({"components": {"schemas": known}}, DRAFT202012)
    )


def check_response(method: str, path: str, answer: TestResponse) -> None:
    """Fail if the response to a documented operation does not match the document."""
    declared = _declared(method, path.partition("?")[0])
    if declared is None:
        return
    responses = declared["responses"]
    assert str(answer.status_code) in responses, f"{method} {path} answered {answer.status_code}, undocumented"
    content = responses[str(answer.status_code)].get("content")
    if content is None:
        assert not answer.data
        return
    assert answer.mimetype in content
    schema = content[answer.mimetype]["schema"]
    # The whole document comes first, and its part with `fields` after that.
    if "anyOf" in schema:
        schema = schema["anyOf"]["fields=" in path]
    if answer.is_json:
        validator(schema).validate(answer.json)
    if answer.status_code == 422:
        assert {fault["code"] for fault in answer.json.get("errors", [])} <= set(ERROR_CODES)


def check_message(message: dict[str, Any]) -> None:
    """Fail if the message of a webhook does not match the document. Test messages are not in it."""
    if message["type"] != "webhook.test":
        content = _document()["webhooks"][message["type"]]["post"]["requestBody"]["content"]
        validator(content["application/json"]["schema"]).validate(message)


def validator(schema: dict[str, str]) -> Draft202012Validator:
    """Return a validator for a schema of the document."""
    return Draft202012Validator({"$ref": f"urn:openapi{schema['$ref']}"}, registry=_registry())


def _declared(method: str, path: str) -> dict[str, Any] | None:
    for template, operations in _document()["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path):
            found: dict[str, Any] | None = operations.get(method.lower())
            return found
    return None
