"""`blogsvc connection`: places to publish to."""

from __future__ import annotations

import click

from blogsvc.cli.terminal import as_json, in_app, pairs_of, show
from blogsvc.connections import disconnect, manage
from blogsvc.connectors import connectors
from blogsvc.context import Tools
from blogsvc.lib.time import stamp
from blogsvc.models import Connection

set_option = click.option(
    "--set",
    "settings",
    metavar="FIELD=VALUE",
    multiple=True,
    help="A field of the connector; FIELD=- reads the value from standard input.",
)


@click.group()
def connection() -> None:
    """Manage the accounts that posts are published to."""


@connection.command("add")
@click.argument("key")
@click.option("--name", help="What to call it in a post's platforms; by default the connector's key.")
@set_option
@in_app
def connection_add(tools: Tools, key: str, name: str | None, settings: tuple[str, ...]) -> None:
    """Connect an account of the connector KEY, and ask it whom it speaks for."""
    row, made = manage.connect(key, name or key, pairs_of(settings), tools)
    click.echo(f"{row.name} is connected to {row.account}.")
    for field, secret in made.items():
        click.echo(f"{field}: {secret}")


@connection.command("change")
@click.argument("name")
@click.option("--name", "new_name", help="What to call it from now on; not once posts name it.")
@set_option
@in_app
def connection_change(tools: Tools, name: str, new_name: str | None, settings: tuple[str, ...]) -> None:
    """Give a connection another name or other settings, once its platform accepts them; FIELD= clears one."""
    values = {field: value or None for field, value in pairs_of(settings).items()}
    made = manage.change(manage.connection_named(name), new_name, values or None, tools)
    click.echo(f"{new_name or name} is changed.")
    for field, secret in made.items():
        click.echo(f"{field}: {secret}")


@connection.command("list")
@as_json
@in_app
def connection_list(tools: Tools, as_json: bool) -> None:
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
def connection_verify(tools: Tools, name: str) -> None:
    """Ask the platform again; what waited for the account goes on."""
    row = manage.verify(manage.connection_named(name), tools)
    click.echo(f"{row.name} speaks for {row.account}.")


@connection.command("remove")
@click.argument("name")
@in_app
def connection_remove(tools: Tools, name: str) -> None:
    """Forget an account and its secrets. Copies that are there stay there."""
    disconnect.disconnect(manage.connection_named(name), tools.now())
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
