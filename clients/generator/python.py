"""The generated files of the Python library.

The templates say what, ruff how it is set out: as the rest of the library, by its pyproject.toml.
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clients.generator.model import HERE, Api, Field, Method, Schema, Type, templates

PACKAGE = "python/src/blogsvc_client"
LINE = 120
# Our own Webhook verifies messages.
RENAMED = {"Webhook": "WebhookSubscription"}
# Enumerations with a name of their own, by a field that has it.
NAMED = {
    "PostStatus": "Post.status",
    "PostField": "posts.list.fields",
    "PostSort": "posts.list.sort",
    "DeliveryState": "Delivery.state",
    "MessageState": "WebhookDelivery.state",
    "EventType": "events.list.type",
    "EventPattern": "WebhookInput.events",
    "Scope": "KeyInput.scopes",
    "Metric": "analytics.get.metric",
    "PlatformKind": "Connector.kind",
    "Health": "Connection.health",
}
# Attributes that a record has whatever was answered.
KEPT = {"get", "items", "keys", "response", "values"}
# What a method does here, where the document tells of HTTP, or of another method of the same operation.
INSTEAD = {
    "stream": "For ever, as they happen. Where the connection breaks off it comes back, and no event is missed or told"
    " twice. An error that no other attempt mends ends it.",
    "dryRun": "With warnings, and what each platform allows.",
}
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "any": "Any"}


def files(api: Api) -> dict[str, str]:
    """The text of each, by its path."""
    words = Words(api)
    environment = templates("python")
    environment.globals.update(
        api=api, words=words, doc=doc, arguments=words.arguments, attribute=attribute, class_name=class_name
    )

    def written(path: str, template: str, **variables: object) -> tuple[str, str]:
        return f"{PACKAGE}/{path}", _set_out(path, environment.get_template(template).render(**variables))

    return dict(
        (
            written("types/__init__.py", "types.py.j2"),
            written("types/values.py", "values.py.j2"),
            written("types/inputs.py", "inputs.py.j2"),
            written("types/answers.py", "answers.py.j2"),
            written("_resources.py", "resources.py.j2", is_async=False),
            written("_async_resources.py", "resources.py.j2", is_async=True),
        )
    )


@dataclass(frozen=True)
class Argument:
    """What a method takes by name."""

    name: str
    type: str
    default: str | None
    about: str

    @property
    def declared(self) -> str:
        return f"{self.name}: {self.type}" + (f" = {self.default}" if self.default else "")


class Words:
    """How Python says the types of a document."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.schemas = {schema.name: schema for schema in api.schemas}
        fields = {f"{schema.name}.{field.name}": field for schema in api.schemas for field in schema.fields}
        for resource in api.resources:
            for method in resource.methods:
                fields |= {f"{resource.name}.{method.name}.{field.name}": field for field in method.fields}
        self.values = {name: _values(fields[place].type) for name, place in NAMED.items()}
        self.named = {values: name for name, values in self.values.items()}

    @property
    def answers(self) -> list[Schema]:
        """Those that are answered, each after what it is made of."""
        roots = [name for method in self.api.methods if (name := method.answer)]
        return [self.schemas[name] for name in self._reached(["ProblemError", *roots])]

    @property
    def inputs(self) -> list[Schema]:
        """Those that lie within a field of what is sent."""
        roots = [name for method in self.api.methods for one in method.fields for name in _refs(one.type)]
        return [self.schemas[name] for name in self._reached(sorted(roots))]

    @property
    def all(self) -> list[str]:
        """Every name that is public."""
        records = [class_name(schema.name) for schema in self.answers]
        return sorted([*records, *(schema.name for schema in self.inputs), *self.values])

    def path(self, method: Method) -> list[str]:
        """The parts of its path: texts and names of arguments."""
        ids = iter(method.ids)
        parts = method.path.strip("/").split("/")
        return [attribute(next(ids).name) if part.startswith("{") else _quoted(part) for part in parts]

    def query(self, method: Method) -> str:
        """What goes into the query, as a dict."""
        fixed = [f"{_quoted(name)}: {_quoted(value)}" for name, value in method.fixed.items()]
        named = [f"{_quoted(one.name)}: {attribute(one.name)}" for one in method.query]
        return f"{{{', '.join([*fixed, *named])}}}"

    def body(self, method: Method) -> str:
        """What goes into the body, as a dict."""
        return f"{{{', '.join(f'{_quoted(one.name)}: {attribute(one.name)}' for one in method.body)}}}"

    def of(self, type_: Type, is_input: bool, prefix: str = "types.") -> str:
        """The annotation for a type."""
        text = self._of(type_, is_input, prefix)
        return f"{text} | None" if type_.is_nullable else text

    def attributes(self, schema: Schema) -> list[tuple[str, str]]:
        """The attributes of a record and their types. Raises ValueError for one that it has already."""
        found = [(attribute(field.name), self.of(field.type, False, "")) for field in schema.fields]
        if taken := KEPT & {name for name, _ in found}:
            raise ValueError(f"{schema.name} has {taken}, which stands for something else in a Mapping.")
        return found

    def reads(self, schema: Schema) -> list[tuple[str, str]]:
        """How fields are read that are more than JSON."""
        read = ((field.name, self._reader(field.type)) for field in schema.fields)
        return [(name, reader) for name, reader in read if reader]

    def optional(self, schema: Schema) -> list[str]:
        return [field.name for field in schema.fields if not field.is_required]

    def answer(self, method: Method) -> str:
        """The annotation of what a method returns, but for `if_none_match`."""
        name = class_name(method.answer)
        return f"types.{name} | None" if method.answers == "maybe" else f"types.{name}" if name else "None"

    def arguments(self, method: Method) -> list[Argument]:
        """What goes by name: the fields, then the options."""
        found = [self._argument(field, field in method.body) for field in method.fields]
        return [*found, *_options(method)]

    def _argument(self, field: Field, is_in_body: bool) -> Argument:
        type_ = self.of(field.type, is_input=True)
        if field.is_required:
            return Argument(attribute(field.name), type_, None, field.description)
        if not is_in_body:  # what cannot be cleared
            return Argument(attribute(field.name), f"{type_} | None", "None", field.description)
        bare = type_.removesuffix(" | None")
        none = " | None" if bare != type_ else ""
        return Argument(attribute(field.name), f"{bare} | NotGiven{none}", "NOT_GIVEN", field.description)

    def _of(self, type_: Type, is_input: bool, prefix: str) -> str:
        match type_.kind:
            case "time":
                return "datetime | str" if is_input else "datetime"
            case "array" if type_.items:
                container = "Sequence" if is_input else "list"
                return f"{container}[{self.of(type_.items, is_input, prefix)}]"
            case "map" if type_.items:
                container = "Mapping" if is_input else "dict"
                return f"{container}[str, {self.of(type_.items, is_input, prefix)}]"
            case "enum":
                named = self.named.get(_values(type_))
                return f"{prefix}{named}" if named else f"Literal[{', '.join(map(_quoted, type_.values))}]"
            case "union" if any(one.kind == "time" for one in type_.options):
                return "date | str"  # a datetime is a date to Python
            case "union":
                return " | ".join(self.of(one, is_input, prefix) for one in type_.options)
            case "ref":
                return prefix + class_name(type_.name)
        return PLAIN[type_.kind]

    def _reader(self, type_: Type) -> str:
        match type_.kind:
            case "time":
                return "time"
            case "ref":
                return class_name(type_.name)
            case "array" if type_.items and (reader := self._reader(type_.items)):
                return f"each({reader})"
        return ""

    def _reached(self, names: Iterable[str], seen: set[str] | None = None) -> Iterator[str]:
        """These schemas and what they are made of, which comes first."""
        seen = set() if seen is None else seen
        for name in names:
            if name not in seen:
                seen.add(name)
                yield from self._reached([one for field in self._fields(name) for one in _refs(field)], seen)
                yield name

    def _fields(self, name: str) -> list[Type]:
        schema = self.schemas[name]
        return [field.type for field in schema.fields]


