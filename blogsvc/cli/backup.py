"""`blogsvc backup` and `blogsvc restore`: the whole blog in one file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import click
from sqlalchemy import make_url

from blogsvc.cli.terminal import binary_stdout, errors_reported, in_any_app, progress_of, quiet
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.lib.crypto import WrongKey
from blogsvc.lib.setting_checks import BadSetting
from blogsvc.transfer import backup as backups
from blogsvc.transfer import restore as restores

STDOUT = Path("-")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True), required=False)
@click.option(
    "--images/--no-images", default=None, help="Whether to add the images: by default, unless they are in S3."
)
@quiet
@in_any_app
def backup(tools: Tools, file: Path | None, images: bool | None, quiet: bool) -> None:
    """Back up the database, images and key file to FILE. The server may run meanwhile.

    FILE must not exist; `-` is standard output. Default: a file in backups/ of the data directory. The database may be
    SQLite or PostgreSQL, and the backup can be restored to either.
    """
    has_images = backups.has_images_by_default(tools.config) if images is None else images
    if file == STDOUT:
        lacks = backups.backup_to_stream(tools, binary_stdout(), has_images)
    else:
        with progress_of("Backing up", quiet) as report:
            made = backups.backup(tools, file, has_images, report)
        click.echo(made.file)
        lacks = made.lacks
    if not quiet:
        _warn(lacks)


@click.command()
@click.argument("file", type=click.File("rb"))
@quiet
def restore(file: BinaryIO, quiet: bool) -> None:
    """Restore the backup FILE into an empty data directory or PostgreSQL.

    `-` is standard input. BLOGSVC_DATABASE_URL, BLOGSVC_INSTANCE and BLOGSVC_MEDIA_URL say where to. Stop all
    processes of blogsvc first.
    """
    with errors_reported():
        config = Config.load()
        with progress_of("Restoring", quiet) as report:
            try:
                lacks = restores.restore(config, file, report)
            except WrongKey as error:
                raise BadSetting(str(error)) from error
        place = f"the database {make_url(config.rows_url).database}" if config.is_on_postgresql else config.instance
        click.echo(f"Restored into {place}.")
        _warn(lacks)


def _warn(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        click.echo(sentence, err=True)
