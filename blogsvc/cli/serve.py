"""`blogsvc serve` and `blogsvc tick`: publish and deliver, always or once."""

from __future__ import annotations

import click
from flask import current_app

from blogsvc.cli.terminal import in_app, in_updated_app
from blogsvc.context import Tools
from blogsvc.scheduler.one_pass import one_pass
from blogsvc.server import granian


@click.command()
@in_updated_app
def serve(tools: Tools) -> None:
    """Start the server and the scheduler. Updates the database schema first."""
    granian.serve(current_app._get_current_object())  # type: ignore[attr-defined]


@click.command()
@in_app
def tick(tools: Tools) -> None:
    """Publish and deliver what is due, once. For cron, with BLOGSVC_SCHEDULER=0."""
    one_pass(current_app._get_current_object(), tools)  # type: ignore[attr-defined]
