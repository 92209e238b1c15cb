"""Helpers that the commands share: create the application, report errors, print tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import wraps
from typing import Any, BinaryIO, NoReturn, TypeVar

import click
from flask import Flask
from sqlalchemy.exc import ArgumentError, OperationalError

from blogsvc import create_app, migrate, require_schema
from blogsvc.config import WRITABLE, Config
from blogsvc.connectors.base import ConnectorError
from blogsvc.errors import BlogError, OtherOrigin, Refused
from blogsvc.health.startup import explained
from blogsvc.lib.crypto import WrongKey
from blogsvc.lib.no_garbage import no_garbage
from blogsvc.lib.progress import Report
from blogsvc.lib.setting_checks import BadSetting
from blogsvc.models import close_connections
from blogsvc.server import logging

# Exit codes, in addition to 0 and click's 2 for a usage error.
REFUSED, PLATFORM_REFUSED, BAD_SETTING = 1, 3, 4


Command = Callable[..., None]
T = TypeVar("T")


def _in_app(prepare: Callable[[Flask], object]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(*args: Any, **options: Any) -> None:
            with errors_reported():
                app = the_app(prepare)
                tools = app.extensions["tools"]
                with app.app_context(), explained(tools.config):
                    try:
                        command(tools, *args, **options)
                    finally:
                        close_connections()

        return run

    return decorate


@contextmanager
def errors_reported() -> Iterator[None]:
    """Print an expected error on one line, and end with its exit code."""
    try:
        yield
    except BadSetting as error:
        fail(str(error), BAD_SETTING)
    except OtherOrigin as error:
        fail(f"{error} To confirm it, add --confirm {error.origin}", PLATFORM_REFUSED)
    except (ConnectorError, Refused) as error:
        fail(str(error), PLATFORM_REFUSED)
    except BlogError as error:
        fail(str(error), REFUSED)


def the_app(prepare: Callable[[Flask], object] = require_schema, **settings: Any) -> Flask:
    """Create the application and prepare its database. Raises BadSetting or CannotStart if it cannot start.

    Fields of Config in `settings` replace those of the environment.
    """
    config = replace(Config.load(), **settings)
    logging.to_stderr(config)
    for sentence in Config.unknown():
        logging.log.warning(sentence)
    with opening(config):
        app = create_app(config)
        prepare(app)
    return app


# Run a command in the application context, with the tools as its first argument: with the current schema, which is
# created in a new database; with a schema that is updated first; or with any schema.
in_app, in_updated_app, in_any_app = _in_app(require_schema), _in_app(migrate), _in_app(lambda _: None)


@contextmanager
def opening(config: Config) -> Iterator[None]:
    """Raise BadSetting if the data directory or the database cannot be opened."""
    try:
        with no_garbage():
            yield
    except WrongKey as error:
        raise BadSetting(str(error)) from error
    except OSError as error:
        raise BadSetting(f"Cannot open the data directory {config.instance}: {error}. {WRITABLE}") from error
    except (ArgumentError, OperationalError) as error:
        reason = str(getattr(error, "orig", error)).strip().rstrip(".")
        advice = "Check BLOGSVC_DATABASE_URL." if config.database_url else WRITABLE
        raise BadSetting(f"Cannot open the database: {reason}. {advice}") from error


def fail(sentence: str, code: int) -> NoReturn:
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


def progress(items: Iterable[T], label: str, is_quiet: bool = False) -> AbstractContextManager[Iterable[T]]:
    """Return the items as a context that shows a progress bar on standard error, if that is a terminal."""
    return click.progressbar(items, label=label, file=sys.stderr, hidden=is_quiet or not sys.stderr.isatty())


@contextmanager
def progress_of(label: str, is_quiet: bool = False) -> Iterator[Report]:
    """Yield a function that moves a progress bar on standard error, if that is a terminal."""
    hidden = is_quiet or not sys.stderr.isatty()
    with click.progressbar(length=1, label=label, file=sys.stderr, hidden=hidden) as bar:

        def report(done: int, number: int) -> None:
            bar.length = max(number, 1)
            bar.update(done - bar.pos)

        yield report


def binary_stdout() -> BinaryIO:
    """Return standard output for a file. Ends the command if that is a terminal."""
    if sys.stdout.isatty():
        raise click.UsageError("Standard output is a terminal. Redirect it to a file, or name a FILE.")
    return sys.stdout.buffer


quiet = click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def pairs_of(pairs: tuple[str, ...], option: str = "--set", form: str = "FIELD=VALUE") -> dict[str, str]:
    """Parse a repeated `--set FIELD=VALUE`. `FIELD=-` asks on a terminal, or else reads a line of standard input."""
    values = {}
    for pair in pairs:
        field, equals, value = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"{pair!r} is not {form}.", param_hint=option)
        values[field] = _secret(field) if value == "-" else value
    return values


def _secret(field: str) -> str:
    """Return what is typed without being shown, or the next line of standard input if that is no terminal."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    asked: str = click.prompt(field, hide_input=True, err=True)
    return asked
