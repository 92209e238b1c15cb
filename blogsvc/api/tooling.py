"""The tools of the application that a request is in: settings, vault, door and time, with their types."""

from __future__ import annotations

from datetime import datetime

from flask import current_app

from blogsvc.toolbox import Toolbox


def tools() -> Toolbox:
    box: Toolbox = current_app.extensions["toolbox"]
    return box


def now() -> datetime:
    return tools().now()
