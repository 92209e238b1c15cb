"""`blogsvc key`: API keys."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import click

from blogsvc.auth import api_keys
from blogsvc.cli.terminal import as_json, in_app, pairs_of, show
from blogsvc.context import Tools
from blogsvc.lib.time import parse, stamp
from blogsvc.models import ApiKey

limits_option = click.option(
    "--limit",
    "limits",
    metavar="TIER=CALLS",
    multiple=True,
    help="Requests per minute for read, write or publish. TIER= resets to the default.",
)


def scopes_option(**more: Any) -> Callable[..., Any]:
    return click.option("--scopes", help="Scopes, separated by commas.", **more)


@click.group()
def key() -> None:
    """Manage API keys."""


@key.command("create")
@click.argument("name")
@scopes_option(default="all", show_default=True)
@click.option("--expires", metavar="TIME", help="The expiry date, such as 2027-01-01T00:00:00Z.")
@limits_option
@in_app
def key_create(tools: Tools, name: str, scopes: str, expires: str | None, limits: tuple[str, ...]) -> None:
    """Create a key and print it to standard output. It is not shown again."""
    expires_at = _time(expires) if expires else None
    own = {tier: most for tier, most in _limits(limits).items() if most is not None}
    _, text = api_keys.create(name, _names(scopes), expires_at, tools.now(), limits=own)
    _show_once(text)


@key.command("list")
@as_json
@in_app
def key_list(tools: Tools, as_json: bool) -> None:
    """List the keys. Only the prefix of each key is stored."""
    now = tools.now()
    show(
        (
            {
                "id": row.id,
                "name": row.name,
                "prefix": row.prefix,
                "scopes": row.scopes,
                "limits": [f"{tier}={most}" for tier, most in row.limits.items()],
                "state": row.state(now),
                "created": stamp(row.created_at),
                "used": stamp(row.last_used_at) if row.last_used_at else None,
                "expires": stamp(row.expires_at) if row.expires_at else None,
            }
            for row in ApiKey.all()
        ),
        as_json,
    )


@key.command("change")
@click.argument("key_id", metavar="ID")
@click.option("--name", help="The new name.")
@scopes_option()
@click.option("--expires", metavar="TIME", help="The expiry date; `never` removes it.")
@limits_option
@in_app
def key_change(
    tools: Tools, key_id: str, name: str | None, scopes: str | None, expires: str | None, limits: tuple[str, ...]
) -> None:
    """Change the name, scopes, expiry date or limits of a key."""
    options: dict[str, Any] = {
        "name": name,
        "scopes": None if scopes is None else _names(scopes),
        "limits": _limits(limits) or None,
    }
    changes = {field: value for field, value in options.items() if value is not None}
    if expires is not None:
        changes["expires_at"] = None if expires == "never" else _time(expires)
    row = api_keys.change(key_id, changes, tools.now())
    click.echo(f"{row.name} ({row.prefix}...) has been changed.")


@key.command("rotate")
@click.argument("key_id", metavar="ID")
@click.option(
    "--overlap",
    metavar="HOURS",
    type=click.FloatRange(min=0, max=api_keys.MAX_KEY_OVERLAP / timedelta(hours=1)),
    default=api_keys.KEY_OVERLAP / timedelta(hours=1),
    show_default=True,
    help="How long the old key stays valid.",
)
@in_app
def key_rotate(tools: Tools, key_id: str, overlap: float) -> None:
    """Replace a key, and print the new key to standard output. It is not shown again."""
    _, text = api_keys.rotate(key_id, timedelta(hours=overlap), tools.now())
    _show_once(text)


@key.command("revoke")
@click.argument("key_id", metavar="ID")
@in_app
def key_revoke(tools: Tools, key_id: str) -> None:
    """Revoke a key at once."""
    row = api_keys.revoke(key_id, tools.now())
    click.echo(f"{row.name} ({row.prefix}...) has been revoked.")


def _show_once(text: str) -> None:
    click.echo(text)
    click.echo("Copy this key now. You won't see it again.", err=True)


def _names(scopes: str) -> list[str]:
    return [scope.strip() for scope in scopes.split(",") if scope.strip()]


def _time(text: str) -> datetime:
    try:
        return parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--expires") from error


def _limits(pairs: tuple[str, ...]) -> dict[str, int | None]:
    try:
        return {tier: int(most) if most else None for tier, most in pairs_of(pairs, "--limit", "TIER=CALLS").items()}
    except ValueError as error:
        raise click.BadParameter(
            "A limit must be a whole number of requests per minute.", param_hint="--limit"
        ) from error
