"""Generates the resources of the Ruby library with their YARD documentation. rbs.py generates its signatures."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from clients.generator.model import Api, Field, Method, Resource, Schema, Type, snake, template_environment

WIDTH = 120
# Enums with more values than this are not listed in comments.
MAX_VALUES = 12
# The library recognizes times by the name of their field (lib/blogsvc/record.rb), so that it also parses unknown ones.
TIME_NAME = re.compile(r"(At|Since|Until)$")
YARD_TYPES = {
    "string": "String",
    "enum": "String",
    "time": "Time, String",
    "union": "Date, Time, String",
    "integer": "Integer",
    "boolean": "Boolean",
    "map": "Hash",
    "ref": "Hash",
}
# HTTP headers in descriptions, and the arguments that set them.
HEADER_ARGUMENTS = {"`Prefer: wait=N`": "`wait`", "`If-Match`": "`if_match`", "`If-None-Match`": "`if_none_match`"}


def generate(api: Api) -> dict[str, str]:
    """Return the text of each generated file by its path relative to clients/."""
    check_times(api)
    environment = template_environment("ruby", class_name=class_name, comment=comment)
    environment.globals.update(writer=MethodWriter({schema.name: schema for schema in api.schemas}))
    resource = environment.get_template("resource.rb.jinja")
    library = "ruby/lib/blogsvc"
    return {
        **{f"{library}/resources/{one.name}.rb": resource.render(resource=one) for one in api.resources},
        f"{library}/resources.rb": environment.get_template("resources.rb.jinja").render(api=api),
    }


def check_times(api: Api) -> None:
    """Raise ValueError if the library would not recognize a field as a time."""
    for schema in api.schemas:
        for field in schema.fields:
            if not schema.is_input and field.type.kind == "time" and not TIME_NAME.search(field.name):
                raise ValueError(f"{schema.name}.{field.name} is a time: add it in clients/ruby/lib/blogsvc/record.rb")


def class_name(name: str) -> str:
    """Return the class name of a resource: `Posts` for `posts`."""
    return name[0].upper() + name[1:]


def options(method: Method) -> list[tuple[str, str, str]]:
    """Return the options of a method, which follow its fields: name, type and description."""
    known = (
        (
            method.accepts_idempotency_key,
            "idempotency_key",
            "String",
            "the idempotency key; default: a new UUID for each call",
        ),
        (method.accepts_if_match, "if_match", "String", "an ETag; the request fails if the resource has changed since"),
        (
            method.accepts_if_none_match,
            "if_none_match",
            "String",
            "an ETag; returns nil if the resource has not changed since",
        ),
        (
            method.accepts_dry_run,
            "dry_run",
            "Boolean",
            "true returns the result that the call would have, and changes nothing",
        ),
        (
            method.accepts_wait,
            "wait",
            "Integer",
            "seconds the server may wait for the deliveries before it responds, 1 to 30",
        ),
    )
    return [(name, type_, description) for is_accepted, name, type_, description in known if is_accepted]


@dataclass(frozen=True)
class MethodWriter:
    """Writes methods and their documentation. The templates use it."""

    schemas: dict[str, Schema]

    def records(self, resource: Resource) -> str:
        """Return a comment with the fields of each record that a resource returns."""
        names = dict.fromkeys(name for one in resource.methods if one.schema for name in self._nested(one.schema))
        lines = (f"- {name}: {', '.join(f'`{one.snake}`' for one in self.schemas[name].fields)}" for name in names)
        return "\n".join(filled(line, 4, "  ") for line in lines)

    def _nested(self, name: str) -> Iterator[str]:
        """Yield a schema and the schemas nested in it."""
        yield name
        for field in self.schemas[name].fields:
            type_ = field.type.items or field.type
            if type_.kind == "ref":
                yield from self._nested(type_.name)

    def doc(self, method: Method, indent: int) -> str:
        """Return the YARD comment of a method."""
        scope = method.needed_scopes()
        paragraphs = [method.summary + ".", *method.description.split("\n\n"), scope]
        text = "\n\n".join(ruby_names(" ".join(one.split())) for one in paragraphs if one)
        return "\n".join([comment(text, indent), " " * indent + "#", *self._tags(method, indent)])

    def _tags(self, method: Method, indent: int) -> Iterator[str]:
        tags = [f"@param {one.snake} [{yard(one.type)}] {phrase(one.description)}" for one in method.ids]
        if method.is_upload:
            tags += ["@param file [String, Pathname, #read] a path, or an IO object"]
            tags += ["@param filename [String, nil] the file name; default: the name of the file"]
        tags += [self._field_tag(one, method) for one in method.fields]
        tags += [f"@param {name} [{type_}, nil] {description}" for name, type_, description in options(method)]
        tags += return_tags(method)
        tags += [f"@raise [APIError] including {', '.join(f'{{{one}}}' for one in errors(method))}"]
        return (filled(one, indent, "  ") for one in tags)

    def _field_tag(self, field: Field, method: Method) -> str:
        is_query = field in method.query
        types = [yard(field.type)]
        if is_query and field.type.kind == "array" and field.type.items:
            types.append(yard(field.type.items))
        if field.type.is_nullable:
            types.append("nil")
        parts = [phrase(field.description), self._keys(field.type), values(field)]
        if field.type.is_nullable and not field.is_required and method.verb == "PATCH":
            parts.append("nil clears it")
        return f"@param {field.snake} [{', '.join(types)}] {'; '.join(filter(None, parts))}".rstrip()

    def _keys(self, type_: Type) -> str:
        """Return the keys of a nested object, with their names in the API."""
        schema = self.schemas.get(type_.name) if type_.kind == "ref" else None
        return "with " + ", ".join(f"`{one.name}`" for one in schema.fields) if schema else ""

    def definition(self, method: Method, indent: int) -> str:
        """Return the signature of a method, wrapped: `def create(title:, content: NOT_GIVEN, idempotency_key: nil)`."""
        parameters = [one.snake for one in method.ids]
        parameters += ["file", "filename: nil"] if method.is_upload else []
        parameters += [f"{one.snake}:" if one.is_required else f"{one.snake}: NOT_GIVEN" for one in method.fields]
        parameters += [f"{name}: nil" for name, _, _ in options(method)]
        parameters += ["&block"] if method.returns == "stream" else []
        head = f"{' ' * indent}def {method.snake}"
        if not parameters:
            return head
        return filled_code(", ".join(parameters) + ")", f"{head}(")

    def body(self, method: Method, indent: int) -> str:
        """Return the body of a method."""
        path = '"' + re.sub(r"{(\w+)}", r"#{segment(\1)}", method.path) + '"'
        query = [pair(one) for one in method.query]
        fields = [pair(one) for one in method.body]
        keywords = [f"{name}:" for name, _, _ in options(method)]
        if method.returns == "stream":
            return call("stream_events", [path], [("", query)], ["&block"], indent)
        if method.is_upload:
            return call("upload_file", [path, "file", "filename"], [("", fields)], keywords, indent)
        hashes = [(prefix, pairs) for prefix, pairs in (("query: ", query), ("body: ", fields)) if pairs]
        name = "request_page" if method.returns == "page" else "request"
        return call(name, [f'"{method.verb}"', path], hashes, keywords, indent)


def errors(method: Method) -> list[str]:
    """Return the errors that a caller may want to rescue."""
    return [
        name
        for name, is_likely in (
            ("NotFoundError", bool(method.ids)),
            ("InvalidError", bool(method.fields)),
            ("PreconditionFailedError", method.accepts_if_match),
            ("PermissionDeniedError", bool(method.scopes)),
            ("RateLimitError", True),
        )
        if is_likely
    ]


def pair(field: Field) -> str:
    """Return a hash entry with the API's name of a field and its Ruby argument."""
    return f"{field.name}:" if field.name == field.snake else f"{field.name}: {field.snake}"


