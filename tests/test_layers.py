"""Imports point to lower layers: entry points, services by noun, shared parts, models, and libraries below."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "blogsvc"

# From the top down. A module imports its own package and the layers below it.
LAYERS = (
    {"__init__", "wsgi", "worker"},
    # Entry points: parse, call one service function, render.
    {"cli", "server", "scheduler", "api", "blog", "web", "demo"},
    # What the HTTP entry points share.
    {"http"},
    # Services, by noun. Nouns that use others come first.
    {"transfer", "auth", "health", "secrets"},
    {"redirects", "navigation"},
    {"posts", "notices", "index_now"},
    {"webhooks", "delivery"},
    {"connections", "media", "analytics"},
    {"context"},
    {"migrations"},
    {"models"},
    {"connectors"},
    {"lib", "errors", "config"},
    {"client"},  # clients/python, which knows nothing of the server
)
# Parts of one layer that may import each other.
LEVEL = (
    {"lib", "errors", "config"},
    {"webhooks", "delivery"},
)
# Entry points that start others: the command line runs the server, the scheduler and the demo, the server and the
# demo run the scheduler. Previews show pages of the blog.
STARTS = {
    ("cli", "__init__"),
    ("cli", "server"),
    ("cli", "scheduler"),
    ("cli", "demo"),
    ("demo", "scheduler"),
    ("server", "scheduler"),
    ("web", "blog"),
}
# The rooms of the authoring pages, from the top down. Each imports the rooms below it.
WEB_ROOMS = (
    {"calendar", "editor", "settings"},
    {"publishing"},
    {"analytics", "commands", "dashboard", "media", "sign_in"},
    {"framework"},
)
# `context` reads the tools of the current application for the entry points.
KNOW_FLASK = {
    "__init__",
    "wsgi",
    "worker",
    "cli",
    "demo",
    "server",
    "http",
    "api",
    "blog",
    "web",
    "scheduler",
    "context",
    "migrations",
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


def part_of(module: str) -> str:
    """Return the part of the package that a module belongs to: `api` for blogsvc.api.posts."""
    return [*module.split("."), "__init__"][1]


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Yield line and full name of every import of a module, nested ones included."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(file)}:{node.lineno} is relative; write it out"
            assert node.module is not None
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def depth(part: str) -> int:
    return next(number for number, layer in enumerate(LAYERS) if part in layer)


def can_import(ours: str, theirs: str) -> bool:
    if ours == theirs or (ours, theirs) in STARTS or ours == "__init__":
        return True
    is_level = any({ours, theirs} <= layer for layer in LEVEL)
    return is_level or depth(ours) < depth(theirs)


def ours_in(name: str) -> str | None:
    """Return the part of our package that an import belongs to; None for other packages."""
    if name.split(".")[0] != "blogsvc":
        return None
    part = part_of(name)
    is_module = (PACKAGE / part).is_dir() or (PACKAGE / f"{part}.py").exists()
    return part if is_module else "__init__"


def test_every_module_has_a_layer() -> None:
    known = set().union(*LAYERS)
    assert {part_of(name_of(file)) for file in MODULES} <= known


def test_imports_point_to_lower_layers() -> None:
    wrong = [
        f"{name_of(file)}:{line} imports {name}"
        for file in MODULES
        for line, name in imports(file)
        if (theirs := ours_in(name)) is not None and not can_import(part_of(name_of(file)), theirs)
    ]
    assert wrong == []


def test_rooms_of_the_pages_import_only_the_rooms_below() -> None:
    def floor(room: str) -> int:
        return next(number for number, rooms in enumerate(WEB_ROOMS) if room in rooms)

    wrong = []
    for file in (PACKAGE / "web").glob("*/*.py"):
        room = file.parent.name
        for line, name in imports(file):
            if name.startswith("blogsvc.web."):
                theirs = name.split(".")[2]
                if theirs != room and floor(theirs) <= floor(room):
                    wrong.append(f"{name_of(file)}:{line} imports {name}")
    assert wrong == []


def test_only_entry_points_import_flask() -> None:
    wrong = [
        f"{name_of(file)}:{line} imports {name}"
        for file in MODULES
        if part_of(name_of(file)) not in KNOW_FLASK
        for line, name in imports(file)
        if name.split(".")[0].startswith(("flask", "werkzeug"))
        and not (name_of(file) == "blogsvc.models.base" and name.startswith("flask_sqlalchemy."))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("models", "posts"),
        ("delivery", "posts"),
        ("connections", "posts"),
        ("blog", "api"),
        ("lib", "models"),
        ("connectors", "models"),
        ("cli", "api"),
    ],
)
def test_an_import_of_a_higher_layer_is_detected(ours: str, theirs: str) -> None:
    assert not can_import(ours, theirs)
