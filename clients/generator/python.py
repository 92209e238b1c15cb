"""Generates the resources and types of the Python library.

Ruff formats the output with the settings of the library's pyproject.toml.
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clients.generator.model import DRY_RUN, GENERATOR, Api, Field, Method, Schema, Type, template_environment

PACKAGE = "python/src/blogsvc_client"
LINE_LENGTH = 120
# The class `Webhook` verifies messages.
RENAMED = {"Webhook": "WebhookSubscription"}
# Names of the exported enums, each with a field that uses it.
NAMED_ENUMS = {
    "PostStatus": "Post.status",
    "PostField": "posts.list.fields",
    "PostSort": "posts.list.sort",
    "DeliveryState": "Delivery.state",
    "WebhookDeliveryState": "WebhookDelivery.state",
    "EventType": "events.list.type",
    "EventPattern": "WebhookInput.events",
    "Scope": "KeyInput.scopes",
    "Metric": "analytics.get.metric",
    "PlatformCategory": "Connector.category",
    "Health": "Connection.health",
}
# Attributes that every record has.
RESERVED_ATTRIBUTES = {"get", "items", "keys", "response", "values"}
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "any": "Any"}


def generate(api: Api) -> dict[str, str]:
    """Return the text of each generated file by its path relative to clients/."""
    py = PythonTypes(api)
    environment = template_environment("python", attribute_doc=attribute_doc)
    environment.globals.update(
        api=api, py=py, doc=doc, arguments=py.arguments, attribute=attribute, class_name=class_name
    )

    def rendered(path: str, template: str, **variables: object) -> tuple[str, str]:
        return f"{PACKAGE}/{path}", _formatted(path, environment.get_template(template).render(**variables))

    return dict(
        (
            rendered("types/__init__.py", "types.py.j2"),
            rendered("types/enums.py", "enums.py.j2"),
            rendered("types/requests.py", "requests.py.j2"),
            rendered("types/responses.py", "responses.py.j2"),
            rendered("_resources.py", "resources.py.j2", is_async=False),
            rendered("_async_resources.py", "resources.py.j2", is_async=True),
        )
    )


@dataclass(frozen=True)
class Argument:
    """A keyword argument of a method."""

    name: str
    type: str
    default: str | None
    description: str

    @property
    def declared(self) -> str:
        return f"{self.name}: {self.type}" + (f" = {self.default}" if self.default else "")


class PythonTypes:
    """Translates the types of the API into Python annotations."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.schemas = {schema.name: schema for schema in api.schemas}
        fields = {f"{schema.name}.{field.name}": field for schema in api.schemas for field in schema.fields}
        for resource in api.resources:
            for method in resource.methods:
                fields |= {f"{resource.name}.{method.name}.{field.name}": field for field in method.fields}
        self.enums = {name: _enum_values(fields[place].type) for name, place in NAMED_ENUMS.items()}
        self.enum_names = {values: name for name, values in self.enums.items()}

    @property
    def responses(self) -> list[Schema]:
        """Schemas of responses, each after the schemas it refers to."""
        roots = [name for method in self.api.methods if (name := method.schema)]
        return [self.schemas[name] for name in self._with_dependencies(["ProblemError", *roots])]

    @property
    def requests(self) -> list[Schema]:
        """Schemas of nested objects in request bodies."""
        roots = [name for method in self.api.methods for one in method.fields for name in _refs(one.type)]
        return [self.schemas[name] for name in self._with_dependencies(sorted(roots))]

    @property
    def exports(self) -> list[str]:
        """All public names of `blogsvc_client.types`."""
        records = [class_name(schema.name) for schema in self.responses]
        return sorted([*records, *(schema.name for schema in self.requests), *self.enums])

    def path(self, method: Method) -> list[str]:
        """Return the path segments of a method as Python expressions."""
        ids = iter(method.ids)
        parts = method.path.strip("/").split("/")
        return [attribute(next(ids).name) if part.startswith("{") else _literal(part) for part in parts]

    def query(self, method: Method) -> str:
        """Return the query of a method as a dict expression."""
        names = [one.name for one in method.query] + [DRY_RUN] * method.accepts_dry_run
        return f"{{{', '.join(f'{_literal(name)}: {attribute(name)}' for name in names)}}}"

    def body(self, method: Method) -> str:
        """Return the body of a method as a dict expression."""
        return f"{{{', '.join(f'{_literal(one.name)}: {attribute(one.name)}' for one in method.body)}}}"

    def annotation(self, type_: Type, is_input: bool, prefix: str = "types.") -> str:
        """Return the annotation of a type."""
        text = self._non_null_annotation(type_, is_input, prefix)
        return f"{text} | None" if type_.is_nullable else text

    def attributes(self, schema: Schema) -> list[tuple[str, str, str]]:
        """Return the attributes of a record: name, type and description. Raises ValueError if a name is reserved."""
        found = [
            (attribute(field.name), self.annotation(field.type, False, ""), field.description)
            for field in schema.fields
        ]
        if taken := RESERVED_ATTRIBUTES & {name for name, _, _ in found}:
            raise ValueError(f"{schema.name} has fields named {taken}, which are reserved in a Mapping.")
        return found

    def decoders(self, schema: Schema) -> list[tuple[str, str]]:
        """Return the decoders of fields that are more than plain JSON."""
        found = ((field.name, self._decoder(field.type)) for field in schema.fields)
        return [(name, decoder) for name, decoder in found if decoder]

    def optional(self, schema: Schema) -> list[str]:
        return [field.name for field in schema.fields if not field.is_required]

    def return_type(self, method: Method) -> str:
        """Return the annotation of what a method returns without `if_none_match`."""
        name = class_name(method.schema)
        return f"types.{name} | None" if method.returns == "optional" else f"types.{name}" if name else "None"

    def arguments(self, method: Method) -> list[Argument]:
        """Return the keyword arguments of a method: fields, then options."""
        found = [self._argument(field, field in method.body) for field in method.fields]
        return [*found, *_options(method)]

    def _argument(self, field: Field, is_in_body: bool) -> Argument:
        type_ = self.annotation(field.type, is_input=True)
        if field.is_required:
            return Argument(attribute(field.name), type_, None, field.description)
        if not is_in_body:  # query parameters can't be cleared, so None means "not given"
            return Argument(attribute(field.name), f"{type_} | None", "None", field.description)
        bare = type_.removesuffix(" | None")
        none = " | None" if bare != type_ else ""
        return Argument(attribute(field.name), f"{bare} | NotGiven{none}", "NOT_GIVEN", field.description)

    def _non_null_annotation(self, type_: Type, is_input: bool, prefix: str) -> str:
        match type_.kind:
            case "time":
                return "datetime | str" if is_input else "datetime"
            case "array" if type_.items:
                container = "Sequence" if is_input else "list"
                return f"{container}[{self.annotation(type_.items, is_input, prefix)}]"
            case "map" if type_.items:
                container = "Mapping" if is_input else "dict"
                return f"{container}[str, {self.annotation(type_.items, is_input, prefix)}]"
            case "enum":
                named = self.enum_names.get(_enum_values(type_))
                return f"{prefix}{named}" if named else f"Literal[{', '.join(map(_literal, type_.values))}]"
            case "union" if any(one.kind == "time" for one in type_.options):
                return "date | str"  # datetime is a subclass of date
            case "union":
                return " | ".join(self.annotation(one, is_input, prefix) for one in type_.options)
            case "ref":
                return prefix + class_name(type_.name)
        return SCALARS[type_.kind]

    def _decoder(self, type_: Type) -> str:
        match type_.kind:
            case "time":
                return "parse_time"
            case "ref":
                return class_name(type_.name)
            case "array" if type_.items and (decoder := self._decoder(type_.items)):
                return f"list_of({decoder})"
        return ""

    def _with_dependencies(self, names: Iterable[str], seen: set[str] | None = None) -> Iterator[str]:
        """Yield the named schemas, each after the schemas it refers to."""
        seen = set() if seen is None else seen
        for name in names:
            if name not in seen:
                seen.add(name)
                yield from self._with_dependencies([one for field in self._fields(name) for one in _refs(field)], seen)
                yield name

    def _fields(self, name: str) -> list[Type]:
        schema = self.schemas[name]
        return [field.type for field in schema.fields]


