"""Writes the parts of docs/ that follow from the code: `make docs`. `tests/test_docs.py` holds them to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import click
from werkzeug.routing import Rule

from blogsvc import create_app
from blogsvc.cli import main
from blogsvc.config import ROOT, Config
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Connector
from blogsvc.models.event import EVENT_TYPES
from blogsvc.web import MODULES
from blogsvc.web.routes import DEMANDS
from docs.api import api
from docs.recording import exchanges, written
from docs.scenario import PLAYS
from docs.tables import code, sentence, table

HERE = Path(__file__).parent
MADE = "<!-- Made by `make docs` from the code: change it there. -->"


def pages() -> dict[str, str]:
    """Every page that is made, by the name of its file."""
    made = {
        "settings.md": settings,
        "api.md": api,
        "pages.md": authoring,
        "events.md": events,
        "connectors.md": platforms,
        "cli.md": cli,
    }
    return {name: f"{MADE}\n\n" + "\n".join(page()).rstrip() + "\n" for name, page in made.items()}


# --- settings ---


def settings() -> Iterator[str]:
    yield "# Settings\n"
    yield "Each is an environment variable, read once at start. An empty one counts as not set. One that cannot be"
    yield "used stops the start with a message that names it, and exit code 4.\n"
    rows = ((f"`{f.metadata['variable']}`", default(f.default), f.metadata["sentence"]) for f in fields(Config))
    yield from table("variable | default | what it is for", rows)


def default(value: Any) -> str:
    if isinstance(value, Path):
        return f"`{value.relative_to(ROOT)}/` in a checkout, else the user's data directory"
    if isinstance(value, bool):
        return f"`{int(value)}`"
    return f"`{value}`" if value not in ("", ()) else "empty"


# --- the pages ---


def authoring() -> Iterator[str]:
    yield "# The authoring pages\n"
    yield "For those who write here. An author has their own posts, an editor everybody's, an owner the"
    yield "settings too; each may do all that those before may. Every form is sent with a token of its session.\n"
    with TemporaryDirectory() as folder:
        app = create_app(Config(instance=Path(folder)))
    for module in MODULES:
        rows = [
            row for rule in app.url_map.iter_rules() if (row := _page(app.view_functions[rule.endpoint], rule, module))
        ]
        if rows:
            yield f"## {sentence(module)}\n"
            yield from table("page | for", sorted(rows))


def _page(view: Any, rule: Rule, module: ModuleType) -> tuple[str, str] | None:
    """The row of a route, where it is one of the module's."""
    if view.__module__ != module.__name__:
        return None
    path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
    methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    return f"`{', '.join(methods)} {path}`", DEMANDS[view.__name__] or "everybody"


# --- events, connectors, the command line ---


def events() -> Iterator[str]:
    yield "# Events\n"
    yield "What happened is written down in the transaction that made it so. A post's are its timeline:"
    yield "`GET /posts/{post_id}/events` in the [API](api.md).\n"
    yield from table("type | what happened", ((f"`{name}`", what) for name, what in EVENT_TYPES.items()))


def platforms() -> Iterator[str]:
    yield "# Connectors\n"
    yield "The places that a post can be published to. `blogsvc connection add KEY --set FIELD=VALUE` connects one;"
    yield "[how to add a platform](../blogsvc/connectors/README.md) is one page; a [package](connector-package) that"
    yield "brings one stands beside it. `GET /api/v1/platforms` answers the same.\n"
    ours = {key: kind for key, kind in connectors().items() if kind.__module__.startswith("blogsvc.")}
    head = "platform | kind | change | take down | look up after a lost answer | notice changes there | figures"
    yield from table(head, ([f"[{kind.label}](#{_anchor(kind)})", kind.kind, *_ticks(kind)] for kind in ours.values()))
    yield "A look-up is needed only where a repetition would make a second copy: where the platform knows it by a key"
    yield "or an id of ours, it is simply sent again. Where neither is to be had, the author is asked.\n"
    for key, kind in ours.items():
        yield from _platform(key, kind)


def _anchor(kind: type[Connector]) -> str:
    heading = f"{kind.label} ({kind.key})".lower()
    return re.sub(r"[^\w -]", "", heading).replace(" ", "-")


def _ticks(kind: type[Connector]) -> Iterator[str]:
    for ability in ("update", "delete", "find", "look", "stats"):
        if ability == "find" and "create" in kind.repeatable:
            yield "not needed"
        else:
            yield "yes" if ability in kind.abilities() or kind.is_local else "no"


def _platform(key: str, kind: type[Connector]) -> Iterator[str]:
    yield f"## {kind.label} (`{key}`)\n"
    yield f"{sentence(kind)}\n"
    if kind.is_local:
        yield "Built in: it needs no connection, and its delivery is part of the publishing transaction.\n"
    yield f"- Kind: {kind.kind}. Takes the text as {kind.accepts}."
    yield f"- Can: {code(['publish', *kind.abilities()]) if not kind.is_local else 'be published to by being wanted'}."
    yield f"- Carries: {code(sorted(kind.carries))}."
    yield f"- Never twice: {kind.once}"
    yield from (f"- {caveat}" for caveat in kind.caveats)
    if kind.limits:
        yield f"- Takes at most: {', '.join(f'{x.most} {x.unit} of {x.part}' for x in kind.limits)}."
    if kind.docs:
        yield f"- Facts from <{kind.docs}>, read on {kind.checked_on}."
    yield ""
    if kind.fields:
        yield from table("field | what | needed | secret", (_field(field) for field in kind.fields))
    if kind.options:
        yield from table("per post | what", (_option(option) for option in kind.options))


def _option(option: Any) -> tuple[str, ...]:
    return f"`{option.name}`", _said(option.label, option)


def _field(field: Any) -> tuple[str, ...]:
    said = _said(field.label, field)
    return f"`{field.name}`", said, "yes" if field.required else "no", "yes" if field.secret else "no"


def _said(label: str, asked: Any) -> str:
    choices = f"One of {code(asked.choices)}." if asked.choices else ""
    usual = f"By default `{asked.default}`." if asked.default else ""
    return " ".join(filter(None, [f"{label}.", asked.help and f"{asked.help.rstrip('.')}.", choices, usual]))


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


def examples() -> str:
    """What the application answers to the scenario."""
    return written(exchanges(*PLAYS))


if __name__ == "__main__":
    # First, because the document that the pages are made of holds them.
    (HERE / "examples.json").write_text(examples())
    print("docs/examples.json")
    for file, text in pages().items():
        (HERE / file).write_text(text)
        print(f"docs/{file}")
