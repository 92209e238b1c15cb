"""What is generated of the PHP library: a class for each resource, and one for each kind of answer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from blogsvc.api.framework.openapi import document
from clients.generator.model import Api, Field, Method, Resource, Schema, Type, templates

SRC = "php/src"
WIDTH = 120
# Characters of literals in a type.
MOST_LITERALS = 80
# Methods that are written by hand, by the resource that has them.
TRAITS = {"posts": "WaitsForPosts"}
# The answers that say something of this very operation; the others may come to all.
TELLING = {
    "404": "NotFoundException",
    "409": "ConflictException",
    "412": "PreconditionFailedException",
    "422": "InvalidException",
}
# What is said of an option: its type, and what it does.
OPTIONS = {
    "idempotencyKey": ("string", "your name for this request: sent again under it within a day, it is done once"),
    "ifMatch": ("string", "an ETag; where somebody else made a change since, nothing is done"),
    "ifNoneMatch": ("string", "an ETag; null is answered where nothing has changed since"),
    "wait": ("int", "for how many seconds the server waits until the copies are there, 1 to 30"),
    "filename": ("string", "as the file is to be called; must be there for a resource"),
}


def files(api: Api) -> dict[str, str]:
    """Every generated file of the PHP library and its text, by its path from clients/."""
    speech = Speech(api)
    environment = templates(
        "php",
        class_name=class_name,
        comment=comment,
        property=speech.property,
        note=speech.note,
        parameter=speech.parameter,
        nested=speech.nested,
        explained=explained,
        objects=objects,
        options=options_of,
        signature=signature,
        id_type=id_type,
        asks=asks,
        answer_type=answer_type,
    )
    render = partial(_rendered, environment, throws=throws(), said=OPTIONS)
    written = {f"{SRC}/Internal/Resources.php": render("resources.php.j2", api=api)}
    for resource in api.resources:
        trait = TRAITS.get(resource.name)
        written[f"{SRC}/Resource/{class_name(resource)}.php"] = render(
            "resource.php.j2", resource=resource, trait=trait
        )
    for schema in api.schemas:
        if not schema.is_input:
            written[f"{SRC}/Record/{schema.name}.php"] = render("record.php.j2", schema=schema)
    return written


def class_name(resource: Resource) -> str:
    return resource.name[0].upper() + resource.name[1:]


def options_of(method: Method) -> list[str]:
    """The options that a method takes."""
    takes = {
        "idempotencyKey": method.takes_idempotency_key,
        "ifMatch": method.takes_if_match,
        "ifNoneMatch": method.takes_if_none_match,
        "wait": method.takes_wait,
        "filename": method.is_upload,
    }
    return [name for name, is_taken in takes.items() if is_taken]


def objects(method: Method) -> list[str]:
    """The fields of a body that are objects in JSON. An empty one is an empty array in PHP, which would be a list."""
    return [field.name for field in method.body if field.type.kind in ("map", "ref")]


def throws() -> dict[str, list[str]]:
    """The exceptions that say something of an operation, by its id."""
    operations = (one for by_verb in document()["paths"].values() for one in by_verb.values())
    return {
        one["operationId"]: [name for status, name in TELLING.items() if status in one["responses"]]
        for one in operations
    }


def signature(method: Method) -> str:
    """The parameters of a method: ids, fields, options."""
    words = [f"{id_type(one)} ${one.name}" for one in method.ids]
    if method.is_upload:
        words.append("mixed $file")
    if method.fields:
        is_needed = method.verb == "PATCH" or any(one.is_required for one in method.fields)
        words.append("array $fields" if is_needed else "array $fields = []")
    if options_of(method):
        words.append("array $options = []")
    return ", ".join(words)


def id_type(id_: Field) -> str:
    return SCALARS[id_.type.kind]


def asks(method: Method) -> str:
    """The method of the class Api by which it is asked."""
    if method.answers == "page":
        return "page"
    return "maybe" if may_be_nothing(method) else "one"


def answer_type(method: Method) -> str:
    """The type that PHP knows of an answer."""
    record = f"{'?' if may_be_nothing(method) else ''}Record\\{method.answer}"
    return {"page": "Page", "stream": r"\Generator", "none": "void"}.get(method.answers, record)


def may_be_nothing(method: Method) -> bool:
    return method.answers == "maybe" or method.takes_if_none_match


def is_long(type_: Type) -> bool:
    """Whether an enum has so many values that they are told in words."""
    return len("|".join(map(_literal, type_.values))) > MOST_LITERALS


def explained(method: Method) -> dict[str, str]:
    """What is to be said of the fields of a method, by their names."""
    told = {field.name: f"{field.description} {_choices(_innermost(field.type))}".strip() for field in method.fields}
    return {name: text for name, text in told.items() if text}


def comment(text: str, indent: int = 0, first: str = "") -> str:
    """A text as lines of a doc comment. What the API's document has wrapped is wrapped anew; `first` begins it."""
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


def _rendered(environment: Any, name: str, **words: Any) -> str:
    text: str = environment.get_template(name).render(**words)
    return text


class Speech:
    """How PHP's doc comments say the types of the API."""

    def __init__(self, api: Api) -> None:
        self.schemas = {schema.name: schema for schema in api.schemas}

    def property(self, field: Field) -> str:
        """What the property of a record is. Kinds that are not known yet may come, so an enum is a text."""
        return "|".join(dict.fromkeys(self._property(field.type)))

    def note(self, field: Field) -> str:
        """What is said of the property of a record: the values that are known today, and its description."""
        values = [value for value in field.type.values if isinstance(value, str)]
        return " ".join(filter(None, (", ".join(values), field.description)))

    def nested(self, schema: Schema) -> dict[str, str]:
        """The fields of a record that are records, or lists of them, and their class."""
        found = ((field.name, _innermost(field.type)) for field in schema.fields)
        return {name: type_.name for name, type_ in found if type_.kind == "ref"}

    def parameter(self, fields: Iterable[Field], indent: int) -> str:
        """The array shape of what a method takes, its lines indented by so many spaces in the comment."""
        margin = "     * " + " " * indent
        lines = (
            f"{margin}    {one.name}{'' if one.is_required else '?'}: {self._given(one.type, indent + 4)},\n"
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

    def _given(self, type_: Type, indent: int) -> str:
        return "|".join(dict.fromkeys(self._options(type_, indent)))

    def _options(self, type_: Type, indent: int) -> Iterator[str]:
        match type_.kind:
            case "time":
                yield from (r"\DateTimeInterface", "string")
            case "array":
                assert type_.items is not None
                yield f"list<{self._given(type_.items, indent)}>"
            case "map":
                assert type_.items is not None
                yield f"array<string, {self._given(type_.items, indent)}>|Record"
            case "ref":
                yield self.parameter(self.schemas[type_.name].fields, indent)
                yield "Record"
            case "union":
                for option in type_.options:
                    yield from self._options(option, indent)
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
    """What a list is made of, and a list of lists."""
    while type_.kind == "array" and type_.items is not None:
        type_ = type_.items
    return type_
