"""The OpenAPI 3.1 document, made of the declared operations and the schemas that validate them."""

from __future__ import annotations

import re
from typing import Any

from flask import Response, jsonify
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from blogsvc.api import problems, schemas
from blogsvc.api.operations import OPERATIONS, Operation, blueprint
from blogsvc.api.schemas import kinds

REF = "#/components/schemas/{model}"
TEXT = {"type": "string"}
ALWAYS = frozenset({400, 401, 403, 406, 429, 500, 503})


@blueprint.get("/openapi.json")
def openapi() -> Response:
    answer = jsonify(document())
    answer.headers["Cache-Control"] = "public, max-age=300"
    return answer


@blueprint.get("/problems/<slug>")
def problem_page(slug: str) -> Response:
    """Where the `type` of a problem document leads: what it means, in words."""
    kind = problems.KINDS.get(slug)
    if kind is None:
        raise problems.Problem("not-found", f"There is no problem {slug!r}.")
    return jsonify(type=slug, status=kind.status, title=kind.title, meaning=kind.meaning)


def document() -> dict[str, Any]:
    refs, definitions = models_json_schema(_models(), ref_template=REF)
    paths: dict[str, dict[str, Any]] = {}
    for declared in OPERATIONS:
        paths.setdefault(path_of(declared.path), {})[declared.method.lower()] = _operation(declared, refs)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "blogsvc",
            "version": "1",
            "summary": "Write once; publish on your own blog and everywhere else.",
        },
        "servers": [{"url": "/api/v1"}],
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"] | _parts(definitions["$defs"]),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "An API key, `bsk_...`."}},
        },
    }


def _models() -> list[tuple[type[BaseModel], Any]]:
    ins = [declared.body for declared in OPERATIONS if declared.body]
    outs = [model for declared in OPERATIONS for model in declared.answers.values() if model]
    outs.append(schemas.ProblemOut)
    return [(m, "validation") for m in dict.fromkeys(ins)] + [(m, "serialization") for m in dict.fromkeys(outs)]


PART = re.compile(r"<(?:(int):)?(\w+)>")


def path_of(path: str) -> str:
    """An operation's path as OpenAPI writes it."""
    return PART.sub(r"{\2}", path)


def _trims(declared: Operation) -> bool:
    return declared.query is not None and "fields" in declared.query.model_fields


def _parts(definitions: dict[str, Any]) -> dict[str, Any]:
    """What `fields` may leave of the documents that can be trimmed: any of their names, or of those in `data`."""
    models = {m.__name__ for declared in OPERATIONS if _trims(declared) for m in declared.answers.values() if m}
    parts: dict[str, Any] = {}
    for name in sorted(models):
        whole = definitions[name]
        if "data" in whole["properties"]:
            item = whole["properties"]["data"]["items"]["$ref"]
            part = whole | {
                "properties": whole["properties"] | {"data": {"type": "array", "items": {"$ref": f"{item}Part"}}}
            }
        else:
            part = {name: value for name, value in whole.items() if name != "required"}
        parts[f"{name}Part"] = part | {"title": f"{name}Part", "description": f"What `fields` leaves of a {name}."}
    return parts


def _operation(declared: Operation, refs: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": declared.name,
        "summary": declared.summary,
        "tags": [declared.path.split("/")[1]],
        "parameters": [*_path_parameters(declared), *_query_parameters(declared), *_header_parameters(declared)],
        "responses": _responses(declared, refs),
        "x-scope": declared.scope,
        "x-rate-tier": declared.tier,
    }
    if declared.body is not None:
        schema = refs[declared.body, "validation"]
        found["requestBody"] = {
            "required": declared.is_body_needed,
            "content": {declared.body_type: {"schema": schema}},
        }
    return found


def _path_parameters(declared: Operation) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "integer", "minimum": 0} if kind else TEXT}
        for kind, name in PART.findall(declared.path)
    ]


def _query_parameters(declared: Operation) -> list[dict[str, Any]]:
    if declared.query is None:
        return []
    schema = declared.query.model_json_schema(ref_template=REF)
    return [
        {"name": name, "in": "query", "required": False, "schema": _plain(part)}
        | ({"style": "form", "explode": True} if part.get("is_list") else {})
        for name, part in schema["properties"].items()
    ]


def _plain(part: dict[str, Any]) -> dict[str, Any]:
    """A parameter's schema. One that is absent is left out, so null is no value of it."""
    part = {name: value for name, value in part.items() if name not in {"title", "default", "is_list"} or value}
    part.pop("is_list", None)
    options = [option for option in part.pop("anyOf", []) if option.get("type") != "null"]
    part |= options[0] if len(options) == 1 else {"anyOf": options} if options else {}
    return part | {"items": _without_nul(part["items"])} if "items" in part else _without_nul(part)


def _without_nul(part: dict[str, Any]) -> dict[str, Any]:
    """No text of a query holds a NUL (requests.query); those with a pattern, format or list of values say more."""
    is_any_text = part.get("type") == "string" and not {"pattern", "format", "enum", "const"} & part.keys()
    return part | {"pattern": kinds.TEXT} if is_any_text else part


def _header_parameters(declared: Operation) -> list[dict[str, Any]]:
    names = ["If-Match"] if 412 in declared.refuses else ["If-None-Match"] if 304 in declared.answers else []
    found = [{"name": name, "in": "header", "required": False, "schema": TEXT} for name in names]
    if declared.method == "POST":
        key = {"type": "string", "minLength": 1, "maxLength": 255}
        found.append({"name": "Idempotency-Key", "in": "header", "required": False, "schema": key})
    return found


def _responses(declared: Operation, refs: Any) -> dict[str, Any]:
    answers = {str(status): _answer(status, model, refs, declared) for status, model in declared.answers.items()}
    refused = ALWAYS | declared.refuses
    if declared.body is not None:
        refused |= {413, 415, 422}
    refused |= {422}
    if declared.method == "POST":
        refused |= {409}
    problem = {
        "description": "A problem document (RFC 9457).",
        "content": {"application/problem+json": {"schema": refs[schemas.ProblemOut, "serialization"]}},
    }
    return answers | {str(status): problem for status in sorted(refused)}


def _answer(status: int, model: type[BaseModel] | None, refs: Any, declared: Operation) -> dict[str, Any]:
    described = {200: "As asked.", 201: "Made.", 202: "Accepted; follow it in its deliveries.", 204: "Done."}
    answer: dict[str, Any] = {"description": described.get(status, "Not modified.")}
    if model is not None:
        schema = refs[model, "serialization"]
        if _trims(declared):
            schema = {"anyOf": [schema, {"$ref": f"{schema['$ref']}Part"}]}
        answer["content"] = {declared.produces: {"schema": schema}}
    elif declared.produces != "application/json" and status == 200:
        answer["content"] = {declared.produces: {"schema": TEXT}}
    return answer
