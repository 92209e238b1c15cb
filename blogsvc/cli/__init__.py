"""The command line: serve, and everything that a server's owner does at a terminal."""

from __future__ import annotations

from pathlib import Path

import click
from flask import current_app

from blogsvc import scheduler
from blogsvc.cli.connections import connection
from blogsvc.cli.keys import key
from blogsvc.cli.terminal import BAD_SETTING, REFUSED, as_json, fail, in_app, pairs_of, show
from blogsvc.cli.transfer import export_command, import_command
from blogsvc.cli.users import user
from blogsvc.config import BadSetting, Config
from blogsvc.context import Tools
from blogsvc.errors import BlogError
from blogsvc.models import setting, transaction
from blogsvc.server import granian
from blogsvc.transfer import backup as backups


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="blogsvc", prog_name="blogsvc")
def main() -> None:
    """Write once; publish on your own blog and everywhere else, on time, exactly once.

    Exit codes: 0 done, 1 refused, 2 wrong call, 3 the platform refused, 4 a setting is unusable.
    """


main.add_command(key)
main.add_command(connection)
main.add_command(user)
main.add_command(export_command)
main.add_command(import_command)


@main.command()
@in_app
def serve(tools: Tools) -> None:
    """Bring the database up to date and serve, with the clock, until told to stop."""
    granian.serve(current_app._get_current_object())  # type: ignore[attr-defined]


@main.command()
@in_app
def tick(tools: Tools) -> None:
    """Publish and deliver once what is due: for those who prefer cron (with BLOGSVC_CLOCK=0)."""
    scheduler.one_pass(current_app._get_current_object(), tools)  # type: ignore[attr-defined]


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
def blog(tools: Tools, settings: tuple[str, ...], as_json: bool) -> None:
    """Show what readers are told of the blog, or change it."""
    if settings:
        with transaction():
            setting.describe_blog(pairs_of(settings))
    show([setting.blog()], as_json)


@main.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@in_app
def backup(tools: Tools, file: Path | None) -> None:
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
        fail(str(error), BAD_SETTING)
    except BlogError as error:
        fail(str(error), REFUSED)
    else:
        click.echo(f"Restored into {config.instance}.")
