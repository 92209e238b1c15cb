"""`blogsvc processes`: what runs on the database."""

from __future__ import annotations

import click

from blogsvc.cli.terminal import as_json, in_app, show
from blogsvc.context import Tools
from blogsvc.health.cluster import cluster_problems
from blogsvc.models.leadership import leader
from blogsvc.models.process import is_shared, processes


@click.command("processes")
@as_json
@in_app
def processes_command(tools: Tools, as_json: bool) -> None:
    """List the processes that share a PostgreSQL.

    SEEN is in seconds: a process reports itself every 5 seconds, and counts as gone after 20. AHEAD is how many seconds
    its clock is ahead of the database's. Processes with different KEYs can't read each other's secrets. Problems, such
    as settings that differ, are below the list.
    """
    if not is_shared() and not as_json:
        click.echo("The database is SQLite, so all processes are on this machine and are not listed.")
        return
    now = tools.now()
    first = leader(now)
    show(
        (
            {
                "role": process.role,
                "host": process.host,
                "process": process.name,
                "version": process.version,
                "leads": first is not None and first.process == process.name,
                "lanes": process.lane_count,
                "seen": round((now - process.seen_at).total_seconds()),
                "ahead": round(process.seconds_ahead),
                "key": process.key_fingerprint,
            }
            for process in processes()
        ),
        as_json,
    )
    if not as_json:
        for problem in cluster_problems(now):
            click.echo(f"\nProblem: {problem.full_message}")
