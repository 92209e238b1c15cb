"""What the templates of the blog get, checked against the contract."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from flask import Flask, template_rendered
from markupsafe import Markup

from blogsvc.blog.contract import EVERY_PAGE, PARTS, TEMPLATES

EXPECTED = PARTS | {name: EVERY_PAGE | own for name, own in TEMPLATES.items()}
PLAIN = (str, int, bool, NoneType, datetime, Markup)
# From Flask and Flask-WTF, in every template of the application.
EVERYWHERE = {"g", "request", "session", "csrf_token", "csrf_meta_tag"}
# Belongs to the blog, not to themes.
HEAD = "_head"


@contextmanager
def rendered(app: Flask) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """Collect the templates of the blog that are rendered, by name, and what each gets."""
    found: list[tuple[str, dict[str, Any]]] = []

    def collect(_app: Flask, template: Any, context: dict[str, Any], **_more: Any) -> None:
        folder, _, name = template.name.removesuffix(".html").partition("/")
        if folder == "blog" and template.name.endswith(".html") and name != HEAD:
            found.append((name, {key: value for key, value in context.items() if key not in EVERYWHERE}))

    with template_rendered.connected_to(collect, app):
        yield found


def faults(name: str, context: dict[str, Any]) -> list[str]:
    """Return what a template gets against the contract."""
    expected = EXPECTED[name]
    unknown = [f"{name}.html: {variable}" for variable in sorted(expected.keys() ^ context.keys())]
    known = expected.keys() & context.keys()
    return unknown + [fault for key in known for fault in _faults(context[key], expected[key], f"{name}.html: {key}")]


def _faults(value: Any, expected: Any, at: str) -> Iterator[str]:
    """Yield the places below `at` at which a value is not exactly of the declared type."""
    if isinstance(expected, UnionType):
        choices = [choice for choice in get_args(expected) if type(value) is choice]
        yield from _faults(value, choices[0], at) if choices else [f"{at} is {value!r}"]
    elif get_origin(expected) is tuple and type(value) is tuple:
        for number, item in enumerate(value):
            yield from _faults(item, get_args(expected)[0], f"{at}[{number}]")
    elif type(value) is not expected:
        yield f"{at} is {value!r}"
    elif is_dataclass(expected):
        if not expected.__module__.startswith("blogsvc.blog.contract."):
            yield f"{at} is of {expected}"
        hints = get_type_hints(expected)
        for field in fields(expected):
            yield from _faults(getattr(value, field.name), hints[field.name], f"{at}.{field.name}")
    elif expected not in PLAIN:
        yield f"{at} is declared as {expected}"
