"""Generate docs/themes.md from the contract with the templates of the blog."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from blogsvc.api.schemas.described import field_docstrings
from blogsvc.blog import contract
from blogsvc.blog.contract import CONTRACT, EVERY_PAGE, PARTS, TEMPLATES, drafts, entries, lists, site
from docs.tables import prose, sentence, table

# The contract as it is stored: {"contract": 1, "fields": {"Site.title": {"type": "str", "since": "0.1.0"}}}.
STORED = Path(__file__).with_suffix(".json")
MODULES = (site, entries, lists, drafts)
FILTERS = {
    "day": "A time as a date for readers, such as `24 November 2026`.",
    "month": "The name of the month of a time.",
    "timestamp": "A time for the `datetime` attribute of `time`, such as `2026-11-24T09:00:00Z`.",
}


def themes() -> Iterator[str]:
    yield "# Templates of the blog\n"
    yield "This page lists the objects that the templates of the public blog get. Together they are the contract.\n"
    yield prose("""
        All objects are frozen and hold plain values: a template cannot change anything, and reads nothing from the
        database. `Markup` is HTML that is safe, which templates write as it is. All other text is escaped.
    """)
    yield prose("""
        Every page has to write `page.head` once in `head`, and `page.foot` once at the end of `body`. `page.head`
        contains the title, the style sheet and all metadata: descriptions, the canonical URL, link previews, feeds,
        icons and structured data.
    """)
    yield prose(f"""
        The number of the contract is {CONTRACT}. It rises when a field or a variable is removed or changes its type.
        New fields and variables come without a new number; "since" is the version of blogsvc that they came with.
    """)
    yield "## Templates\n"
    yield "Every page gets these variables.\n"
    yield from table("variable | type", _variables(EVERY_PAGE))
    yield "The template of each kind of page also gets those of its row.\n"
    yield from table("template | variables", _templates(TEMPLATES))
    yield "Two parts of pages are also rendered on their own, and get no other variables than these.\n"
    yield from table("template | variables", _templates(PARTS))
    yield "## Filters\n"
    yield from table("filter | description", ((f"`{name}`", text) for name, text in FILTERS.items()))
    yield "## Objects\n"
    stored = json.loads(STORED.read_text())["fields"]
    for described in objects():
        yield f"### {described.__name__}\n"
        yield f"{sentence(described)}\n"
        meanings = field_docstrings(described)
        rows = (
            (
                f"`{field.name}`",
                _linked(str(field.type)),
                meanings[field.name],
                stored[f"{described.__name__}.{field.name}"]["since"],
            )
            for field in fields(described)
        )
        yield from table("field | type | description | since", rows)


def objects() -> list[type]:
    """Return the classes of the contract in the order in which they are written."""
    found = (each for module in MODULES for each in vars(module).values() if is_dataclass(each))
    return list(dict.fromkeys(each for each in found if isinstance(each, type)))


def field_types() -> dict[str, str]:
    """Return the type of each field, such as `Site.title`, and of each variable, such as `home.html: pager`."""
    of_objects = {f"{each.__name__}.{field.name}": str(field.type) for each in objects() for field in fields(each)}
    templates = {"every page": EVERY_PAGE} | {f"{name}.html": own for name, own in (TEMPLATES | PARTS).items()}
    return of_objects | {
        f"{name}: {variable}": _written(kind) for name, own in templates.items() for variable, kind in own.items()
    }


def _templates(templates: dict[str, contract.Variables]) -> Iterator[tuple[str, str]]:
    for name, own in templates.items():
        yield f"`{name}.html`", ", ".join(f"{variable} ({kind})" for variable, kind in _variables(own))


def _variables(variables: contract.Variables) -> Iterator[tuple[str, str]]:
    return ((f"`{name}`", _linked(_written(kind))) for name, kind in variables.items())


def _written(kind: Any) -> str:
    """Return a type as in source code, without modules."""
    return kind.__name__ if isinstance(kind, type) else re.sub(r"\b(\w+\.)+(?=\w)", "", str(kind))


def _linked(kind: str) -> str:
    """Return a type with links to the objects in it."""
    names = {each.__name__ for each in objects()}
    text = re.sub(r"tuple\[(\w+), \.\.\.\]", r"tuple of \1", kind)
    return re.sub(r"\w+", lambda word: f"[{word[0]}](#{word[0].lower()})" if word[0] in names else word[0], text)