def class_name(name: str) -> str:
    return RENAMED.get(name, name)


def attribute(name: str) -> str:
    """The name of a field in Python: `scheduledAt` is `scheduled_at`, `from` is `from_`."""
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", name)
    return f"{snake}_" if keyword.iskeyword(snake) else snake


def doc(method: Method, arguments: Iterable[Argument]) -> str:
    """The documentation of a method, indented."""
    parts = [method.summary + "."]
    description = INSTEAD.get(method.name, method.description)
    parts += [" ".join(paragraph.split()) for paragraph in description.split("\n\n") if paragraph]
    if method.scope:
        parts.append(f"The key needs the scope `{method.scope}`.")
    wrapped = ["\n".join(textwrap.wrap(part, LINE - 8)) for part in parts]
    sections = [*wrapped, _args(method, arguments), _raises(method)]
    return textwrap.indent("\n\n".join(section for section in sections if section), " " * 8).strip()


def _args(method: Method, arguments: Iterable[Argument]) -> str:
    file = {"file": "A path, or what is opened to read bytes."} if method.is_upload else {}
    about = file | {attribute(one.name): one.description for one in method.ids if one.description}
    about |= {one.name: one.about for one in arguments if one.about}
    lines = [_hanging(f"{name}: {' '.join(text.split())}") for name, text in about.items()]
    return "\n".join(["Args:", *lines]) if lines else ""


