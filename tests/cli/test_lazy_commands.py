"""The command line and the server start fast: they import nothing that only few commands and requests need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from blogsvc.cli import COMMANDS, main

HEAVY = ("flask", "sqlalchemy", "granian", "pydantic", "PIL", "httpx2", "blogsvc.models", "blogsvc.cli.terminal")
SCRIPT = """
import sys
from blogsvc.cli import main
try:
    main(sys.argv[1:], "blogsvc")
finally:
    print([name for name in %r if name in sys.modules], file=sys.stderr)
"""


# Libraries of single features. The first request or delivery that needs one imports it.
FOR_FEATURES = (
    "PIL",
    "alembic",
    "apscheduler",
    "bs4",
    "coincurve",
    "cryptography",
    "defusedxml",
    "fido2",
    "httpcore2",
    "httpx2",
    "mako",
    "markdown_it",
    "pygments",
    "regex",
    "segno",
    "websockets",
    "yaml",
    "blogsvc.connectors.mastodon",
    "blogsvc.connectors.wordpress",
    "blogsvc.transfer.formats.ghost.read",
    "blogsvc.transfer.formats.wordpress.read",
)
START = """
import click, gc, sys
full = []
gc.callbacks.append(lambda phase, info: phase == "start" and info["generation"] == 2 and full.append(info))
from blogsvc.cli import main
main.get_command(click.Context(main), "serve")
from blogsvc.cli.terminal import the_app
app = the_app()
collections = len(full)
assert app.test_client().get("/ready").status_code == 200
print([name for name in %r if name in sys.modules], collections, "collections, then", gc.isenabled())
"""


@pytest.mark.parametrize("option", ["-h", "--help", "--version"])
def test_help_and_version_import_neither_the_web_framework_nor_the_database(option: str) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT % (HEAVY,), option], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "blogsvc" in done.stdout
    assert done.stderr == "[]\n"


def test_a_server_with_a_current_schema_starts_without_libraries_of_single_features_and_collecting_garbage(
    tmp_path: Path,
) -> None:
    environment = {**os.environ, "BLOGSVC_INSTANCE": str(tmp_path), "BLOGSVC_DATABASE_URL": ""}
    start = [sys.executable, "-c", START % (FOR_FEATURES,)]
    subprocess.run(start, env=environment, check=True, capture_output=True)  # migrates
    done = subprocess.run(start, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[] 0 collections, then True\n"


def test_the_help_shows_the_summary_of_every_command() -> None:
    context = click.Context(main)
    assert main.list_commands(context) == sorted(COMMANDS)
    for name, lazy in COMMANDS.items():
        command = main.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert lazy.summary == command.get_short_help_str(limit=200).partition(". ")[0].rstrip(".") + "."


def test_an_unknown_command_is_rejected() -> None:
    assert main.get_command(click.Context(main), "publish") is None