def class_name(name: str) -> str:
    return RENAMED.get(name, name)


def attribute(name: str) -> str:
    """Return the Python name of a field: `scheduled_at` for `scheduledAt`, `from_` for `from`."""
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", name)
    return f"{snake}_" if keyword.iskeyword(snake) else snake


def doc(method: Method, arguments: Iterable[Argument]) -> str:
    """Return the docstring of a method, indented."""
    parts = [method.summary + "."]
    parts += [" ".join(paragraph.split()) for paragraph in method.description.split("\n\n") if paragraph]
    if method.scopes:
        parts.append(method.needed_scopes())
    wrapped = ["\n".join(textwrap.wrap(part, LINE_LENGTH - 8)) for part in parts]
    sections = [*wrapped, _args(method, arguments), _raises(method)]
    return textwrap.indent("\n\n".join(section for section in sections if section), " " * 8).strip()


def attribute_doc(text: str) -> str:
    """Return the docstring of an attribute, wrapped, without its quotes."""
    escaped = text.replace("\\", "\\\\")
    if len(escaped) + 10 <= LINE_LENGTH:
        return escaped
    lines = textwrap.wrap(escaped, LINE_LENGTH - 7, subsequent_indent=" " * 4, break_on_hyphens=False)
    return "\n".join(lines) + "\n    "


