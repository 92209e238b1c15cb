"""`blogsvc delivery`: the copies of posts on platforms."""

from __future__ import annotations

import click
from sqlalchemy import select

from blogsvc.cli.terminal import as_json, in_app, show
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.delivery.extra_copies import remove_extra_copies
from blogsvc.models import Delivery, ExtraCopy, db


@click.group()
def delivery() -> None:
    """Unpublish copies on platforms, and remove extra ones."""


@delivery.command("extra-copies")
@as_json
@in_app
def list_extra_copies(tools: Tools, as_json: bool) -> None:
    """List extra copies, which exist because a request arrived late."""
    rows = db.session.execute(select(Delivery, ExtraCopy).join(ExtraCopy).order_by(ExtraCopy.id))
    show(
        (
            {
                "delivery": row.id,
                "platform": row.destination,
                "post": row.post.title,
                "ours": row.url,
                "extra": extra.url or extra.remote_id,
                "kept": extra.is_kept,
                "error": extra.error_detail,
            }
            for row, extra in rows
        ),
        as_json,
    )


@delivery.command("remove-extra-copies")
@click.argument("delivery_id")
@in_app
def remove(tools: Tools, delivery_id: str) -> None:
    """Remove the extra copies of a delivery. The running scheduler, or `blogsvc tick`, sends the requests."""
    found = remove_extra_copies(Delivery.get(delivery_id), tools.now())
    click.echo(f"Removing {found.extra_count} from {found.destination}.")


@delivery.command("withdraw")
@click.argument("delivery_id")
@click.option("--delete", is_flag=True, help="Delete the copy even where the platform could keep it as a draft.")
@in_app
def withdraw(tools: Tools, delivery_id: str, delete: bool) -> None:
    """Unpublish one copy. The running scheduler, or `blogsvc tick`, sends the requests."""
    found = decide.withdraw(Delivery.get(delivery_id), tools.now(), delete=delete)
    click.echo(f"{'Deleting' if delete else 'Unpublishing'} the copy on {found.destination}.")
