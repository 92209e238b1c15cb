"""The Ruby library: its resources with their documentation. Its signatures are written by rbs.py."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from clients.generator.model import Api, Field, Method, Resource, Schema, Type, snake, templates

WIDTH = 120
# How many values of an enumeration are told in a comment.
MOST_VALUES = 12
# The library takes a field of an answer for a time by its name (lib/blogsvc/record.rb), so that new ones are too.
TIME_NAME = re.compile(r"(At|Since|Until)$")
YARD = {
    "string": "String",
    "enum": "String",
    "time": "Time, String",
    "union": "Date, Time, String",
    "integer": "Integer",
    "boolean": "Boolean",
    "map": "Hash",
    "ref": "Hash",
}
# What the document says of HTTP, as it is said here.
WORDS = {"`Prefer: wait=N`": "`wait`", "`If-Match` with the post's `ETag`": "`if_match` with the post's ETag"}
STREAM = (
    "It goes on for ever: leave it with `break`. Where it breaks off it comes back, so that no event is missed or told "
    "twice."
)


def files(api: Api) -> dict[str, str]:
    """The generated files of the library."""
    check_times(api)
    environment = templates("ruby", class_name=class_name, comment=comment)
    environment.globals.update(writer=Writer({schema.name: schema for schema in api.schemas}))
    resource = environment.get_template("resource.rb.jinja")
    library = "ruby/lib/blogsvc"
    return {
        **{f"{library}/resources/{one.name}.rb": resource.render(resource=one) for one in api.resources},
        f"{library}/resources.rb": environment.get_template("resources.rb.jinja").render(api=api),
    }


def check_times(api: Api) -> None:
    """Raises ValueError for a time of an answer that the library would take for a text."""
    for schema in api.schemas:
        for field in schema.fields:
            if not schema.is_input and field.type.kind == "time" and not TIME_NAME.search(field.name):
                raise ValueError(f"{schema.name}.{field.name} is a time; say so in clients/ruby/lib/blogsvc/record.rb")


def class_name(name: str) -> str:
    """`posts` is the class Posts."""
    return name[0].upper() + name[1:]


def options(method: Method) -> list[tuple[str, str, str]]:
    """What a method takes beside its fields: name, type, and what it is."""
    known = (
        (method.takes_idempotency_key, "idempotency_key", "String", "names this request; made anew unless given"),
        (method.takes_if_match, "if_match", "String", "an ETag: nothing is done where it was changed since"),
        (method.takes_if_none_match, "if_none_match", "String", "an ETag: nil is answered where it is the same still"),
        (method.takes_wait, "wait", "Integer", "for so many seconds, 1 to 30, until the outcome is there"),
    )
    return [(name, type_, what) for is_taken, name, type_, what in known if is_taken]


@dataclass(frozen=True)
class Writer:
    """Writes methods. The templates call it."""

    schemas: dict[str, Schema]

    def records(self, resource: Resource) -> str:
        """The comment that says what the answers of a resource hold."""
        names = dict.fromkeys(name for one in resource.methods if one.answer for name in self._reached(one.answer))
        lines = (f"- {name}: {', '.join(f'`{one.snake}`' for one in self.schemas[name].fields)}" for name in names)
        return "\n".join(filled(line, 4, "  ") for line in lines)

    def _reached(self, name: str) -> Iterator[str]:
        """A schema, and those that lie within it."""
        yield name
        for field in self.schemas[name].fields:
            type_ = field.type.items or field.type
            if type_.kind == "ref":
                yield from self._reached(type_.name)

    def doc(self, method: Method, indent: int) -> str:
        """The comment above a method, as YARD reads it."""
        # A dry run shares the description of what it tries.
        description = "" if method.fixed else STREAM if method.answers == "stream" else method.description
        scope = f"It needs the scope `{method.scope}`." if method.scope else ""
        paragraphs = [method.summary + ".", *description.split("\n\n"), scope]
        words = "\n\n".join(ruby_words(" ".join(one.split())) for one in paragraphs if one)
        return "\n".join([comment(words, indent), " " * indent + "#", *self._tags(method, indent)])

    def _tags(self, method: Method, indent: int) -> Iterator[str]:
        tags = [f"@param {one.snake} [{yard(one.type)}] {phrase(one.description)}" for one in method.ids]
        if method.is_upload:
            tags += ["@param file [String, Pathname, #read] its path, or what to read it from"]
            tags += ["@param filename [String, nil] what it is called; by default as its path says"]
        tags += [self._field_tag(one, method) for one in method.fields]
        tags += [f"@param {name} [{type_}, nil] {what}" for name, type_, what in options(method)]
        tags += answer_tags(method)
        tags += [f"@raise [APIError] among others {', '.join(f'{{{one}}}' for one in errors(method))}"]
        return (filled(one, indent, "  ") for one in tags)

    def _field_tag(self, field: Field, method: Method) -> str:
        is_query = field in method.query
        types = [yard(field.type)]
        if is_query and field.type.kind == "array" and field.type.items:
            types.append(yard(field.type.items))
        if field.type.is_nullable:
            types.append("nil")
        words = [phrase(field.description), self._parts(field.type), values(field.type)]
        if field.type.is_nullable and not field.is_required and method.verb == "PATCH":
            words.append("nil clears it")
        return f"@param {field.snake} [{', '.join(types)}] {'; '.join(filter(None, words))}".rstrip()

    def _parts(self, type_: Type) -> str:
        """What lies within a field, under the API's own names."""
        schema = self.schemas.get(type_.name) if type_.kind == "ref" else None
        return "with " + ", ".join(f"`{one.name}`" for one in schema.fields) if schema else ""

    def definition(self, method: Method, indent: int) -> str:
        """`def create(title:, content: NOT_GIVEN, idempotency_key: nil)`, over as many lines as it takes."""
        parameters = [one.snake for one in method.ids]
        parameters += ["file", "filename: nil"] if method.is_upload else []
        parameters += [f"{one.snake}:" if one.is_required else f"{one.snake}: NOT_GIVEN" for one in method.fields]
        parameters += [f"{name}: nil" for name, _, _ in options(method)]
        parameters += ["&block"] if method.answers == "stream" else []
        head = f"{' ' * indent}def {method.snake}"
        if not parameters:
            return head
        return filled_code(", ".join(parameters) + ")", f"{head}(")

    def body(self, method: Method, indent: int) -> str:
        """What such a method does."""
        path = '"' + re.sub(r"{(\w+)}", r"#{segment(\1)}", method.path) + '"'
        query = [pair(one) for one in method.query] + [f"{name}: {value}" for name, value in method.fixed.items()]
        fields = [pair(one) for one in method.body]
        taken = [f"{name}:" for name, _, _ in options(method)]
        if method.answers == "stream":
            return call("listen", [path], [("", query)], ["&block"], indent)
        if method.is_upload:
            return call("upload_file", [path, "file", "filename"], [("", fields)], taken, indent)
        hashes = [(prefix, pairs) for prefix, pairs in (("query: ", query), ("body: ", fields)) if pairs]
        name = "page" if method.answers == "page" else "call"
        return call(name, [f'"{method.verb}"', path], hashes, taken, indent)


