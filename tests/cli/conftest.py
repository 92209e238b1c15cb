"""What the tests of the command line share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from sqlalchemy import text

from blogsvc import create_app
from blogsvc.cli import main
from blogsvc.config import Config
from blogsvc.models import close_connections
from blogsvc.models.schema import schema_versions
from tests.databases import another

SetVersion = Callable[[str], None]
Run = Callable[..., Result]


@pytest.fixture
def set_version(environment: dict[str, str]) -> Iterator[SetVersion]:
    """Return a function that changes the version of the schema in the database. It is put back after the test."""
    changed = False

    def change(version: str) -> None:
        nonlocal changed
        changed = True
        with another(Config.load(environment).rows_url, writes=True) as rows:
            rows.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})

    yield change
    if changed:
        change(schema_versions()[-1])


@contextmanager
def make_app(environment: dict[str, str]) -> Iterator[Flask]:
    """Yield the application with the settings from the environment."""
    app = create_app(Config.load(environment))
    try:
        yield app
    finally:
        with app.app_context():
            close_connections()


@pytest.fixture(autouse=True)
def restore_logging() -> Iterator[None]:
    """The command line sends the log to its own stderr, which is closed after the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def environment(instance: Path, database_url: str) -> dict[str, str]:
    return {
        "BLOGSVC_INSTANCE": str(instance),
        "BLOGSVC_DATABASE_URL": database_url,
        "BLOGSVC_ALLOW_PRIVATE_ADDRESSES": "1",
    }


@pytest.fixture
def run(environment: dict[str, str]) -> Run:
    """Return a function that runs a command: `run("key", "list")`. `code` is the expected exit code."""

    def call(*words: str, code: int = 0, stdin: str = "", **more: str) -> Result:
        result = CliRunner().invoke(main, words, input=stdin, env=environment | more)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result

    return call
