"""Generate the Operation Object of one operation: parameters, body and responses, with recorded examples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import getdoc
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from blogsvc.api import schemas
from blogsvc.api.framework import dry_runs, problems, requests
from blogsvc.api.framework.openapi import examples, headers
from blogsvc.api.framework.openapi.examples import Exchange
from blogsvc.api.framework.operations import Operation
from blogsvc.api.schemas import fields

TEXT_SCHEMA = {"type": "string"}
REF = "#/components/schemas/{model}"
COMMON_STATUSES = frozenset({400, 401, 403, 406, 422, 429, 500, 503})
Refs = list[tuple[type[BaseModel], Literal["validation", "serialization"]]]

OUTCOMES = {
    200: "Success.",
    201: "Created.",
    202: "Accepted; the work continues. Poll the returned object for the outcome.",
    204: "Success, without a body.",
    304: "Not modified: the object still has the `ETag` in `If-None-Match`.",
}
PART = {
    "name": "The name of the connection, for example `mastodon`. `site` is this blog.",
    "number": "The number of the revision. 1 is the oldest.",
    "media_id": "The id of the image.",
}
REQUEST_HEADERS = {
    "If-Match": "The `ETag` of the version you read, in quotes. Returns 412 if the object has changed since.",
    "If-None-Match": "The `ETag` of the version you have, in quotes. Returns 304 without a body if it has not changed.",
    "Idempotency-Key": "A unique key for this request, 1 to 255 characters, with or without quotes. If you repeat the "
    "request with the same key and body within 24 hours, it runs only once and returns the first response.",
    "Last-Event-ID": "The id of the last event that you received: the stream continues after it. Overrides `after`.",
}
PREFERENCES = {
    "wait": "`wait=N` waits up to N seconds, at most 30, for the outcome of the deliveries (RFC 7240).",
    "return": "`return=minimal` returns 204 without the object (RFC 7240).",
}
DRY_RUN = {
    "name": dry_runs.PARAMETER,
    "in": "query",
    "required": False,
    "description": "True returns the response that the request would have, and changes nothing.",
    "schema": {"type": "boolean"},
}
# Request headers that only one operation has, by operation.
OWN_HEADERS = {"stream_events": ("Last-Event-ID",)}


PATH_PART = re.compile(r"<(?:(int):)?(\w+)>")


def path_of(path: str) -> str:
    """Return a path in OpenAPI's syntax."""
    return PATH_PART.sub(r"{\2}", path)


def tag_of(declared: Operation) -> str:
    return declared.path.split("/")[1]


def operation_id(declared: Operation) -> str:
    """Return the operation's id in the document: `createPost` for `create_post`."""
    return to_camel(declared.name)


def operation_object(declared: Operation, refs: Any) -> dict[str, Any]:
    exchanges = examples.of_operation(declared.name)
    operation: dict[str, Any] = {
        "operationId": operation_id(declared),
        "summary": declared.summary,
        **({"description": declared.description} if declared.description else {}),
        "tags": [tag_of(declared)],
        "parameters": [*_path_parameters(declared), *_query_parameters(declared), *_header_parameters(declared)],
        "responses": _responses(declared, refs, exchanges),
        "x-scope": declared.scope,
        "x-scopes": list(declared.scopes),
        "x-rate-tier": declared.tier,
    }
    if declared.body is not None:
        content = {"schema": refs[declared.body, "validation"]} | _examples(
            {
                exchange.name: {"summary": exchange.title, "value": exchange.request["body"]}
                for exchange in exchanges
                if "body" in exchange.request and exchange.status < 400
            }
        )
        types = [declared.body_type] if declared.max_bytes is not None else requests.body_types(declared.method)
        operation["requestBody"] = {"required": declared.is_body_required, "content": dict.fromkeys(types, content)}
    if declared.deprecated is not None:
        operation["deprecated"] = True
        operation["externalDocs"] = {"url": declared.deprecated.link, "description": "Migration guide."}
    return operation


def _examples(by_name: dict[str, Any]) -> dict[str, Any]:
    return {"examples": by_name} if by_name else {}


def _path_parameters(declared: Operation) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": PART.get(name, f"The id of the {name.removesuffix('_id').replace('_', ' ')}."),
            "schema": {"type": "integer", "minimum": 0} if kind else TEXT_SCHEMA,
        }
        for kind, name in PATH_PART.findall(declared.path)
    ]


def _query_parameters(declared: Operation) -> list[dict[str, Any]]:
    schema = declared.query.model_json_schema(ref_template=REF) if declared.query else {"properties": {}}
    required = schema.get("required", ())
    parameters = [_query_parameter(name, part, name in required) for name, part in schema["properties"].items()]
    return [*parameters, DRY_RUN] if declared.has_dry_run else parameters


def _query_parameter(name: str, part: dict[str, Any], is_required: bool) -> dict[str, Any]:
    schema = _non_null_schema(part)
    parameter: dict[str, Any] = {"name": name, "in": "query", "required": is_required}
    if "description" in schema:
        parameter["description"] = schema.pop("description")
    return parameter | {"schema": schema} | ({"style": "form", "explode": True} if part.get("is_list") else {})


