"""What verbs need besides the database: the settings, the HTTP door, the vault for secrets, the time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from flask import current_app

from blogsvc.config import Config
from blogsvc.lib.crypto import Vault
from blogsvc.lib.net.http import HttpClient
from blogsvc.lib.time import utc_now


@dataclass(frozen=True)
class Tools:
    config: Config
    vault: Vault
    door: HttpClient = field(default_factory=HttpClient)
    now: Callable[[], datetime] = utc_now


def tools() -> Tools:
    """Return the tools of the current Flask application. Verbs take them as an argument instead."""
    box: Tools = current_app.extensions["toolbox"]
    return box


def now() -> datetime:
    """Return the current time of the current Flask application."""
    return tools().now()
