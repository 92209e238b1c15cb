"""The OpenAPI document as the templates want it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from blogsvc.api.framework.openapi import document

HERE = Path(__file__).parent
METHODS: dict[str, str] = json.loads((HERE.parent / "contract" / "methods.json").read_text())
# What a language has already, or what would say too little.
RENAMED = {"ErrorOut": "DeliveryError", "RangeOut": "DateRange", "DayOut": "DayFigures", "PublishedOut": "Post"}
# PUT and PATCH are one operation of the API.
SAME = {"replace_post"}

TypeKind = Literal[
    "string", "time", "integer", "number", "boolean", "bytes", "enum", "array", "map", "any", "ref", "union"
]
# What a method answers: a document, nothing, one or the other, a page of a list, a stream of events.
Answers = Literal["one", "none", "maybe", "page", "stream"]


@dataclass(frozen=True)
class Type:
    """`items` are those of an array or the values of a map, `options` those of a union; `values` those of an enum."""

    kind: TypeKind
    is_nullable: bool = False
    name: str = ""
    items: Type | None = None
    values: tuple[Any, ...] = ()
    options: tuple[Type, ...] = ()


@dataclass(frozen=True)
class Field:
    """A field of a schema or a parameter of a query: its name in the API, and what is known of it."""

    name: str
    type: Type
    is_required: bool
    description: str = ""

    @property
    def snake(self) -> str:
        return snake(self.name)


@dataclass(frozen=True)
class Schema:
    name: str
    fields: tuple[Field, ...]
    description: str = ""
    is_input: bool = False


@dataclass(frozen=True)
class Method:
    """One method of a resource. Its arguments are `ids`, then the fields of `body` or `query`, then the options."""

    name: str
    operation: str
    verb: str
    path: str
    summary: str
    description: str
    scope: str | None
    ids: tuple[Field, ...]
    query: tuple[Field, ...]
    body: tuple[Field, ...]
    # A file goes along, in a form.
    is_upload: bool
    answers: Answers
    # The name of the schema that is answered; of its rows, for a page; none where nothing is.
    answer: str
    takes_if_match: bool
    takes_if_none_match: bool
    takes_wait: bool
    # What goes into the query whatever is asked.
    fixed: dict[str, str] = field(default_factory=dict)

    @property
    def snake(self) -> str:
        return snake(self.name)

    @property
    def fields(self) -> tuple[Field, ...]:
        """Required ones first, in the order of the document."""
        return tuple(sorted(self.query + self.body, key=lambda one: not one.is_required))

    @property
    def takes_idempotency_key(self) -> bool:
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
    """The document of this very checkout. Raises KeyError for an operation that methods.json does not name."""
    return Reader(document()).api()


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", name)


def camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def templates(language: str, **filters: Any) -> Environment:
    """The templates of a language, with its filters."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates" / language),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701, it writes code, not HTML
    )
    environment.filters.update(filters)
    return environment


