"""Generate the OpenAPI 3.1 document from the declared operations, their schemas and the recorded examples."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from flask import Response
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from blogsvc import context
from blogsvc.api import schemas
from blogsvc.api.framework import problems
from blogsvc.api.framework.openapi import examples, headers
from blogsvc.api.framework.openapi.description import DESCRIPTION
from blogsvc.api.framework.openapi.links import links
from blogsvc.api.framework.openapi.names import named_schemas, with_public_names
from blogsvc.api.framework.openapi.operation import REF, Refs, operation_object, parts, path_of, tag_of
from blogsvc.api.framework.openapi.webhook_messages import message_schemas, webhooks
from blogsvc.api.framework.operations import OPERATIONS, Operation, blueprint

__all__ = ["document", "path_of"]

# The instance in the document that is not for a certain instance, from which the docs and the clients are generated.
EXAMPLE_URL = "https://your-blog.example"


@blueprint.get("/openapi.json")
def openapi() -> Response:
    answer = Response(_text(context.tools().config.public_url), mimetype="application/json")
    answer.headers["Cache-Control"] = "public, max-age=300"
    return answer


@cache
def _text(base_url: str) -> str:
    return json.dumps(document(base_url=base_url))


def document(operations: Sequence[Operation] = OPERATIONS, base_url: str = EXAMPLE_URL) -> dict[str, Any]:
    """Return the document of an instance at `base_url`."""
    refs, definitions = models_json_schema(_models(operations), ref_template=REF)
    named = named_schemas(definitions["$defs"] | parts(definitions["$defs"], operations))
    paths: dict[str, dict[str, Any]] = {}
    for declared in operations:
        found = operation_object(declared, refs)
        for status, more in links(declared, operations).items():
            found["responses"][str(status)]["links"] = more
        paths.setdefault(path_of(declared.path), {})[declared.method.lower()] = found
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "blogsvc",
            "version": "1",
            "summary": "Write a post once; publish it on your blog and on other platforms.",
            "description": DESCRIPTION,
            "contact": {"name": "blogsvc API documentation", "url": f"{base_url}/api/v1/docs"},
            "license": {"name": "MIT License", "identifier": "MIT"},
        },
        "servers": [{"url": f"{base_url}/api/v1", "description": "This instance."}],
        "security": [{"key": []}],
        "tags": _tags(operations),
        "paths": with_public_names(paths),
        "webhooks": webhooks(),
        "components": {
            "schemas": named | message_schemas(named["Event"]),
            "examples": _used(paths, "examples", _problem_examples()),
            "headers": _used(paths, "headers", headers.COMPONENTS),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "An API key, `bsk_...`."}},
        },
    }


def _problem_examples() -> dict[str, Any]:
    found = {slug: examples.of_problem(slug) for slug in problems.PROBLEM_TYPES}
    return {slug: examples.example(exchange) for slug, exchange in found.items() if exchange is not None}


def _used(paths: dict[str, Any], kind: str, components: dict[str, Any]) -> dict[str, Any]:
    """Return the components of a kind that an operation refers to."""
    used = set(re.findall(rf'"#/components/{kind}/([^"]+)"', json.dumps(paths)))
    return {name: component for name, component in components.items() if name in used}


def _models(operations: Sequence[Operation]) -> Refs:
    ins = [declared.body for declared in operations if declared.body]
    outs: list[type[BaseModel]] = [model for declared in operations for model in declared.answers.values() if model]
    outs += [schemas.ProblemOut, schemas.PostSummaryOut, schemas.EventOut]
    return [(m, "validation") for m in dict.fromkeys(ins)] + [(m, "serialization") for m in dict.fromkeys(outs)]


def _tags(operations: Sequence[Operation]) -> list[dict[str, str]]:
    """Return the tags. Each is described by the module of the same name, or else by that of its first operation."""
    descriptions: dict[str, str] = {}
    for declared in operations:
        tag = tag_of(declared)
        sentence = declared.noun.partition("\n")[0]
        name, colon, words = sentence.partition(": ")
        if tag not in descriptions or name.lower() == tag:
            descriptions[tag] = words[:1].upper() + words[1:] if colon else sentence
    return [{"name": tag, "description": words} for tag, words in sorted(descriptions.items())]
