"""Writes the parts of docs/ that follow from the code: `make docs`. `tests/test_docs.py` holds them to it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import fields
from inspect import getdoc, getmodule
from pathlib import Path
from typing import Any

import click

from blogsvc import create_app
from blogsvc.api.openapi import document
from blogsvc.api.operations import OPERATIONS, Operation
from blogsvc.api.problems import KINDS
from blogsvc.api.schemas import kinds
from blogsvc.cli import main
from blogsvc.config import ROOT, Config
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Connector
from blogsvc.models.event import TYPES
from blogsvc.models.key import SCOPES

HERE = Path(__file__).parent
MADE = "<!-- Made by `make docs` from the code: change it there. -->"
ABILITIES = ("publish", "update", "delete", "find")
BOUNDS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "minimum": "from {}",
    "maximum": "up to {}",
    "pattern": "`{}`",
}
# Patterns that are shorter in words. That a text holds no NUL goes without saying.
IN_WORDS = {
    kinds.TEXT: "",
    kinds.LINE: "one line",
    kinds.FILLED_LINE: "one line",
    kinds.WEB_ADDRESS: "an address that begins with https:// or http://",
}


def pages() -> dict[str, str]:
    """Every page that is made, by the name of its file."""
    made = {"settings.md": settings, "api.md": api, "events.md": events, "connectors.md": platforms, "cli.md": cli}
    return {name: f"{MADE}\n\n" + "\n".join(page()).rstrip() + "\n" for name, page in made.items()}


def table(head: str, rows: Iterable[Iterable[str]]) -> Iterator[str]:
    names = head.split(" | ")
    yield f"| {head} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def code(texts: Iterable[Any]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def sentence(of: Any) -> str:
    """The first paragraph of a docstring."""
    return " ".join((getdoc(of) or "").partition("\n\n")[0].split())


# --- settings ---


def settings() -> Iterator[str]:
    yield "# Settings\n"
    yield "Each is an environment variable, read once at start. An empty one counts as not set. One that cannot be"
    yield "used stops the start with a message that names it, and exit code 4.\n"
    rows = ((f"`{f.metadata['variable']}`", default(f.default), f.metadata["sentence"]) for f in fields(Config))
    yield from table("variable | default | what it is for", rows)


def default(value: Any) -> str:
    if isinstance(value, Path):
        return f"`{value.relative_to(ROOT)}/` beside app.py"
    if isinstance(value, bool):
        return f"`{int(value)}`"
    return f"`{value}`" if value not in ("", ()) else "empty"


# --- the API ---


def api() -> Iterator[str]:
    described = document()
    operations = [(declared, _described(described, declared)) for declared in OPERATIONS]
    usual = set.intersection(*(_refusals(found) for _, found in operations))
    yield "# The API\n"
    yield "JSON over HTTPS below `/api/v1`, with `Authorization: Bearer <API key>`. A running server has the same as"
    yield "OpenAPI 3.1 at `/api/v1/openapi.json`. `blogsvc key create NAME` makes a key; its scopes and the limits of"
    yield "its rate tier decide what it may do ([settings](settings.md) has the limits).\n"
    yield f"Every operation may refuse with {_statuses(usual)}: [problems](#problems) says what each means."
    yield "Fields and parameters that are not named here are refused. Lists in a query are repeated or separated by"
    yield "commas. Times are RFC 3339: any offset in, UTC out.\n"
    yield "## Operations\n"
    yield from table("operation | what it does | scope | tier", (_row(declared) for declared in OPERATIONS))
    for declared, found in operations:
        yield from _operation(declared, found, usual)
    yield from _documents(described["components"]["schemas"])
    yield from _problems()
    yield "## Scopes\n"
    yield "What a key may be allowed; `all` is every one. Some have no operation yet.\n"
    yield from table("scope | lets a key", ((f"`{scope}`", _uses(scope)) for scope in SCOPES))
    yield "## Without a key\n"
    yield from table("path | what is there", _pages())


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
    return f"[`{name}`](#{anchor})", declared.summary, declared.scope or "any key", declared.tier


def _operation(declared: Operation, found: dict[str, Any], usual: set[int]) -> Iterator[str]:
    yield f"### {declared.method} {_path(declared)}\n"
    yield f"{declared.summary}.\n"
    yield f"Scope: {f'`{declared.scope}`' if declared.scope else 'any key'}. Rate tier: {declared.tier}."
    answers = {status: answer for status, answer in found["responses"].items() if int(status) not in _refusals(found)}
    yield f"Answers {' or '.join(f'{status} {_answer(answer)}' for status, answer in answers.items())}."
    if more := _refusals(found) - usual:
        yield f"Also refuses with {_statuses(more)}."
    yield ""
    parameters = [parameter for parameter in found["parameters"] if parameter["in"] != "path"]
    if parameters:
        rows = ((f"`{each['name']}`", each["in"], _kind(each["schema"])) for each in parameters)
        yield from table("parameter | in | is", rows)
    if declared.body is not None:
        is_needed = "" if declared.is_body_needed else ", which may be left out"
        form = "" if declared.most_bytes is None else f", as {declared.body_type}"
        schema = found["requestBody"]["content"][declared.body_type]["schema"]
        yield f"The body is {_kind(schema)}{form}{is_needed}.\n"


def _answer(answer: dict[str, Any]) -> str:
    if "content" not in answer:
        return "without a body"
    ((_, content),) = answer["content"].items()
    return _kind(content["schema"])


def _documents(schemas: dict[str, Any]) -> Iterator[str]:
    yield "## Documents\n"
    yield "What goes in (names that end in In, Change) and out. A field marked * is always there.\n"
    for name, schema in sorted(schemas.items()):
        yield f"### {name}\n"
        if described := schema.get("description"):
            yield f"{' '.join(described.split())}\n"
        needed = schema.get("required", [])
        rows = (
            (f"`{field}`{'*' if field in needed else ''}", _kind(part))
            for field, part in schema.get("properties", {}).items()
        )
        yield from table("field | is", rows)


def _kind(schema: dict[str, Any]) -> str:
    """A schema in words."""
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
        said.append(f"by default `{schema['default']}`".replace("`False`", "`false`"))
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
            return {"date": "date", "date-time": "time"}[schema["format"]]
        case "string":
            return "text"
        case None:
            return "anything"
        case plain:
            return {"integer": "whole number", "boolean": "true or false"}.get(str(plain), str(plain))


def _problems() -> Iterator[str]:
    yield "## Problems\n"
    yield "Every error is `application/problem+json` (RFC 9457). Its `type` ends in one of these and leads to the same"
    yield "words on your server.\n"
    rows = ((f"`{kind.slug}`", str(kind.status), kind.title, kind.meaning) for kind in KINDS.values())
    yield from table("type | status | title | meaning", rows)


def _uses(scope: str) -> str:
    return code(f"{o.method} {_path(o)}" for o in OPERATIONS if o.scope == scope) or "nothing yet"


def _pages() -> Iterator[tuple[str, str]]:
    """The routes that are no operations, by what they are: their own docstring or their module's."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Config(instance=Path(folder)))
    declared = {f"api.{operation.name}" for operation in OPERATIONS}
    found: dict[str, list[str]] = {}
    for rule in app.url_map.iter_rules():
        if rule.endpoint not in declared | {"static"}:
            view = app.view_functions[rule.endpoint]
            path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
            found.setdefault(sentence(view) or sentence(getmodule(view)), []).append(path)
    yield from sorted((code(sorted(paths)), what) for what, paths in found.items())


