"""`blogsvc blog`: the title, description, author, language and slug script of the blog."""

from __future__ import annotations

import click

from blogsvc.cli.terminal import as_json, in_app, pairs_of, show
from blogsvc.context import Tools
from blogsvc.models import setting, transaction


@click.command()
@click.option(
    "--set",
    "settings",
    metavar="FIELD=VALUE",
    multiple=True,
    help="One of title, description, author, language, slug_script (latin or native); FIELD=- reads the value from "
    "standard input.",
)
@as_json
@in_app
def blog(tools: Tools, settings: tuple[str, ...], as_json: bool) -> None:
    """Show or change the title and description of the blog."""
    if settings:
        with transaction():
            setting.describe_blog(pairs_of(settings))
    show([setting.blog()], as_json)
