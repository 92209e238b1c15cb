"""Which requests reach Flask, and which are answered from memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask, request, request_started


@contextmanager
def flask_requests() -> Iterator[list[str]]:
    """Yield the paths of the requests that reach Flask."""
    paths: list[str] = []

    def note(app: Flask, **_: Any) -> None:
        paths.append(request.path)

    with request_started.connected_to(note):
        yield paths