@dataclass(frozen=True)
class Reader:
    document: dict[str, Any]

    def api(self) -> Api:
        found = sorted(self._methods(), key=lambda pair: pair[0])
        notes = {tag["name"]: tag["description"] for tag in self.document["tags"]}
        resources = tuple(
            Resource(name, notes[name], tuple(method for _, method in methods))
            for name, methods in groupby(found, key=lambda pair: pair[0])
            if name != "me"
        )
        me = next(method for name, method in found if name == "me")
        return Api(resources, me, tuple(self._schemas()))

    def _methods(self) -> Iterator[tuple[str, Method]]:
        for path, operations in self.document["paths"].items():
            for verb, declared in operations.items():
                if declared["operationId"] in SAME:
                    continue
                resource, _, name = METHODS[declared["operationId"]].partition(".")
                method = self._method(name or resource, verb.upper(), path, declared)
                yield from ((resource, one) for one in _parted(method))

    def _method(self, name: str, verb: str, path: str, declared: dict[str, Any]) -> Method:
        parameters = [_renamed(one) for one in declared.get("parameters", [])]
        by_place = {place: [one for one in parameters if one["in"] == place] for place in ("path", "query", "header")}
        headers = {one["name"] for one in by_place["header"]}
        contents = declared.get("requestBody", {}).get("content", {})
        is_upload = "multipart/form-data" in contents
        body = next((self._resolved(content["schema"]) for content in contents.values()), {})
        answers, answer = self._answer(declared["responses"])
        return Method(
            name=name,
            operation=declared["operationId"],
            verb=verb,
            path=path.replace("{name}", "{platform}"),
            summary=declared["summary"],
            description=declared.get("description", ""),
            scope=declared.get("x-scope"),
            ids=tuple(self._parameter(one) for one in by_place["path"]),
            query=tuple(self._parameter(one) for one in by_place["query"]),
            body=tuple(one for one in self._fields(body) if not (is_upload and one.name == "file")),
            is_upload=is_upload,
            answers=answers,
            answer=answer,
            takes_if_match="If-Match" in headers,
            takes_if_none_match="If-None-Match" in headers,
            takes_wait=declared["operationId"] == "publish_post",
        )

    def _answer(self, responses: dict[str, Any]) -> tuple[Answers, str]:
        good = {status: one.get("content", {}) for status, one in responses.items() if status.startswith("2")}
        if any("text/event-stream" in content for content in good.values()):
            return "stream", "Event"
        schemas = [content["application/json"]["schema"] for content in good.values() if content]
        if not schemas:
            return "none", ""
        name = schemas[0].get("anyOf", schemas)[0]["$ref"].rpartition("/")[2]
        row = self._row(name)
        if row:
            return "page", row
        return ("maybe" if "204" in good else "one"), type_name(name)

    def _row(self, name: str) -> str | None:
        """What a list is made of, where a schema is one."""
        data = self.document["components"]["schemas"][name].get("properties", {}).get("data", {})
        return type_name(data["items"]["$ref"].rpartition("/")[2]) if data.get("type") == "array" else None

    def _parameter(self, declared: dict[str, Any]) -> Field:
        name = camel(declared["name"])
        return Field(name, self._type(declared["schema"]), declared["required"], declared.get("description", ""))

    def _schemas(self) -> Iterator[Schema]:
        for name, schema in self.document["components"]["schemas"].items():
            if "properties" in schema and not name.endswith("Part") and not self._row(name):
                is_input = name.endswith(("In", "Change"))
                yield Schema(type_name(name), tuple(self._fields(schema)), schema.get("description", ""), is_input)

    def _fields(self, schema: dict[str, Any]) -> Iterator[Field]:
        required = set(schema.get("required", ()))
        for name, declared in schema.get("properties", {}).items():
            yield Field(name, self._type(declared), name in required, declared.get("description", ""))

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
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
            return Type("ref", name=type_name(schema["$ref"].rpartition("/")[2]))
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


def type_name(name: str) -> str:
    """`PostOut` is a Post, `PostIn` the input for one."""
    return RENAMED.get(name) or re.sub(r"In$", "Input", re.sub(r"Out$", "", name))


def _renamed(parameter: dict[str, Any]) -> dict[str, Any]:
    """What names a platform in a path; a new `name` may be among the fields."""
    is_it = parameter["in"] == "path" and parameter["name"] == "name"
    return {**parameter, "name": "platform"} if is_it else parameter


def _nullable(type_: Type, is_nullable: bool) -> Type:
    return Type(type_.kind, is_nullable, type_.name, type_.items, type_.values, type_.options)


def _parted(method: Method) -> Iterator[Method]:
    """A dry run answers something else, so it is a method of its own."""
    if method.operation != "publish_post":
        yield method
        return
    words = {**vars(method), "query": tuple(one for one in method.query if one.name != "dryRun")}
    yield Method(**words)
    dry = {"name": "dryRun", "answer": "DryRun", "takes_wait": False, "fixed": {"dryRun": "true"}}
    yield Method(**words | dry | {"summary": "What publishing would send to each platform; it sends nothing"})
