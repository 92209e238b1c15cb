"""Our own static files: style sheets, scripts and fonts, compressed and stored in memory like pages."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from mimetypes import guess_type
from pathlib import Path

from flask import Flask, Response, abort, request
from werkzeug.security import safe_join

from blogsvc.config import STATIC
from blogsvc.lib.response_cache import CACHEABLE, Cacheable

# The query parameter with the version of a file. If it is right, other modules let browsers keep the file for a year.
VERSION = frozenset({"v"})


def init(app: Flask) -> None:
    app.add_url_rule("/static/<path:filename>", endpoint="static", view_func=_static)


def _static(filename: str) -> Response:
    file = Path(safe_join(str(STATIC), filename) or abort(404))
    if not file.is_file():
        abort(404)
    state = _state(file)
    response = Response(file.read_bytes(), mimetype=guess_type(file.name)[0] or "application/octet-stream")
    response.set_etag("-".join(f"{number:x}" for number in state))
    response.last_modified = datetime.fromtimestamp(state[0] // 1_000_000_000, UTC)
    response.cache_control.no_cache = True
    request.environ[CACHEABLE] = Cacheable(partial(_is_same, file, state), VERSION)
    return response


def _state(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_mtime_ns, found.st_size


def _is_same(file: Path, state: tuple[int, int]) -> bool:
    """Return True if the file was not changed since."""
    try:
        return _state(file) == state
    except OSError:
        return False