def call(name: str, first: list[str], hashes: list[tuple[str, list[str]]], last: list[str], indent: int) -> str:
    """Return a method call on one line, or else with each hash on its own lines."""
    space = " " * indent
    inline = [f"{prefix}{{ {', '.join(pairs)} }}" for prefix, pairs in hashes]
    line = f"{space}{name}({', '.join([*first, *inline, *last])})"
    if len(line) <= WIDTH:
        return line
    parts = [f"{space}  {', '.join(first)}"]
    for (prefix, pairs), short in zip(hashes, inline, strict=True):
        inner = filled_code(", ".join(pairs), " " * (indent + 4))
        fits = len(short) + indent + 3 <= WIDTH
        parts.append(f"{space}  {short}" if fits else f"{space}  {prefix}{{\n{inner}\n{space}  }}")
    parts += [f"{space}  {', '.join(last)}"] if last else []
    return f"{space}{name}(\n" + ",\n".join(parts) + f"\n{space})"


def filled_code(text: str, start: str) -> str:
    """Wrap a list of code that begins after `start`, without separating a name from its value."""
    unbroken = text.replace(": ", ":\0").replace(" | ", "\0|\0")
    return fill(unbroken, start, " " * len(start)).replace("\0", " ")


def comment(text: str, indent: int = 0) -> str:
    """Return paragraphs as a comment."""
    paragraphs = (filled(one, indent) for one in text.split("\n\n"))
    return f"\n{' ' * indent}#\n".join(paragraphs)


