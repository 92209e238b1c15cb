"""Helpers that the commands share: create the application, report errors, print tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import click
from flask import Flask
from sqlalchemy.exc import ArgumentError, OperationalError

from blogsvc import create_app, migrate
from blogsvc.config import WRITABLE, BadSetting, Config
from blogsvc.connectors.base import ConnectorError
from blogsvc.errors import BlogError, Refused
from blogsvc.lib.crypto import WrongKey
from blogsvc.models import close_connections
from blogsvc.server import logging

# Exit codes, in addition to 0 and click's 2 for a usage error.
REFUSED, PLATFORM_REFUSED, BAD_SETTING = 1, 3, 4


def in_app(command: Callable[..., None]) -> Callable[..., None]:
    """Run a command in the application context. Expected errors are printed on one line with an exit code."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            app = the_app()
            with app.app_context():
                try:
                    command(app.extensions["tools"], *args, **options)
                finally:
                    close_connections()
        except BadSetting as error:
            fail(str(error), BAD_SETTING)
        except (ConnectorError, Refused) as error:
            fail(str(error), PLATFORM_REFUSED)
        except BlogError as error:
            fail(str(error), REFUSED)

    return run


def the_app() -> Flask:
    """Create the application and update its database schema. Raises BadSetting if it cannot start."""
    config = Config.load()
    logging.to_stderr(config)
    try:
        app = create_app(config)
        migrate(app)
    except WrongKey as error:
        raise BadSetting(str(error)) from error
    except OSError as error:
        raise BadSetting(f"Cannot open the data directory {config.instance}: {error}. {WRITABLE}") from error
    except (ArgumentError, OperationalError) as error:
        reason = str(getattr(error, "orig", error)).strip().rstrip(".")
        advice = "Check BLOGSVC_DATABASE_URL." if config.database_url else WRITABLE
        raise BadSetting(f"Cannot open the database: {reason}. {advice}") from error
    return app


def fail(sentence: str, code: int) -> None:
    click.echo(f"blogsvc: {sentence}", err=True)
    sys.exit(code)


def show(rows: Iterable[dict[str, Any]], as_json: bool) -> None:
    """Print rows as a table or as JSON."""
    rows = list(rows)
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    if not rows:
        click.echo("Nothing yet.")
        return
    texts = [[name.upper() for name in rows[0]], *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for line in texts:
        click.echo("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "-" if value is None or value == "" else str(value)


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def pairs_of(pairs: tuple[str, ...], option: str = "--set", form: str = "FIELD=VALUE") -> dict[str, str]:
    """Parse a repeated `--set FIELD=VALUE`. `FIELD=-` reads a line from standard input."""
    found = {}
    for pair in pairs:
        field, equals, value = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"{pair!r} is not {form}.", param_hint=option)
        found[field] = sys.stdin.readline().rstrip("\n") if value == "-" else value
    return found
