"""The server that `blogsvc post` works with: the one at `--url`, or the local data directory without a server.

Both are reached through the Python client and the API, so that a command does the same to both.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import click
import httpx2
from click.core import ParameterSource
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
        key = _key_of(url, key)
        with errors_reported(), api_errors_reported(), _remote(url, key) if url else _local() as client:
            command(client, *args, **options)

    return run


def _key_of(url: str | None, key: str | None) -> str | None:
    """Return the key for the server at `url`, None if there is none. Raises UsageError if it belongs to another server.

    BLOGSVC_URL and BLOGSVC_API_KEY belong together if both are set: then an option does not replace only one of them.
    """
    source = click.get_current_context().get_parameter_source
    is_given = {name: source(name) is ParameterSource.COMMANDLINE for name in ("url", "key")}
    own_url, own_key = os.environ.get("BLOGSVC_URL"), os.environ.get("BLOGSVC_API_KEY")
    if is_given["key"] and not is_given["url"]:
        if not url:
            raise click.UsageError("Pass --url for --key, or set BLOGSVC_URL.")
        if own_key and own_key != key:
            raise click.UsageError("BLOGSVC_URL is the server of BLOGSVC_API_KEY. Pass --url for --key.")
    if is_given["url"] and not is_given["key"] and own_key and own_url and own_url != url:
        if not sys.stdin.isatty():
            raise click.UsageError("BLOGSVC_API_KEY is the key of BLOGSVC_URL. Pass --key for --url.")
        return None  # asks for the key
    return key


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