def _non_null_schema(part: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter's schema without null, because a query string cannot contain null."""
    part = {name: value for name, value in part.items() if name not in {"title", "default", "is_list"} or value}
    part.pop("is_list", None)
    options = [option for option in part.pop("anyOf", []) if option.get("type") != "null"]
    part |= options[0] if len(options) == 1 else {"anyOf": options} if options else {}
    return part | {"items": _without_nul(part["items"])} if "items" in part else _without_nul(part)


def _without_nul(part: dict[str, Any]) -> dict[str, Any]:
    """Add the rule that texts contain no NUL (requests.query), unless the schema has a stricter one."""
    is_any_text = part.get("type") == "string" and not {"pattern", "format", "enum", "const"} & part.keys()
    return part | {"pattern": fields.TEXT_PATTERN} if is_any_text else part


def _header_parameters(declared: Operation) -> list[dict[str, Any]]:
    names = ["If-Match"] if 412 in declared.refuses else ["If-None-Match"] if 304 in declared.answers else []
    if declared.method == "POST":
        names.append("Idempotency-Key")
    names += OWN_HEADERS.get(declared.name, ())
    texts = dict(REQUEST_HEADERS)
    if declared.prefers is not None:
        names.append("Prefer")
        texts["Prefer"] = PREFERENCES[declared.prefers]
    return [
        {
            "name": name,
            "in": "header",
            "required": False,
            "description": texts[name],
            "schema": TEXT_SCHEMA | ({"minLength": 1, "maxLength": 255} if name == "Idempotency-Key" else {}),
        }
        for name in names
    ]


def _responses(declared: Operation, refs: Any, exchanges: list[Exchange]) -> dict[str, Any]:
    answers = {
        str(status): _reply(declared, status, model, refs, exchanges) for status, model in declared.answers.items()
    }
    refused = COMMON_STATUSES | declared.refuses | ({413, 415} if declared.body is not None else set())
    if declared.method == "POST":
        refused |= {409}  # the same Idempotency-Key is being worked on
    return answers | {str(status): _problem_response(status, refs, exchanges) for status in sorted(refused)}


def _reply(
    declared: Operation, status: int, model: type[BaseModel] | None, refs: Any, exchanges: list[Exchange]
) -> dict[str, Any]:
    exchanges = [exchange for exchange in exchanges if exchange.status == status]
    more = ("Deprecation", "Sunset") if declared.deprecated else ()
    answer: dict[str, Any] = {
        "description": _outcome(declared, status, model),
        "headers": headers.of_answer(status, exchanges, more),
    }
    if model is not None:
        schema = refs[model, "serialization"]
        if _has_fields(declared):
            schema = {"anyOf": [schema, {"$ref": f"{schema['$ref']}Part"}]}
        content = {"schema": schema} | _examples({e.name: examples.example(e) for e in exchanges})
        answer["content"] = {declared.produces: content}
    elif declared.produces != "application/json" and status == 200:
        answer["content"] = {
            declared.produces: {"schema": TEXT_SCHEMA} | _examples({e.name: examples.example(e) for e in exchanges})
        }
    return answer


def _outcome(declared: Operation, status: int, model: type[BaseModel] | None) -> str:
    """Return the description of a successful response: its status, and the first sentence about its document."""
    if model is not None:
        return f"{OUTCOMES[status]} {(getdoc(model) or '').partition(chr(10))[0]}"
    if declared.produces == "text/event-stream" and status == 200:
        return "The events, as server-sent events."
    return OUTCOMES[status]


def _has_fields(declared: Operation) -> bool:
    return declared.query is not None and "fields" in declared.query.model_fields


def parts(definitions: dict[str, Any], operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the schemas of documents that the `fields` parameter has trimmed: all their fields are optional."""
    models = {m.__name__ for declared in operations if _has_fields(declared) for m in declared.answers.values() if m}
    partial_schemas: dict[str, Any] = {}
    for name in sorted(models):
        whole = definitions[name]
        if "data" in whole["properties"]:
            item = whole["properties"]["data"]["items"]["$ref"]
            data = whole["properties"]["data"] | {"items": {"$ref": f"{item}Part"}}
            part = whole | {"properties": whole["properties"] | {"data": data}}
        else:
            part = {name: value for name, value in whole.items() if name != "required"}
        partial_schemas[f"{name}Part"] = part | {
            "title": f"{name}Part",
            "description": f"{whole['description'].removesuffix('.')}, with only the fields that `fields` selects.",
        }
    return partial_schemas


def _problem_response(status: int, refs: Any, exchanges: list[Exchange]) -> dict[str, Any]:
    exchanges = [exchange for exchange in exchanges if exchange.status == status]
    kinds = [kind for kind in problems.PROBLEM_TYPES.values() if kind.status == status]
    problem_examples = {exchange.name: examples.example(exchange) for exchange in exchanges} or {
        kind.slug: {"$ref": f"#/components/examples/{kind.slug}"} for kind in kinds if examples.of_problem(kind.slug)
    }
    return {
        "description": " Or: ".join(f"{kind.title}. {kind.meaning}" for kind in kinds),
        "headers": headers.of_answer(status, exchanges),
        "content": {
            "application/problem+json": {"schema": refs[schemas.ProblemOut, "serialization"]}
            | _examples(problem_examples)
        },
    }
