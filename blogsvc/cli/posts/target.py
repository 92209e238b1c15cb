"""The server that `blogsvc post` works with: the one at `--url`, or the local data directory without a server.

Both are reached through the Python client and the API, so that a command does the same to both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import click
import httpx2
from flask import Flask

from blogsvc.auth.command_line import COMMAND_LINE_KEY, command_line_key
from blogsvc.cli.terminal import BAD_SETTING, PLATFORM_REFUSED, REFUSED, errors_reported, fail, the_app
from blogsvc.client import APIConnectionError, APIError, Client, ConfigurationError, WaitTimeoutError
from blogsvc.health.startup import explained
from blogsvc.models import close_connections
from blogsvc.server.logging import access

Command = Callable[..., None]


def on_server(command: Command) -> Command:
    """Add `--url` and `--key` to a command, and call it with a client as its first argument."""

    @click.option(
        "--url",
        metavar="URL",
        envvar="BLOGSVC_URL",
        help="The server, or BLOGSVC_URL. Default: the data directory here.",
    )
    @click.option("--key", metavar="KEY", envvar="BLOGSVC_API_KEY", help="The API key for --url, or BLOGSVC_API_KEY.")
    @wraps(command)
    def run(*args: Any, url: str | None, key: str | None, **options: Any) -> None:
        with errors_reported(), api_errors_reported(), _remote(url, key) if url else _local() as client:
            command(client, *args, **options)

    return run


@contextmanager
def _remote(url: str, key: str | None) -> Iterator[Client]:
    if key is None:
        if not sys.stdin.isatty():
            raise click.UsageError("Set BLOGSVC_API_KEY, or pass --key.")
        key = click.prompt("API key", hide_input=True, err=True)
    with Client(key, url) as client:
        yield client


@contextmanager
def _local() -> Iterator[Client]:
    app = the_app()
    config = app.extensions["tools"].config
    transport = httpx2.WSGITransport(app=_as_command_line(app))
    with (
        explained(config),
        Client("none", config.public_url, transport=transport, max_retries=0, allow_http=True) as client,
    ):
        access.disabled = True  # these requests are only our own
        try:
            yield client
        finally:
            access.disabled = False
            with app.app_context():
                close_connections()


def _as_command_line(app: Flask) -> Callable[[dict[str, Any], Any], Iterable[bytes]]:
    """Return the application for requests that need no API key. Idempotency keys, which belong to one, are left out."""

    def call(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environ.pop("HTTP_IDEMPOTENCY_KEY", None)
        return app(environ | {COMMAND_LINE_KEY: command_line_key()}, start_response)

    return call


@contextmanager
def api_errors_reported() -> Iterator[None]:
    """Print an error of the API in a few lines, and end with its exit code."""
    try:
        yield
    except APIError as error:
        fail(explanation(error), PLATFORM_REFUSED if error.status == 502 else REFUSED)
    except (APIConnectionError, WaitTimeoutError) as error:
        fail(str(error), REFUSED)
    except ConfigurationError as error:
        fail(str(error), BAD_SETTING)


def explanation(error: APIError) -> str:
    """Return what is wrong and how to fix it: a line for each invalid field, or the detail of the problem."""
    faults = [f"{(one.pointer or one.parameter or '').removeprefix('#/')}: {one.detail}" for one in error.errors]
    return "\n".join(faults) or error.detail or str(error)
