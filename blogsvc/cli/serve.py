"""`blogsvc serve`, `blogsvc scheduler` and `blogsvc tick`: publish and deliver, always or once."""

from __future__ import annotations

from dataclasses import replace

import click
from flask import current_app

from blogsvc.cli.terminal import in_app, in_updated_app
from blogsvc.context import Tools, attach
from blogsvc.scheduler.one_pass import one_pass
from blogsvc.server import granian
from blogsvc.server.background import run_scheduler


@click.command()
@click.option("--no-scheduler", is_flag=True, help="Run only the server, as with BLOGSVC_SCHEDULER=0.")
@in_updated_app
def serve(tools: Tools, no_scheduler: bool) -> None:
    """Start the server and the scheduler. Updates the database schema first."""
    if no_scheduler:
        _with_scheduler(False)
    granian.serve(current_app._get_current_object())  # type: ignore[attr-defined]


@click.command()
@in_updated_app
def scheduler(tools: Tools) -> None:
    """Run the scheduler without a server. Updates the database schema first.

    For servers that run with --no-scheduler. If several schedulers share a database, one leads, and when it ends,
    another one does.
    """
    _with_scheduler(True)
    run_scheduler(current_app._get_current_object())  # type: ignore[attr-defined]


def _with_scheduler(is_here: bool) -> None:
    """Let this process run a scheduler or not, whatever BLOGSVC_SCHEDULER is."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    current: Tools = app.extensions["tools"]
    attach(app, replace(current, config=replace(current.config, scheduler=is_here)))


@click.command()
@in_app
def tick(tools: Tools) -> None:
    """Publish and deliver what is due, once. For cron, with BLOGSVC_SCHEDULER=0."""
    one_pass(current_app._get_current_object(), tools)  # type: ignore[attr-defined]
