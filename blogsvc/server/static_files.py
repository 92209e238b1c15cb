"""Our own static files: style sheets, scripts and fonts, compressed and stored in memory like pages."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from mimetypes import guess_type
from pathlib import Path
from time import monotonic

from flask import Flask, Response, abort, request, send_file
from werkzeug.security import safe_join

from blogsvc.config import STATIC
from blogsvc.lib.response_cache import CACHEABLE, Cacheable
from blogsvc.server.large_body import MAX_FROM_MEMORY

# The query parameter with the version of a file. If it is right, other modules let browsers keep the file for a year.
VERSION = frozenset({"v"})
# A change of a file is noticed after this time at the latest, in seconds.
MAX_AGE = 0.25


def init(app: Flask) -> None:
    app.add_url_rule("/static/<path:filename>", endpoint="static", view_func=_static)


def _static(filename: str) -> Response:
    file = Path(safe_join(str(STATIC), filename) or abort(404))
    if not file.is_file():
        abort(404)
    found = file.stat()
    media_type = guess_type(file.name)[0] or "application/octet-stream"
    if found.st_size > MAX_FROM_MEMORY:
        response = send_file(file, media_type, conditional=False, etag=False)
    else:
        response = Response(file.read_bytes(), mimetype=media_type)
    response.set_etag(f"{found.st_mtime_ns:x}-{found.st_size:x}")
    response.last_modified = datetime.fromtimestamp(found.st_mtime_ns // 1_000_000_000, UTC)
    response.cache_control.no_cache = True
    request.environ[CACHEABLE] = Cacheable(Unchanged(file, found), VERSION)
    return response


class Unchanged:
    """Tells whether a file is still the one that was read. Looks at it again after `MAX_AGE`."""

    def __init__(self, file: Path, found: os.stat_result) -> None:
        self._file, self._found = file, (found.st_mtime_ns, found.st_size)
        self._known_until = monotonic() + MAX_AGE

    def __call__(self) -> bool:
        if monotonic() < self._known_until:
            return True
        until = monotonic() + MAX_AGE
        try:
            found = self._file.stat()
        except OSError:
            return False
        if (found.st_mtime_ns, found.st_size) != self._found:
            return False
        self._known_until = until
        return True