def errors(method: Method) -> list[str]:
    """The errors that one may well want to rescue."""
    return [
        name
        for name, is_likely in (
            ("NotFoundError", bool(method.ids)),
            ("InvalidError", bool(method.fields)),
            ("PreconditionFailedError", method.takes_if_match),
            ("PermissionDeniedError", method.scope is not None),
            ("RateLimitError", True),
        )
        if is_likely
    ]


def pair(field: Field) -> str:
    """A field of a hash by the API's name, with the argument of Ruby's name."""
    return f"{field.name}:" if field.name == field.snake else f"{field.name}: {field.snake}"


def call(name: str, first: list[str], hashes: list[tuple[str, list[str]]], last: list[str], indent: int) -> str:
    """A method call: in one line, or else with each hash on lines of its own."""
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
    """A list that begins after `start`, over as many lines as it takes. A name and its value stay together."""
    together = text.replace(": ", ":\0").replace(" | ", "\0|\0")
    return fill(together, start, " " * len(start)).replace("\0", " ")


def comment(text: str, indent: int = 0) -> str:
    """Paragraphs as a comment."""
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
    """A sentence of the document as the words after a tag."""
    words = ruby_words(text.removesuffix("."))
    return words[:1].lower() + words[1:]


def ruby_words(text: str) -> str:
    """What is said of the API's names, said of Ruby's."""

    def ruby(found: re.Match[str]) -> str:
        names = re.sub(r"\b[a-z]+(?:[A-Z][a-z0-9]*)+\b", lambda name: snake(name[0]), found[0])
        return re.sub(r"\bnull\b", "nil", names)

    for theirs, ours in WORDS.items():
        text = text.replace(theirs, ours)
    return re.sub(r"\bnull\b", "nil", re.sub(r"`[^`]*`", ruby, text))


def values(type_: Type) -> str:
    """What an enumeration allows, where that is few."""
    found = (type_.items or type_).values
    if not found or len(found) > MOST_VALUES:
        return ""
    return f"{'any' if type_.items else 'one'} of {', '.join(f'`{one}`' for one in found)}"


def answer_tags(method: Method) -> list[str]:
    if method.answers == "none":
        return ["@return [nil]"]
    what = f"{'an' if method.answer[0] in 'AEIOU' else 'a'} {method.answer}"
    if method.answers == "stream":
        return [f"@yieldparam event [Record] {what}", "@return [Enumerator] without a block"]
    if method.answers == "page":
        return [f"@return [Page] its rows: {method.answer}"]
    if method.answers == "maybe":
        return [f"@return [Record, nil] {what}, or nil where it is done"]
    return [f"@return [Record{', nil' if method.takes_if_none_match else ''}] {what}"]


def yard(type_: Type) -> str:
    if type_.kind == "array" and type_.items:
        return f"Array<{'Hash' if type_.items.kind == 'union' else yard(type_.items)}>"
    return YARD[type_.kind]
