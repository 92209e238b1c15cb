"""`blogsvc backup` and `blogsvc restore`: the whole data directory in one file."""

from __future__ import annotations

from pathlib import Path

import click

from blogsvc.cli.terminal import binary_stdout, errors_reported, in_any_app, progress_of, quiet
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.transfer import backup as backups

STDOUT = Path("-")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True), required=False)
@quiet
@in_any_app
def backup(tools: Tools, file: Path | None, quiet: bool) -> None:
    """Back up the database, images and key file to FILE. The server may run meanwhile.

    FILE must not exist; `-` is standard output. Default: a file in backups/ of the data directory.
    """
    if file == STDOUT:
        backups.backup_to_stream(tools, binary_stdout())
        return
    with progress_of("Backing up", quiet) as report:
        target = backups.backup(tools, file, report)
    click.echo(target)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@quiet
def restore(file: Path, quiet: bool) -> None:
    """Restore the backup FILE into an empty data directory."""
    with errors_reported():
        config = Config.load()
        with progress_of("Restoring", quiet) as report:
            backups.restore(config, file, report)
        click.echo(f"Restored into {config.instance}.")
