"""Generates the PHP library's classes for resources and records."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from blogsvc.api.framework.openapi import document
from clients.generator.model import Api, Field, Method, Resource, Schema, Type, template_environment

SRC = "php/src"
WIDTH = 120
# The maximum length of the literals of an enum in a type, in characters.
MAX_LITERALS_LENGTH = 80
# Traits with handwritten methods, by resource.
TRAITS = {"posts": "PollsPosts"}
# Exceptions that are specific to an operation, by status. Every operation may throw the others.
SPECIFIC_EXCEPTIONS = {
    "404": "NotFoundException",
    "409": "ConflictException",
    "412": "PreconditionFailedException",
    "422": "InvalidException",
}
# Options: type and description.
OPTIONS = {
    "idempotencyKey": ("string", "the idempotency key; default: a new UUID for each call"),
    "ifMatch": ("string", "an ETag; the request fails if the resource has changed since"),
    "ifNoneMatch": ("string", "an ETag; returns null if the resource has not changed since"),
    "wait": ("int", "seconds the server may wait for the deliveries before it responds, 1 to 30"),
    "dryRun": ("bool", "true returns the result that the call would have, and changes nothing"),
    "filename": ("string", "the file name; default: that of the path; required for a stream resource"),
}


def generate(api: Api) -> dict[str, str]:
    """Return the text of each generated file by its path relative to clients/."""
    doc_types = DocTypes(api)
    environment = template_environment(
        "php",
        class_name=class_name,
        comment=comment,
        property=doc_types.property,
        property_description=doc_types.property_description,
        parameter=doc_types.parameter,
        nested=doc_types.nested,
        field_descriptions=field_descriptions,
        object_fields=object_fields,
        options=options_of,
        signature=signature,
        id_type=id_type,
        requestor_method=requestor_method,
        return_type=return_type,
    )
    render = partial(_render, environment, throws=throws(), option_docs=OPTIONS)
    files = {f"{SRC}/Internal/Resources.php": render("resources.php.j2", api=api)}
    for resource in api.resources:
        trait = TRAITS.get(resource.name)
        files[f"{SRC}/Resource/{class_name(resource)}.php"] = render("resource.php.j2", resource=resource, trait=trait)
    for schema in api.schemas:
        if not schema.is_input:
            files[f"{SRC}/Record/{schema.name}.php"] = render("record.php.j2", schema=schema)
    return files


def class_name(resource: Resource) -> str:
    return resource.name[0].upper() + resource.name[1:]


def options_of(method: Method) -> list[str]:
    """Return the names of the options that a method accepts."""
    options = {
        "idempotencyKey": method.accepts_idempotency_key,
        "ifMatch": method.accepts_if_match,
        "ifNoneMatch": method.accepts_if_none_match,
        "wait": method.accepts_wait,
        "dryRun": method.accepts_dry_run,
        "filename": method.is_upload,
    }
    return [name for name, is_accepted in options.items() if is_accepted]


def object_fields(method: Method) -> list[str]:
    """Return the body fields that are JSON objects. PHP would encode an empty array as a list."""
    return [field.name for field in method.body if field.type.kind in ("map", "ref")]


def throws() -> dict[str, list[str]]:
    """Return the exceptions that are specific to each operation, by operation id."""
    operations = (one for by_verb in document()["paths"].values() for one in by_verb.values())
    return {
        one["operationId"]: [name for status, name in SPECIFIC_EXCEPTIONS.items() if status in one["responses"]]
        for one in operations
    }


def signature(method: Method) -> str:
    """Return the parameters of a method: ids, fields, options."""
    parameters = [f"{id_type(one)} ${one.name}" for one in method.ids]
    if method.is_upload:
        parameters.append("mixed $file")
    if method.fields:
        is_required = method.verb == "PATCH" or any(one.is_required for one in method.fields)
        parameters.append("array $fields" if is_required else "array $fields = []")
    if options_of(method):
        parameters.append("array $options = []")
    return ", ".join(parameters)


def id_type(id_: Field) -> str:
    return SCALARS[id_.type.kind]


def requestor_method(method: Method) -> str:
    """Return the method of the class Requestor that sends the request."""
    if method.returns == "page":
        return "requestPage"
    return "requestOrNull" if may_return_null(method) else "request"


def return_type(method: Method) -> str:
    """Return the PHP return type of a method."""
    record = f"{'?' if may_return_null(method) else ''}Record\\{method.schema}"
    return {"page": "Page", "stream": r"\Generator", "none": "void"}.get(method.returns, record)


def may_return_null(method: Method) -> bool:
    return method.returns == "optional" or method.accepts_if_none_match


def is_long(type_: Type) -> bool:
    """Return True if an enum has too many values to list them in its type."""
    return len("|".join(map(_literal, type_.values))) > MAX_LITERALS_LENGTH


def field_descriptions(method: Method) -> dict[str, str]:
    """Return the descriptions of the fields of a method, by name."""
    descriptions = {
        field.name: f"{field.description} {_choices(_innermost(field.type))}".strip() for field in method.fields
    }
    return {name: text for name, text in descriptions.items() if text}


def comment(text: str, indent: int = 0, first: str = "") -> str:
    """Return the lines of a doc comment, wrapped. `first` precedes each paragraph."""
    margin = " " * indent + " * "
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    return f"\n{margin.rstrip()}\n".join(
        textwrap.fill(
            first + paragraph,
            WIDTH,
            initial_indent=margin,
            subsequent_indent=margin + " " * len(first),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for paragraph in paragraphs
    )


def _render(environment: Any, name: str, **variables: Any) -> str:
    text: str = environment.get_template(name).render(**variables)
    return text


class DocTypes:
    """Translates the types of the API into types in doc comments."""

    def __init__(self, api: Api) -> None:
        self.schemas = {schema.name: schema for schema in api.schemas}

    def property(self, field: Field) -> str:
        """Return the type of a record's property. An enum is a string, since a newer server may return new values."""
        return "|".join(dict.fromkeys(self._property(field.type)))

    def property_description(self, field: Field) -> str:
        """Return the known values and the description of a record's property."""
        values = [value for value in field.unexplained_values if isinstance(value, str)] if field.type.values else []
        return " ".join(filter(None, (", ".join(values), field.description)))

    def nested(self, schema: Schema) -> dict[str, str]:
        """Return the fields of a record that are records or lists of records, with their classes."""
        found = ((field.name, _innermost(field.type)) for field in schema.fields)
        return {name: type_.name for name, type_ in found if type_.kind == "ref"}

    def parameter(self, fields: Iterable[Field], indent: int) -> str:
        """Return the array shape of a method's fields, indented by this many spaces in the comment."""
        margin = "     * " + " " * indent
        lines = (
            f"{margin}    {one.name}{'' if one.is_required else '?'}: {self._argument(one.type, indent + 4)},\n"
            for one in sorted(fields, key=lambda field: not field.is_required)
        )
        return "array{\n" + "".join(lines) + margin + "}"

    def _property(self, type_: Type) -> Iterator[str]:
        match type_.kind:
            case "time":
                yield r"\DateTimeImmutable"
            case "array":
                assert type_.items is not None
                yield f"list<{'|'.join(self._property(type_.items))}>"
            case "map":
                yield "Record"
            case "ref":
                yield type_.name
            case "union":
                for option in type_.options:
                    yield from self._property(option)
            case "enum":
                yield from dict.fromkeys(_scalar(value) for value in type_.values)
            case kind:
                yield SCALARS[kind]
        if type_.is_nullable:
            yield "null"

    def _argument(self, type_: Type, indent: int) -> str:
        return "|".join(dict.fromkeys(self._alternatives(type_, indent)))

    def _alternatives(self, type_: Type, indent: int) -> Iterator[str]:
        match type_.kind:
            case "time":
                yield from (r"\DateTimeInterface", "string")
            case "array":
                assert type_.items is not None
                yield f"list<{self._argument(type_.items, indent)}>"
            case "map":
                assert type_.items is not None
                yield f"array<string, {self._argument(type_.items, indent)}>|Record"
            case "ref":
                yield self.parameter(self.schemas[type_.name].fields, indent)
                yield "Record"
            case "union":
                for option in type_.options:
                    yield from self._alternatives(option, indent)
            case "enum":
                yield from ["string"] if is_long(type_) else map(_literal, type_.values)
            case "number":
                yield "float|int"
            case kind:
                yield SCALARS[kind]
        if type_.is_nullable:
            yield "null"


SCALARS = {"string": "string", "integer": "int", "number": "float", "boolean": "bool", "any": "mixed"}


def _scalar(value: Any) -> str:
    return {str: "string", bool: "bool", int: "int"}[type(value)]


def _literal(value: Any) -> str:
    return repr(value).lower() if isinstance(value, bool) else repr(value)


def _choices(type_: Type) -> str:
    return f"One of {', '.join(map(str, type_.values))}." if type_.kind == "enum" and is_long(type_) else ""


def _innermost(type_: Type) -> Type:
    """Return the type of the items of a list, or of nested lists."""
    while type_.kind == "array" and type_.items is not None:
        type_ = type_.items
    return type_
