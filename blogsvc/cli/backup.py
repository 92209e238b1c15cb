"""`blogsvc backup` and `blogsvc restore`: the whole data directory in one file."""

from __future__ import annotations

from pathlib import Path

import click

from blogsvc.cli.terminal import BAD_SETTING, REFUSED, fail, in_any_app
from blogsvc.config import BadSetting, Config
from blogsvc.context import Tools
from blogsvc.errors import BlogError
from blogsvc.transfer import backup as backups


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@in_any_app
def backup(tools: Tools, file: Path | None) -> None:
    """Back up the database, images and key file to FILE. The server may run meanwhile."""
    click.echo(backups.backup(tools, file))


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def restore(file: Path) -> None:
    """Restore the backup FILE into an empty data directory."""
    try:
        config = Config.load()
        backups.restore(config, file)
    except BadSetting as error:
        fail(str(error), BAD_SETTING)
    except BlogError as error:
        fail(str(error), REFUSED)
    else:
        click.echo(f"Restored into {config.instance}.")
