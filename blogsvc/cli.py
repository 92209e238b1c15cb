"""The command line: serve, and everything that a server's owner does at a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from flask import Flask, current_app
from sqlalchemy.exc import ArgumentError, OperationalError

from blogsvc import accounts, backups, clock, create_app, logs, migrate, server
from blogsvc.config import BadSetting, Config
from blogsvc.connectors import connectors
from blogsvc.connectors.base import ConnectorError
from blogsvc.errors import BlogError
from blogsvc.lib.crypto import WrongKey
from blogsvc.lib.time import parse, stamp
from blogsvc.models import ApiKey, Connection, hang_up, setting, transaction
from blogsvc.toolbox import Toolbox

# What the shell is told, beside 0 and click's 2 for a wrong call.
REFUSED, PLATFORM_REFUSED, BAD_SETTING = 1, 3, 4


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Write once; publish on your own blog and everywhere else, on time, exactly once.

    Exit codes: 0 done, 1 refused, 2 wrong call, 3 the platform refused, 4 a setting is unusable.
    """


def in_app(command: Callable[..., None]) -> Callable[..., None]:
    """Run a command inside the application; expected errors become one line and an exit code."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            app = the_app()
            with app.app_context():
                try:
                    command(app.extensions["toolbox"], *args, **options)
                finally:
                    hang_up()
        except BadSetting as error:
            _fail(str(error), BAD_SETTING)
        except ConnectorError as error:
            _fail(str(error), PLATFORM_REFUSED)
        except BlogError as error:
            _fail(str(error), REFUSED)

    return run


def the_app() -> Flask:
    """The application by the environment, its schema up to date. Raises BadSetting where it cannot start."""
    config = Config.load()
    logs.to_stderr(config)
    try:
        app = create_app(config)
        migrate(app)
    except (WrongKey, OSError, ArgumentError, OperationalError) as error:
        raise BadSetting(f"This instance cannot be opened, see BLOGSVC_INSTANCE and its kin: {error}") from error
    return app


def _fail(sentence: str, code: int) -> None:
    click.echo(f"blogsvc: {sentence}", err=True)
    sys.exit(code)


def show(rows: Iterable[dict[str, Any]], as_json: bool) -> None:
    """Rows as a table for people or as JSON for programs."""
    rows = list(rows)
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    if not rows:
        click.echo("Nothing yet.")
        return
    texts = [[name.upper() for name in rows[0]], *([_text(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for line in texts:
        click.echo("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "-" if value is None or value == "" else str(value)


as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")


@main.command()
@in_app
def serve(tools: Toolbox) -> None:
    """Bring the database up to date and serve, with the clock, until told to stop."""
    server.serve(current_app._get_current_object())  # type: ignore[attr-defined]


@main.command()
@in_app
def tick(tools: Toolbox) -> None:
    """Publish and deliver once what is due: for those who prefer cron (with BLOGSVC_CLOCK=0)."""
    clock.one_pass(current_app._get_current_object(), tools)  # type: ignore[attr-defined]


@main.group()
def key() -> None:
    """API keys."""


@key.command("create")
@click.argument("name")
@click.option("--scopes", default="all", show_default=True, help="Scopes, separated by commas.")
@click.option("--expires", metavar="TIME", help="When it ends, such as 2027-01-01T00:00:00Z.")
@in_app
def key_create(tools: Toolbox, name: str, scopes: str, expires: str | None) -> None:
    """Make a key, and print it alone on standard output. It is never shown again."""
    names = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    try:
        expires_at = parse(expires) if expires else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--expires") from error
    _, text = accounts.create_key(name, names, expires_at, tools.now())
    click.echo(text)
    click.echo("Keep it safe: it is not shown again.", err=True)


@key.command("list")
@as_json
@in_app
def key_list(tools: Toolbox, as_json: bool) -> None:
    """List keys; of each only its beginning is known."""
    now = tools.now()
    show(
        (
            {
                "id": row.id,
                "name": row.name,
                "prefix": row.prefix,
                "scopes": row.scopes,
                "state": "valid" if row.is_valid(now) else "revoked" if row.revoked_at else "expired",
                "created": stamp(row.created_at),
                "used": stamp(row.last_used_at) if row.last_used_at else None,
                "expires": stamp(row.expires_at) if row.expires_at else None,
            }
            for row in ApiKey.all()
        ),
        as_json,
    )


@key.command("revoke")
@click.argument("key_id", metavar="ID")
@in_app
def key_revoke(tools: Toolbox, key_id: str) -> None:
    """End a key at once."""
    row = ApiKey.get(key_id)
    accounts.revoke_key(row, tools.now())
    click.echo(f"{row.name} ({row.prefix}...) is revoked.")


@main.command()
@click.option(
    "--set",
    "settings",
    metavar="FIELD=VALUE",
    multiple=True,
    help="One of title, description, author, language; FIELD=- reads the value from standard input.",
)
@as_json
@in_app
def blog(tools: Toolbox, settings: tuple[str, ...], as_json: bool) -> None:
    """Show what readers are told of the blog, or change it."""
    if settings:
        with transaction():
            setting.describe_blog(_settings(settings))
    show([setting.blog()], as_json)


@main.group()
def connection() -> None:
    """Places to publish to."""


@connection.command("add")
@click.argument("key")
@click.option("--name", help="What to call it in a post's platforms; by default the connector's key.")
@click.option(
    "--set",
    "settings",
    metavar="FIELD=VALUE",
    multiple=True,
    help="A field of the connector; FIELD=- reads the value from standard input.",
)
@in_app
def connection_add(tools: Toolbox, key: str, name: str | None, settings: tuple[str, ...]) -> None:
    """Connect an account of the connector KEY, and ask it whom it speaks for."""
    row, made = accounts.connect(key, name or key, _settings(settings), tools)
    click.echo(f"{row.name} is connected to {row.account}.")
    for field, secret in made.items():
        click.echo(f"{field}: {secret}")


def _settings(pairs: tuple[str, ...]) -> dict[str, str]:
    settings = {}
    for pair in pairs:
        field, equals, value = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"{pair!r} is not FIELD=VALUE.", param_hint="--set")
        settings[field] = sys.stdin.readline().rstrip("\n") if value == "-" else value
    return settings


@connection.command("list")
@as_json
@in_app
def connection_list(tools: Toolbox, as_json: bool) -> None:
    """List what is connected, and how it fares."""
    show(
        (
            {
                "name": row.name,
                "connector": row.connector,
                "account": row.account,
                "health": row.health,
                "error": row.last_error,
                "verified": stamp(row.verified_at) if row.verified_at else None,
            }
            for row in Connection.all()
        ),
        as_json,
    )


@connection.command("verify")
@click.argument("name")
@in_app
def connection_verify(tools: Toolbox, name: str) -> None:
    """Ask the platform again; what waited for the account goes on."""
    row = accounts.verify(Connection.named(name), tools)
    click.echo(f"{row.name} speaks for {row.account}.")


@connection.command("remove")
@click.argument("name")
@in_app
def connection_remove(tools: Toolbox, name: str) -> None:
    """Forget an account and its secrets. Copies that are there stay there."""
    accounts.disconnect(Connection.named(name), tools.now())
    click.echo(f"{name} is disconnected.")


@connection.command("kinds")
@as_json
def connection_kinds(as_json: bool) -> None:
    """List the connectors, and the fields that each one asks for."""
    show(
        (
            {
                "key": kind.key,
                "label": kind.label,
                "fields": [field.name + ("" if field.required else "?") for field in kind.fields],
            }
            for _, kind in sorted(connectors().items())
            if not kind.is_local
        ),
        as_json,
    )


@main.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@in_app
def backup(tools: Toolbox, file: Path | None) -> None:
    """Write everything to FILE, while the server runs: rows, media and the key that opens the secrets."""
    click.echo(backups.backup(tools, file))


@main.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def restore(file: Path) -> None:
    """Make an empty instance what it was when FILE was written."""
    try:
        config = Config.load()
        backups.restore(config, file)
    except BadSetting as error:
        _fail(str(error), BAD_SETTING)
    except BlogError as error:
        _fail(str(error), REFUSED)
    else:
        click.echo(f"Restored into {config.instance}.")
