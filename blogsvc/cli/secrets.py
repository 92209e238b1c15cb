"""`blogsvc secrets`: the key that encrypts secrets."""

from __future__ import annotations

import click

from blogsvc.cli.terminal import in_app
from blogsvc.context import Tools
from blogsvc.secrets import rotate as rotation


@click.group()
def secrets() -> None:
    """Manage the key that encrypts secrets."""


@secrets.command()
@in_app
def rotate(tools: Tools) -> None:
    """Encrypt all stored secrets with a new key. The server may run meanwhile.

    If this is interrupted, run it again: it continues. Restart the server afterwards.
    """

    def report(name: str, done: int, total: int) -> None:
        click.echo(f"{name}: {done:,} of {total:,}", err=True)

    done = rotation.rotate(tools, report)
    if done.is_resumed:
        click.echo("Continued a rotation that was interrupted.")
    count = f"{done.done:,} secret{'' if done.done == 1 else 's'}"
    if tools.config.secret_key:
        click.echo(
            f"Encrypted {count} with the first key of {rotation.VARIABLE}. Remove the other keys from it and restart"
            " the server."
        )
    else:
        click.echo(
            f"Encrypted {count} with a new key and removed the former one. Restart the server: until then, it signs"
            " cookies with the former key. Everyone then has to sign in again."
        )
    if done.unreadable:
        tables = ", ".join(f"{table} {number}" for table, number in done.unreadable.items())
        click.echo(f"No key decrypts {done.unreadable.total()} secrets ({tables}). Connect these accounts again.")
