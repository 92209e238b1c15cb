"""`blogsvc connection`: the accounts that posts are published to."""

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
    help="A field of the connector; FIELD=- asks for the value, or reads it from standard input.",
)
confirm_option = click.option(
    "--confirm",
    "confirmed",
    metavar="ORIGIN",
    multiple=True,
    help="Another server that may get the secrets, such as https://cms.example; may be repeated.",
)


@click.group()
def connection() -> None:
    """Manage the accounts that posts are published to."""


@connection.command("add")
@click.argument("key")
@click.option("--name", help="The name of the destination. Default: the connector's key.")
@set_option
@confirm_option
@in_app
def connection_add(
    tools: Tools, key: str, name: str | None, settings: tuple[str, ...], confirmed: tuple[str, ...]
) -> None:
    """Connect an account with the connector KEY, and verify its settings."""
    row, made = manage.connect(key, name or key, pairs_of(settings), tools, confirmed=confirmed)
    click.echo(f"Connected {row.name} to {row.account}.")
    for field, secret in made.items():
        click.echo(f"{field}: {secret}")


@connection.command("change")
@click.argument("name")
@click.option("--name", "new_name", help="The new name. You can't rename a connection that posts use.")
@click.option(
    "--alias", "aliases", metavar="NAME", multiple=True, help="Another name for requests; may be repeated. Empty: none."
)
@set_option
@confirm_option
@in_app
def connection_change(
    tools: Tools,
    name: str,
    new_name: str | None,
    aliases: tuple[str, ...],
    settings: tuple[str, ...],
    confirmed: tuple[str, ...],
) -> None:
    """Change the name, aliases or settings of a connection. FIELD= clears a setting; --alias replaces all aliases."""
    values = {field: value or None for field, value in pairs_of(settings).items()}
    row = manage.connection_named(name)
    names = list(filter(None, aliases)) if aliases else None
    made = manage.change(row, new_name, values or None, tools, names, confirmed)
    click.echo(f"Changed {new_name or name}.")
    for field, secret in made.items():
        click.echo(f"{field}: {secret}")


@connection.command("list")
@as_json
@in_app
def connection_list(tools: Tools, as_json: bool) -> None:
    """List the connections and their health."""
    show(
        (
            {
                "name": row.name,
                "aliases": row.aliases,
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
    """Verify a connection, and resume the deliveries that waited for it."""
    row = manage.verify(manage.connection_named(name), tools)
    click.echo(f"Verified {row.name}: {row.account}.")


@connection.command("remove")
@click.argument("name")
@in_app
def connection_remove(tools: Tools, name: str) -> None:
    """Delete a connection and its secrets. Copies stay on the platform; what was not sent waits for another account."""
    disconnect.disconnect(manage.connection_named(name), tools.now())
    click.echo(f"Disconnected {name}.")


@connection.command("kinds")
@as_json
def connection_kinds(as_json: bool) -> None:
    """List the connectors and their settings; optional settings end in a question mark."""
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
