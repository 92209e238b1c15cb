"""`blogsvc demo`: a temporary blog with sample posts, to try blogsvc out."""

from __future__ import annotations

import logging
import shutil
import signal
import sys
from secrets import token_urlsafe
from tempfile import TemporaryDirectory

import click

from blogsvc import create_app, migrate
from blogsvc.auth import api_keys
from blogsvc.cli.terminal import BAD_SETTING, fail
from blogsvc.config import Config
from blogsvc.demo.fill import EMAIL, fill
from blogsvc.lib.setting_checks import BadSetting
from blogsvc.models import close_connections
from blogsvc.server import granian
from blogsvc.server.logging import to_stderr

TEXT = """
A temporary blog with sample posts. Its destinations are sandboxes: nothing is sent to other platforms.

  Blog       {url}/
  Dashboard  {url}/desk
  API        {url}/api/v1/docs

  E-mail     {email}
  Password   {password}
  API key    {key}

Press Ctrl+C to stop the server and delete the blog.
"""


@click.command()
def demo() -> None:
    """Start a temporary blog with sample posts.

    The blog has posts in every state, sandbox destinations and two months of figures. It listens on HOST and PORT,
    or on a free port if PORT is in use. No other setting is used. Your own blog is not touched.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the directory is deleted
    try:
        given = Config.load()
        port = granian.open_port(given.host, given.port)
        with TemporaryDirectory(prefix="blogsvc-demo-", ignore_cleanup_errors=True) as folder:
            chosen = {"HOST": given.host, "PORT": str(port), "BLOGSVC_ALLOW_HTTP": "1"}  # it has no secrets
            _serve(Config.load({"BLOGSVC_INSTANCE": folder} | chosen))
    except BadSetting as error:
        fail(str(error), BAD_SETTING)


def _serve(config: Config) -> None:
    to_stderr(config)
    logging.getLogger().setLevel(logging.WARNING)
    click.echo("Writing sample posts ...")
    app = create_app(config)
    migrate(app)
    tools = app.extensions["tools"]
    password = token_urlsafe(9)
    with app.app_context():
        fill(app, tools, password)
        _, key = api_keys.create("demo", ["all"], None, tools.now())
        close_connections()
    click.echo(TEXT.format(url=config.public_url, email=EMAIL, password=password, key=key))
    # The server ends the process, so that it deletes the directory itself.
    granian.serve(app, on_stop=lambda: shutil.rmtree(config.instance, ignore_errors=True))
