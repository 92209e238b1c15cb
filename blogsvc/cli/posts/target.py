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
from blogsvc.client._options import parse_base_url
from blogsvc.health.startup import explained
from blogsvc.models import close_connections
from blogsvc.server.logging import access

Command = Callable[..., None]

URL_VARIABLE = "BLOGSVC_URL"
KEY_VARIABLE = "BLOGSVC_API_KEY"


def on_server(command: Command) -> Command:
    """Add `--url` and `--key` to a command, and call it with a client as its first argument."""

    @click.option(
        "--url",
        metavar="URL",
        envvar=URL_VARIABLE,
        help=f"The server, or {URL_VARIABLE}. Default: the data directory here.",
    )
    @click.option(
        "--key",
        metavar="KEY",
        envvar=KEY_VARIABLE,
        help=f"The API key for --url. {KEY_VARIABLE} is used only for {URL_VARIABLE}.",
    )
    @wraps(command)
    def run(*args: Any, url: str | None, key: str | None, **options: Any) -> None:
        _refuse_blank("url", url, URL_VARIABLE)
        _refuse_blank("key", key, KEY_VARIABLE)
        key = _key_of(url, key)
        with errors_reported(), api_errors_reported(), _local() if url is None else _remote(url, key) as client:
            command(client, *args, **options)

    return run


def _is_option(name: str) -> bool:
    """Return whether the value of `--url` or `--key` is from the command line, and not from the environment."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def _refuse_blank(name: str, value: str | None, variable: str) -> None:
    """Raise UsageError for a blank value: a missing variable in a script must not select the data directory here."""
    if value is not None and not value.strip():
        raise click.UsageError(
            f"{f'--{name}' if _is_option(name) else variable} is blank. Set a value, or leave it out."
        )


def _key_of(url: str | None, key: str | None) -> str | None:
    """Return the key for the server at `url`, None if there is none. Raises UsageError if it belongs to another server.

    The key and the URL come together, as in the client libraries: both from options, or both from the environment.
    """
    own_url, own_key = os.environ.get(URL_VARIABLE), os.environ.get(KEY_VARIABLE)
    if _is_option("key") and not _is_option("url"):
        if url is None:
            raise click.UsageError("Pass --url together with --key.")
        if key != own_key:
            raise click.UsageError(f"{URL_VARIABLE} is used only with {KEY_VARIABLE}. Pass --url together with --key.")
    if url is not None and _is_option("url") and not _is_option("key") and own_key:
        if own_url and _address(own_url) == _address(url):
            return own_key
        if not sys.stdin.isatty():
            raise click.UsageError(f"{KEY_VARIABLE} is used only with {URL_VARIABLE}. Pass --key together with --url.")
        return None  # asks for the key
    return key


def _address(url: str) -> str:
    """Return the address that the client uses for a URL. An invalid URL stays, for the client to refuse."""
    try:
        return parse_base_url(url, allow_http=True)
    except ConfigurationError:
        return url


@contextmanager
def _remote(url: str, key: str | None) -> Iterator[Client]:
    if key is None:
        if not sys.stdin.isatty():
            fix = "Pass --key together with --url." if _is_option("url") else f"Set {KEY_VARIABLE}."
            raise click.UsageError(f"There is no API key for the server. {fix}")
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