def _args(method: Method, arguments: Iterable[Argument]) -> str:
    file = {"file": "A path, or a file object opened in binary mode."} if method.is_upload else {}
    descriptions = file | {attribute(one.name): one.description for one in method.ids if one.description}
    descriptions |= {one.name: one.description for one in arguments if one.description}
    lines = [_hanging(f"{name}: {' '.join(text.split())}") for name, text in descriptions.items()]
    return "\n".join(["Args:", *lines]) if lines else ""


def _raises(method: Method) -> str:
    """Return the section on errors that a caller may want to handle."""
    found = {
        "NotFoundError": "The resource does not exist." if method.ids else "",
        "InvalidError": "The request is invalid. `errors` lists every problem." if method.fields else "",
        "PreconditionFailedError": "The resource has changed since `if_match`." if method.accepts_if_match else "",
    }
    lines = [_hanging(f"{name}: {text}") for name, text in found.items() if text]
    return "\n".join(["Raises:", *lines]) if lines else ""


def _hanging(text: str) -> str:
    return "\n".join(textwrap.wrap(text, LINE_LENGTH - 8, initial_indent=" " * 4, subsequent_indent=" " * 8))


def _options(method: Method) -> Iterator[Argument]:
    """Yield the options of a method, which follow its fields."""
    if method.is_upload:
        yield _option("filename", "The file name. Default: the name of the file.")
    if method.accepts_wait:
        yield _option("wait", "Seconds the server may wait for the deliveries before it responds, 1 to 30.", "int")
    if method.accepts_if_match:
        yield _option("if_match", "An ETag. The request fails if the resource has changed since.")
    if method.accepts_if_none_match:
        yield _option("if_none_match", "An ETag. Returns None if the resource has not changed since.")
    if method.accepts_dry_run:
        yield _option("dry_run", "True returns the result that the call would have, and changes nothing.", "bool")
    if method.accepts_idempotency_key:
        yield _option("idempotency_key", "The idempotency key. Default: a new UUID for each call.")


def _option(name: str, description: str, type_: str = "str") -> Argument:
    return Argument(name, f"{type_} | None", "None", description)


def _refs(type_: Type) -> Iterator[str]:
    if type_.kind == "ref":
        yield type_.name
    for one in (*type_.options, *([type_.items] if type_.items else [])):
        yield from _refs(one)


def _enum_values(type_: Type) -> tuple[object, ...]:
    return _enum_values(type_.items) if type_.kind == "array" and type_.items else type_.values


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _formatted(path: str, text: str) -> str:
    """Return the text as `make format` would format it, without unused imports."""
    name = str(GENERATOR.parent / PACKAGE / path)
    tidied = _ruff("check", "--fix", "--quiet", "--select", "F401,I", "--stdin-filename", name, "-", text=text)
    return _ruff("format", "--stdin-filename", name, "-", text=tidied)


def _ruff(*py: str, text: str) -> str:
    command = [sys.executable, "-m", "ruff", *py]
    ruff = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, encoding="utf-8")  # noqa: S603
    return ruff.stdout
