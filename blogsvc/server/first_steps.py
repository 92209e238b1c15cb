"""What the log of a new instance says first: where to set up the blog, and how to create an API key."""

from __future__ import annotations

import logging
from contextlib import suppress

from flask import Flask

from blogsvc.auth import setup
from blogsvc.context import Tools
from blogsvc.errors import Busy, StateConflict
from blogsvc.models import ApiKey

log = logging.getLogger(__name__)


def log_first_steps(app: Flask, command: str) -> None:
    """Log the setup link if the blog has no owner yet, and how `command` creates an API key if there is none."""
    tools: Tools = app.extensions["tools"]
    with app.app_context():
        with suppress(StateConflict, Busy):
            log.info("set up this blog at %s/setup/%s", tools.config.public_url, setup.setup_link(tools.vault))
        if not ApiKey.all():
            log.info("there is no API key yet; `%s key create NAME` makes one", command)
