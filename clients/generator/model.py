"""The model of the API that the templates render, read from the OpenAPI document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from blogsvc.api.framework.openapi import document
from blogsvc.api.framework.openapi.names import schemas_of_operations

GENERATOR = Path(__file__).parent
METHODS: dict[str, str] = json.loads((GENERATOR.parent / "contract" / "methods.json").read_text())
# Operations that another operation covers: PUT does the same as PATCH.
ALIASES = {"replacePost"}
# The query parameter of all writes that is an option of the method.
DRY_RUN = "dryRun"
# Descriptions of methods that differ from the operation in the document, by operation or method name.
DESCRIPTIONS = {
    "streamEvents": "Runs until you stop it. If the connection drops, the client reconnects and continues after the"
    " last event: no event is missed or repeated. An error that a retry can't fix ends the stream.",
}

TypeKind = Literal[
    "string", "time", "integer", "number", "boolean", "bytes", "enum", "array", "map", "any", "ref", "union"
]
# What a method returns: a document, nothing, either of the two, a page of a list, or a stream of events.
ReturnKind = Literal["document", "none", "optional", "page", "stream"]


@dataclass(frozen=True)
class Type:
    """A JSON type.

    `items` is the type of array items or map values, `options` are the members of a union, `values` those of an enum.
    """

    kind: TypeKind
    is_nullable: bool = False
    name: str = ""
    items: Type | None = None
    values: tuple[Any, ...] = ()
    options: tuple[Type, ...] = ()


@dataclass(frozen=True)
class Field:
    """A schema property or a path or query parameter, under its name in the API."""

    name: str
    type: Type
    is_required: bool
    description: str = ""

    @property
    def snake(self) -> str:
        return snake(self.name)

    @property
    def unexplained_values(self) -> tuple[Any, ...]:
        """The values of the enum, or of the items of the list, unless the description names them all."""
        values = (self.type.items or self.type).values
        return () if all(f"`{value}`" in self.description for value in values) else values


@dataclass(frozen=True)
class Schema:
    name: str
    fields: tuple[Field, ...]
    description: str = ""
    is_input: bool = False


@dataclass(frozen=True)
class Method:
    """A method of a resource. Its arguments are `ids`, then the fields of `body` or `query`, then the options."""

    name: str
    operation: str
    verb: str
    path: str
    summary: str
    description: str
    scopes: tuple[str, ...]
    ids: tuple[Field, ...]
    query: tuple[Field, ...]
    body: tuple[Field, ...]
    # The request is a multipart form with a file.
    is_upload: bool
    returns: ReturnKind
    # The name of the returned schema, or of the rows of a page; empty if nothing is returned.
    schema: str
    accepts_if_match: bool
    accepts_if_none_match: bool
    accepts_wait: bool
    accepts_dry_run: bool

    @property
    def snake(self) -> str:
        return snake(self.name)

    @property
    def fields(self) -> tuple[Field, ...]:
        """Query and body fields in the order of the document, required ones first."""
        return tuple(sorted(self.query + self.body, key=lambda one: not one.is_required))

    def needed_scopes(self) -> str:
        """Return the sentence about the scopes, empty if any key may call the method."""
        names = " and ".join(f"`{scope}`" for scope in self.scopes)
        return f"Requires the scope{'s' * (len(self.scopes) > 1)} {names}." if names else ""

    @property
    def accepts_idempotency_key(self) -> bool:
        return self.verb == "POST"


@dataclass(frozen=True)
class Resource:
    name: str
    description: str
    methods: tuple[Method, ...]


@dataclass(frozen=True)
class Api:
    resources: tuple[Resource, ...]
    me: Method
    schemas: tuple[Schema, ...]

    @property
    def methods(self) -> Iterator[Method]:
        yield self.me
        for resource in self.resources:
            yield from resource.methods


def load() -> Api:
    """Load the document of this checkout. Raises KeyError if an operation is missing from methods.json."""
    return DocumentParser(document()).api()


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", name)


def camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def template_environment(language: str, **filters: Any) -> Environment:
    """Return the Jinja environment for the templates of a language."""
    environment = Environment(
        loader=FileSystemLoader(GENERATOR / "templates" / language),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701, the output is code, not HTML
    )
    environment.filters.update(filters)
    return environment


@dataclass(frozen=True)
class DocumentParser:
    document: dict[str, Any]

    def api(self) -> Api:
        found = sorted(self._methods(), key=lambda pair: pair[0])
        descriptions = {tag["name"]: tag["description"] for tag in self.document["tags"]}
        resources = tuple(
            Resource(name, descriptions[name], tuple(method for _, method in methods))
            for name, methods in groupby(found, key=lambda pair: pair[0])
            if name != "me"
        )
        me = next(method for name, method in found if name == "me")
        return Api(resources, me, tuple(self._schemas()))

    def _methods(self) -> Iterator[tuple[str, Method]]:
        for path, operations in self.document["paths"].items():
            for verb, spec in operations.items():
                if spec["operationId"] in ALIASES:
                    continue
                resource, _, name = METHODS[spec["operationId"]].partition(".")
                yield resource, self._method(name or resource, verb.upper(), path, spec)

    def _method(self, name: str, verb: str, path: str, spec: dict[str, Any]) -> Method:
        parameters = [_rename_platform_parameter(one) for one in spec.get("parameters", [])]
        by_location = {
            location: [one for one in parameters if one["in"] == location] for location in ("path", "query", "header")
        }
        headers = {one["name"] for one in by_location["header"]}
        contents = spec.get("requestBody", {}).get("content", {})
        is_upload = "multipart/form-data" in contents
        body = next((self._resolve_ref(content["schema"]) for content in contents.values()), {})
        returns, schema = self._returned(spec["responses"])
        return Method(
            name=name,
            operation=spec["operationId"],
            verb=verb,
            path=path.replace("{name}", "{platform}"),
            summary=spec["summary"],
            description=DESCRIPTIONS.get(spec["operationId"], spec.get("description", "")),
            scopes=tuple(spec["x-scopes"]),
            ids=tuple(self._parameter(one) for one in by_location["path"]),
            query=tuple(self._parameter(one) for one in by_location["query"] if one["name"] != DRY_RUN),
            body=tuple(one for one in self._fields(body) if not (is_upload and one.name == "file")),
            is_upload=is_upload,
            returns=returns,
            schema=schema,
            accepts_if_match="If-Match" in headers,
            accepts_if_none_match="If-None-Match" in headers,
            accepts_wait=spec["operationId"] == "publishPost",
            accepts_dry_run=any(one["name"] == DRY_RUN for one in by_location["query"]),
        )

    def _returned(self, responses: dict[str, Any]) -> tuple[ReturnKind, str]:
        successes = {status: one.get("content", {}) for status, one in responses.items() if status.startswith("2")}
        if any("text/event-stream" in content for content in successes.values()):
            return "stream", "Event"
        schemas = [content["application/json"]["schema"] for content in successes.values() if content]
        if not schemas:
            return "none", ""
        name = schemas[0].get("anyOf", schemas)[0]["$ref"].rpartition("/")[2]
        row = self._row_schema(name)
        if row:
            return "page", row
        return ("optional" if "204" in successes else "document"), name

    def _row_schema(self, name: str) -> str | None:
        """Return the schema of the rows if the named schema is a list."""
        data = self.document["components"]["schemas"][name].get("properties", {}).get("data", {})
        return data["items"]["$ref"].rpartition("/")[2] if data.get("type") == "array" else None

    def _parameter(self, spec: dict[str, Any]) -> Field:
        name = camel(spec["name"])
        return Field(name, self._type(spec["schema"]), spec["required"], spec.get("description", ""))

    def _schemas(self) -> Iterator[Schema]:
        for name, schema in schemas_of_operations(self.document).items():
            if "properties" in schema and not name.endswith("Part") and not self._row_schema(name):
                is_input = name.endswith(("Input", "Change"))
                yield Schema(name, tuple(self._fields(schema)), schema.get("description", ""), is_input)

    def _fields(self, schema: dict[str, Any]) -> Iterator[Field]:
        required = set(schema.get("required", ()))
        for name, spec in schema.get("properties", {}).items():
            yield Field(name, self._type(spec), name in required, spec.get("description", ""))

    def _resolve_ref(self, schema: dict[str, Any]) -> dict[str, Any]:
        name = schema.get("$ref", "").rpartition("/")[2]
        found: dict[str, Any] = self.document["components"]["schemas"][name] if name else schema
        return found

    def _type(self, schema: dict[str, Any]) -> Type:
        options = [one for one in schema.get("anyOf", schema.get("oneOf", ())) if one.get("type") != "null"]
        if options:
            is_nullable = len(options) < len(schema.get("anyOf", options))
            types = tuple(self._type(one) for one in options)
            return _nullable(types[0], is_nullable) if len(types) == 1 else Type("union", is_nullable, options=types)
        if "$ref" in schema:
            return Type("ref", name=schema["$ref"].rpartition("/")[2])
        if "const" in schema or "enum" in schema:
            return Type("enum", values=tuple(schema.get("enum", (schema.get("const"),))))
        match schema.get("type"):
            case "array":
                return Type("array", items=self._type(schema["items"]))
            case "object":
                values = next(iter(schema.get("patternProperties", {}).values()), schema.get("additionalProperties"))
                return Type("map", items=self._type(values) if isinstance(values, dict) else Type("any"))
            case "string" if schema.get("format") == "date-time":
                return Type("time")
            case "string" if "contentMediaType" in schema:
                return Type("bytes")
            case "string" | "integer" | "number" | "boolean" as kind:
                return Type(kind)
        return Type("any")


def _rename_platform_parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    """Rename the path parameter `name` to `platform`, since the body may also have a field `name`."""
    is_path_name = parameter["in"] == "path" and parameter["name"] == "name"
    return {**parameter, "name": "platform"} if is_path_name else parameter


def _nullable(type_: Type, is_nullable: bool) -> Type:
    return Type(type_.kind, is_nullable, type_.name, type_.items, type_.values, type_.options)
