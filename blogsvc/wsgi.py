"""The application for any WSGI server, as `blogsvc.wsgi:app`. The scheduler runs in one of the server's processes.

It is created when a server asks for `app`, not by the import. `blogsvc serve` does not need this module.
"""

from __future__ import annotations

import logging
import signal
import sys
from functools import cache
from pathlib import Path
from threading import current_thread, main_thread

import click
from flask import Flask
from flask.cli import FlaskGroup, run_command
from flask.helpers import get_debug_flag
from werkzeug.serving import is_running_from_reloader

from blogsvc.cli.terminal import BAD_SETTING, fail, opening, the_app
from blogsvc.config import Config
from blogsvc.errors import BlogError
from blogsvc.lib.process_lock import held
from blogsvc.lib.setting_checks import BadSetting
from blogsvc.models import close_connections
from blogsvc.server.background import FORKS_WITHIN, Background
from blogsvc.server.first_steps import log_first_steps

log = logging.getLogger(__name__)


def _create() -> Flask:
    """Return the application, and create the database of a new instance.

    If that is not possible, print why and end the process. Its exit code tells gunicorn not to start another one.
    """
    try:
        config = Config.load()
        config.make_instance()
        with opening(config), held(config.start_lock, waits=True):
            app = the_app()
    except (BadSetting, BlogError) as error:
        fail(str(error), BAD_SETTING)
    with app.app_context():
        close_connections()
    return app


def _is_server() -> bool:
    """Return False in a process that answers no requests: one of Flask's commands, or its reloader."""
    command = click.get_current_context(silent=True)
    if command is None or not isinstance(command.find_root().command, FlaskGroup):
        return True
    if command.command is not run_command:
        return False
    reloads = get_debug_flag() if command.params["reload"] is None else command.params["reload"]
    return is_running_from_reloader() or not reloads


def _end_on_sigterm() -> None:
    """Let SIGTERM end Python as usual, so that deliveries finish, unless the server has its own way to stop."""
    if current_thread() is main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


@cache
def _app() -> Flask:
    """Return the application, and start what runs beside its requests."""
    app = _create()

    def log_steps() -> None:
        log.info("this process runs the scheduler")
        try:
            log_first_steps(app, str(Path(sys.executable).with_name("blogsvc")))
        except Exception:
            log.exception("the first steps could not be shown")

    if _is_server():
        _end_on_sigterm()
        background = Background(app, log_steps)
        background.move_to_forks()
        background.start(FORKS_WITHIN)
    return app


def __getattr__(name: str) -> Flask:
    if name != "app":
        raise AttributeError(name)
    return _app()
