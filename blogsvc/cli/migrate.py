"""`blogsvc migrate`: the schema of the database."""

from __future__ import annotations

import click

from blogsvc import create_app, migrate
from blogsvc.cli.terminal import errors_reported, opening
from blogsvc.config import Config
from blogsvc.lib.crypto import Vault
from blogsvc.models import close_connections, schema
from blogsvc.server import logging


@click.command("migrate")
@click.option("--new-blog", is_flag=True, help="Create an empty database even if there are images of a lost one.")
@click.option("--new-key", is_flag=True, help="Use a new key if the former one is lost. Stored secrets become useless.")
def migrate_command(new_blog: bool, new_key: bool) -> None:
    """Update the database to the schema of this version. Stop the server and make a backup first.

    `blogsvc serve` does this at start, and other commands never do.
    """
    with errors_reported():
        config = Config.load()
        logging.to_stderr(config)
        with opening(config):
            if new_key and not config.secret_key:
                config.make_instance()
                Vault.open(config.key_file)
            app = create_app(config)
            before, newest = migrate(app, new_blog=new_blog, new_key=new_key), schema.schema_versions()[-1]
        with app.app_context():
            close_connections()
        if before is None:
            click.echo(f"Created the database with the schema {newest}.")
        elif before == newest:
            click.echo("The database is up to date.")
        else:
            click.echo(f"Updated the database from {before} to {newest}.")
