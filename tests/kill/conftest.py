"""A server that tests can kill, and a key to its API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from blogsvc import create_app, migrate
from blogsvc.auth import api_keys
from blogsvc.lib.time import utc_now
from blogsvc.models import close_connections
from tests.kill.server import Server, call


@pytest.fixture
def server(tmp_path: Path, blank_database_url: str) -> Iterator[Server]:
    server = Server(tmp_path / "instance", blank_database_url)
    yield server
    server.kill()


@pytest.fixture
def api(server: Server, key: str) -> Callable[..., Any]:
    """Return a function that calls the API and returns the document of a successful response."""

    def ask(method: str, path: str, body: Any = None) -> Any:
        status, document = call(server.port, method, f"/api/v1{path}", key, body)
        assert status < 300, document
        return document

    return ask


@pytest.fixture
def key(server: Server) -> str:
    app = create_app(server.config)
    migrate(app)
    with app.app_context():
        key = api_keys.create("a test", ["all"], None, utc_now())[1]
        close_connections()
    return key