# --- events, connectors, the command line ---


def events() -> Iterator[str]:
    yield "# Events\n"
    yield "What happened is written down in the transaction that made it so. A post's are its timeline:"
    yield "`GET /posts/{post_id}/events` in the [API](api.md). [Webhooks](webhooks.md) have them sent to an address.\n"
    yield from table("type | what happened", ((f"`{name}`", what) for name, what in TYPES.items()))


def platforms() -> Iterator[str]:
    yield "# Connectors\n"
    yield "The places that a post can be published to. `blogsvc connection add KEY --set FIELD=VALUE` connects one;"
    yield "[how to add a platform](../blogsvc/connectors/README.md) is one page.\n"
    for key, kind in connectors().items():
        if kind.__module__.startswith("blogsvc."):
            yield from _platform(key, kind)


def _platform(key: str, kind: type[Connector]) -> Iterator[str]:
    yield f"## {kind.label} (`{key}`)\n"
    yield f"{sentence(kind)}\n"
    if kind.is_local:
        yield "Built in: it needs no connection, and its delivery is part of the publishing transaction.\n"
    yield f"- Kind: {kind.kind}. Takes the text as {kind.accepts}."
    yield f"- Can: {code(ability for ability in ABILITIES if kind.can(ability)) or 'be published to by being wanted'}."
    yield f"- Carries: {code(sorted(kind.carries))}."
    yield f"- Safe to repeat after a lost answer: {code(sorted(kind.repeatable)) or 'nothing'}."
    if kind.limits:
        yield f"- Takes at most: {', '.join(f'{x.most} {x.unit} of {x.part}' for x in kind.limits)}."
    if kind.docs:
        yield f"- Facts from <{kind.docs}>, read on {kind.checked_on}."
    yield ""
    if kind.fields:
        yield from table("field | what | needed | secret", (_field(field) for field in kind.fields))


def _field(field: Any) -> tuple[str, ...]:
    choices = f"One of {code(field.choices)}." if field.choices else ""
    usual = f"By default `{field.default}`." if field.default else ""
    said = " ".join(filter(None, [f"{field.label}.", field.help and f"{field.help.rstrip('.')}.", choices, usual]))
    return f"`{field.name}`", said, "yes" if field.required else "no", "yes" if field.secret else "no"


def cli() -> Iterator[str]:
    yield "# The command line\n"
    yield "`make run` and `make test` install it as `.venv/bin/blogsvc`. It reads the same [settings](settings.md) as"
    yield "the server, and may be used while the server runs; `restore` alone wants an instance without rows.\n"
    yield from _command(main, click.Context(main, info_name="blogsvc", terminal_width=80, **main.context_settings))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n"
    yield f"```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _command(child, click.Context(child, info_name=name, parent=context, terminal_width=80))


if __name__ == "__main__":
    for file, text in pages().items():
        (HERE / file).write_text(text)
        print(f"docs/{file}")