def filled(text: str, indent: int, hanging: str = "") -> str:
    start = f"{' ' * indent}# "
    return fill(" ".join(text.split()), start, start + hanging)


def fill(text: str, start: str, next_start: str) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=next_start,
        break_long_words=False,
        break_on_hyphens=False,
    )


def phrase(text: str) -> str:
    """Return a description as the text of a tag: lowercase and without the period."""
    description = ruby_names(text.removesuffix("."))
    return description[:1].lower() + description[1:]


def ruby_names(text: str) -> str:
    """Replace names of the API in a description with their Ruby names."""

    def replace(code: re.Match[str]) -> str:
        names = re.sub(r"\b[a-z]+(?:[A-Z][a-z0-9]*)+\b", lambda name: snake(name[0]), code[0])
        return re.sub(r"\bnull\b", "nil", names)

    for header, argument in HEADER_ARGUMENTS.items():
        text = text.replace(header, argument)
    text = re.sub(r"\bnull\b", "nil", re.sub(r"`[^`]*`", replace, text))
    return re.sub(r"\bNull\b", "Nil", text)


def values(field: Field) -> str:
    """Return the values of an enum as text, unless there are too many, or the description names them."""
    found = field.unexplained_values
    if not found or len(found) > MAX_VALUES:
        return ""
    return f"{'any' if field.type.items else 'one'} of {', '.join(f'`{one}`' for one in found)}"


def return_tags(method: Method) -> list[str]:
    if method.returns == "none":
        return ["@return [nil]"]
    record = f"{'an' if method.schema[0] in 'AEIOU' else 'a'} {method.schema}"
    if method.returns == "stream":
        return [f"@yieldparam event [Record] {record}", "@return [Enumerator] if no block is given"]
    if method.returns == "page":
        return [f"@return [Page] a page of {method.schema} records"]
    if method.returns == "optional":
        return [f"@return [Record, nil] {record}, or nil if the response is empty"]
    return [f"@return [Record{', nil' if method.accepts_if_none_match else ''}] {record}"]


def yard(type_: Type) -> str:
    if type_.kind == "array" and type_.items:
        return f"Array<{'Hash' if type_.items.kind == 'union' else yard(type_.items)}>"
    return YARD_TYPES[type_.kind]