def _raises(method: Method) -> str:
    """The errors that a program may want to tell apart."""
    found = {
        "NotFoundError": "There is no such thing." if method.ids else "",
        "InvalidError": "Its `errors` say what must be changed." if method.fields else "",
        "PreconditionFailedError": "It was changed meanwhile." if method.takes_if_match else "",
    }
    lines = [_hanging(f"{name}: {text}") for name, text in found.items() if text]
    return "\n".join(["Raises:", *lines]) if lines else ""


def _hanging(text: str) -> str:
    return "\n".join(textwrap.wrap(text, LINE - 8, initial_indent=" " * 4, subsequent_indent=" " * 8))


def _options(method: Method) -> Iterator[Argument]:
    """What a method takes beside its fields."""
    if method.is_upload:
        yield _option("filename", "How it is called, where that is not the name of the file.")
    if method.takes_wait:
        yield _option("wait", "For so many seconds, 1 to 30, the answer is held back until all is done.", "int")
    if method.takes_if_match:
        yield _option("if_match", "The ETag of what is to be changed: not if it is another by now.")
    if method.takes_if_none_match:
        yield _option("if_none_match", "The ETag of what you have: None is returned if it is still the same.")
    if method.takes_idempotency_key:
        yield _option("idempotency_key", "Who asks twice with the same key has it done once.")


def _option(name: str, about: str, type_: str = "str") -> Argument:
    return Argument(name, f"{type_} | None", "None", about)


def _refs(type_: Type) -> Iterator[str]:
    if type_.kind == "ref":
        yield type_.name
    for one in (*type_.options, *([type_.items] if type_.items else [])):
        yield from _refs(one)


def _values(type_: Type) -> tuple[object, ...]:
    return _values(type_.items) if type_.kind == "array" and type_.items else type_.values


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _set_out(path: str, text: str) -> str:
    """As `make format` would have it, without what is imported in vain."""
    name = str(HERE.parent / PACKAGE / path)
    tidied = _ruff("check", "--fix", "--quiet", "--select", "F401,I", "--stdin-filename", name, "-", text=text)
    return _ruff("format", "--stdin-filename", name, "-", text=tidied)


def _ruff(*words: str, text: str) -> str:
    command = [sys.executable, "-m", "ruff", *words]
    ruff = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, encoding="utf-8")  # noqa: S603
    return ruff.stdout
