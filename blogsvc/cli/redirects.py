"""`blogsvc redirects`: where addresses without a page lead."""

from __future__ import annotations

from typing import BinaryIO

import click
from sqlalchemy import select

from blogsvc.cli.terminal import as_json, binary_stdout, in_app, show
from blogsvc.context import Tools
from blogsvc.errors import NotFound
from blogsvc.models import Redirect, db
from blogsvc.models.redirect import GONE, known
from blogsvc.posts.old_addresses import normalized
from blogsvc.redirects import csv_files, listing, manage


@click.group()
def redirects() -> None:
    """Manage redirects of addresses without a page."""


@redirects.command("list")
@click.option("--search", metavar="TEXT", default="", help="Only those whose path or target contains this text.")
@as_json
@in_app
def redirects_list(tools: Tools, search: str, as_json: bool) -> None:
    """List the redirects, imported ones too."""
    rows = db.session.scalars(select(Redirect).where(*listing.matching(search)).order_by(Redirect.path)).all()
    show(
        (
            {
                "path": one.row.path,
                "target": one.address,
                "status": one.row.status,
                "source": one.row.source,
                "uses": one.row.hit_count,
                "active": one.is_used,
            }
            for one in listing.shown(rows)
        ),
        as_json,
    )


@redirects.command("add")
@click.argument("path")
@click.argument("target", required=False)
@click.option(
    "--status", type=click.Choice(["301", "302", "410"]), default="301", show_default=True, help="410 has no TARGET."
)
@in_app
def redirects_add(tools: Tools, path: str, target: str | None, status: str) -> None:
    """Add a redirect from PATH to TARGET, a path of the blog or a URL."""
    row = manage.create(path, target, int(status), tools.config.public_url)
    (shown,) = listing.shown([row])
    click.echo(f"{row.path} is gone." if row.status == GONE else f"{row.path} leads to {shown.address}.")
    if remark := listing.remark(shown):
        click.echo(remark, err=True)


@redirects.command("remove")
@click.argument("path")
@in_app
def redirects_remove(tools: Tools, path: str) -> None:
    """Remove the redirect of PATH."""
    row = known([normalized(path)]).get(normalized(path))
    if row is None:
        raise NotFound(f"There is no redirect of {path}.")
    manage.remove(row)
    click.echo(f"The redirect of {row.path} is removed.")


@redirects.command("import")
@click.argument("file", type=click.File("rb"))
@in_app
def redirects_import(tools: Tools, file: BinaryIO) -> None:
    """Add the redirects of the CSV file FILE: path, target, status."""
    done = csv_files.read(file, tools.config.public_url)
    click.echo(f"{done.created} added, {done.changed} changed, {done.unchanged} unchanged.")


@redirects.command("export")
@click.argument("file", type=click.File("wb"), required=False)
@in_app
def redirects_export(tools: Tools, file: BinaryIO | None) -> None:
    """Write all redirects to FILE or to standard output, as CSV."""
    csv_files.write(file or binary_stdout())
