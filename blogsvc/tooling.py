"""The tools of the application that a request is in, whichever entrance it came by: settings, vault, door, time."""

from __future__ import annotations

from datetime import datetime

from flask import current_app

from blogsvc.toolbox import Toolbox


def tools() -> Toolbox:
    box: Toolbox = current_app.extensions["toolbox"]
    return box


def now() -> datetime:
    return tools().now()
