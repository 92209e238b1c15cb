"""Generate docs/api.md from the OpenAPI document: operations, schemas, problems, scopes and public endpoints."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from inspect import getmodule
from pathlib import Path
from typing import Any

from blogsvc import create_app
from blogsvc.api.framework.openapi import document
from blogsvc.api.framework.openapi.names import schemas_of_operations
from blogsvc.api.framework.operations import OPERATIONS, Operation
from blogsvc.api.framework.problems import PROBLEM_TYPES
from blogsvc.api.schemas import fields
from blogsvc.config import Config
from blogsvc.models.key import SCOPE_MEANINGS
from docs.tables import code, prose, sentence, table

BOUNDS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minimum": "from {}",
    "maximum": "up to {}",
    "pattern": "`{}`",
}
# Descriptions of patterns that are hard to read. The pattern that only excludes NUL is not shown.
IN_WORDS = {
    fields.TEXT_PATTERN: "",
    fields.LINE: "one line",
    fields.FILLED_LINE: "one line",
    fields.WEB_ADDRESS: "a URL that starts with https:// or http://",
}


def api() -> Iterator[str]:
    described = document()
    operations = [(declared, _described(described, declared)) for declared in OPERATIONS]
    usual = set.intersection(*(_refusals(found) for _, found in operations))
    yield "# API reference\n"
    yield "This page lists the operations, schemas, problems and scopes of the JSON API.\n"
    yield prose("""
        The base path is `/api/v1`. Send requests over HTTPS with `Authorization: Bearer <API key>`. To create an API
        key, run `blogsvc key create NAME`. Its scopes decide which operations it can use, and each operation counts
        towards the limit of one rate tier ([settings](settings.md) lists the limits). A running server provides this
        reference as OpenAPI 3.1 at `/api/v1/openapi.json`, and as an interactive page with examples at `/api/v1/docs`.
    """)
    yield prose("""
        The [guides](guides/README.md) cover common tasks. [API versioning](versions.md) explains how the API changes.
    """)
    yield prose(f"""
        Every operation can return the errors {_statuses(usual)}; see [problems](#problems). Unknown fields and
        parameters are rejected. In a query, repeat a list parameter or separate its values with commas. Times are RFC
        3339: requests accept any offset, but not a time without one; responses use UTC with three fractional digits,
        such as `2026-11-24T09:00:00.000Z`. Lengths are in characters (Unicode code points), unless stated otherwise.
    """)
    yield "## Operations\n"
    yield from table("operation | description | scope | rate tier", (_row(declared) for declared in OPERATIONS))
    for declared, found in operations:
        yield from _operation(declared, found, usual)
    yield from _documents(schemas_of_operations(described))
    yield from _problems()
    yield "## Scopes\n"
    yield "The scopes of an API key. `all` includes every scope.\n"
    yield from table(
        "scope | allows | operations",
        ((f"`{scope}`", means, _uses(scope)) for scope, means in SCOPE_MEANINGS.items()),
    )
    yield "## Public endpoints\n"
    yield "These paths need no API key.\n"
    yield from table("path | description", _pages())


def _path(declared: Operation) -> str:
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", declared.path)


def _described(described: dict[str, Any], declared: Operation) -> dict[str, Any]:
    found: dict[str, Any] = described["paths"][_path(declared)][declared.method.lower()]
    return found


def _refusals(found: dict[str, Any]) -> set[int]:
    refusing = "application/problem+json"
    return {int(status) for status, answer in found["responses"].items() if refusing in answer.get("content", {})}


def _statuses(statuses: Iterable[int]) -> str:
    return ", ".join(str(status) for status in sorted(statuses))


def _row(declared: Operation) -> tuple[str, ...]:
    name = f"{declared.method} {_path(declared)}"
    anchor = re.sub(r"[^\w -]", "", name).lower().replace(" ", "-")
    return f"[`{name}`](#{anchor})", declared.summary, _scopes(declared, " + "), declared.tier


def _scopes(declared: Operation, between: str) -> str:
    return between.join(declared.scopes) or "any key"


def _operation(declared: Operation, found: dict[str, Any], usual: set[int]) -> Iterator[str]:
    yield f"### {declared.method} {_path(declared)}\n"
    yield f"{declared.summary}.\n"
    if declared.description:
        yield f"{declared.description}\n"
    named = [f"`{scope}`" for scope in declared.scopes]
    yield f"Scope: {' and '.join(named) or 'any key'}. Rate tier: {declared.tier}."
    answers = {status: answer for status, answer in found["responses"].items() if int(status) not in _refusals(found)}
    yield f"Response: {' or '.join(f'{status} {_answer(answer)}' for status, answer in answers.items())}."
    if more := _refusals(found) - usual:
        yield f"Other errors: {_statuses(more)}."
    yield ""
    parameters = [parameter for parameter in found["parameters"] if parameter["in"] != "path"]
    if parameters:
        rows = (
            (f"`{each['name']}`", each["in"], _kind(each["schema"]), each.get("description", "")) for each in parameters
        )
        yield from table("parameter | in | type | description", rows)
    if declared.body is not None:
        is_needed = "" if declared.is_body_required else " (optional)"
        form = "" if declared.max_bytes is None else f", as {declared.body_type}"
        schema = found["requestBody"]["content"][declared.body_type]["schema"]
        yield f"Request body: {_kind(schema)}{form}{is_needed}.\n"


def _answer(answer: dict[str, Any]) -> str:
    if "content" not in answer:
        return "without body"
    ((_, content),) = answer["content"].items()
    return _kind(content["schema"])


def _documents(schemas: dict[str, Any]) -> Iterator[str]:
    yield "## Schemas\n"
    yield prose("""
        The JSON documents in requests (names that end in Input or Change) and responses. Fields marked * are required
        in requests and always present in responses.
    """)
    for name, schema in sorted(schemas.items()):
        yield f"### {name}\n"
        if described := schema.get("description"):
            yield f"{' '.join(described.split())}\n"
        needed = schema.get("required", [])
        rows = (
            (f"`{field}`{'*' if field in needed else ''}", _kind(part), part["description"])
            for field, part in schema.get("properties", {}).items()
        )
        yield from table("field | type | description", rows)


def _kind(schema: dict[str, Any]) -> str:
    """Return a description of a schema."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_kind(option) for option in schema["anyOf"])
    if "enum" in schema:
        return "one of " + code(schema["enum"])
    if "const" in schema:
        return f"`{str(schema['const']).lower()}`"
    said = [_shape(schema), *(_bound(name, schema[name]) for name in BOUNDS if name in schema)]
    if schema.get("default") is not None:
        said.append(f"default `{schema['default']}`".replace("`False`", "`false`"))
    return ", ".join(filter(None, said))


def _bound(name: str, value: Any) -> str:
    return IN_WORDS[value] if value in IN_WORDS else BOUNDS[name].format(value)


def _shape(schema: dict[str, Any]) -> str:
    match schema.get("type"):
        case "array":
            return f"list of {_kind(schema['items']).replace('one of', 'any of')}"
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            return f"object of {_kind(schema['additionalProperties'])}"
        case "string" if "contentMediaType" in schema:
            return "file"
        case "string" if schema.get("format") in ("date", "date-time"):
            return str(schema["format"])
        case "string":
            return "string"
        case None:
            return "any type"
        case plain:
            return str(plain)


def _problems() -> Iterator[str]:
    yield "## Problems\n"
    yield prose("""
        Every error response is `application/problem+json` (RFC 9457). Its `type` is the address of a page on your
        server that explains the problem, and ends with one of these names.
    """)
    rows = ((f"`{kind.slug}`", str(kind.status), kind.title, kind.meaning) for kind in PROBLEM_TYPES.values())
    yield from table("type | status | title | meaning", rows)


def _uses(scope: str) -> str:
    return code(f"{o.method} {_path(o)}" for o in OPERATIONS if scope in o.scopes) or "none yet"


def _pages() -> Iterator[tuple[str, str]]:
    """Return the public routes, grouped by description: the docstring of the view or of its module."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Config(instance=Path(folder)))
    declared = {f"api.{operation.name}" for operation in OPERATIONS}
    found: dict[str, list[str]] = {}
    for rule in app.url_map.iter_rules():
        if rule.endpoint not in declared | {"static"} and not rule.endpoint.startswith("desk."):
            view = app.view_functions[rule.endpoint]
            path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
            found.setdefault(sentence(view) or sentence(getmodule(view)), []).append(path)
    yield from sorted((code(sorted(paths)), what) for what, paths in found.items())
