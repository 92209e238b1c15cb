"""The command line starts fast: its help and version import nothing that only commands need."""

from __future__ import annotations

import subprocess
import sys

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


@pytest.mark.parametrize("option", ["-h", "--help", "--version"])
def test_help_and_version_import_neither_the_web_framework_nor_the_database(option: str) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT % (HEAVY,), option], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "blogsvc" in done.stdout
    assert done.stderr == "[]\n"


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
