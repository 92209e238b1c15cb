"""The real server for tests with many concurrent clients: started once per module, on an instance of its own."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier
from types import MappingProxyType
from typing import Any, TypeVar

from blogsvc import create_app, migrate
from blogsvc.auth import api_keys
from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.models import close_connections
from tests.kill.server import Server

R = TypeVar("R")
PREFIX = "/api/v1"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Served:
    """`served.call("PUT", "/posts/post_1", {"title": "x"}, {"If-Match": tag})`, from any thread."""

    server: Server
    key: str

    def call(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        """Send one request on its own connection, with a timeout of 60 s."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        sent = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **(headers or {})}
        try:
            connection.request(method, PREFIX + path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def upload(self, data: bytes) -> Answer:
        """Upload an image."""
        body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n' + data + b"\r\n--b--\r\n"
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        try:
            headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "multipart/form-data; boundary=b"}
            connection.request("POST", f"{PREFIX}/media", body, headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def make(self, **words: Any) -> Any:
        """Create a post and return its document."""
        made = self.call("POST", "/posts", {"title": "A post", "content": "Some words.", **words})
        assert made.status == 201, made.body
        return made.json


def at_once(clients: int, what: Callable[[int], R]) -> list[R]:
    """Return the result of each client; all start at the same time."""
    ready = Barrier(clients)

    def one(number: int) -> R:
        ready.wait(120)
        return what(number)

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(one, range(clients)))


def serving(
    folder: Path, database_url: str, hooks: Mapping[str, str] = MappingProxyType({}), **settings: str
) -> AbstractContextManager[Served]:
    """Run the server with webhook connections, by name and URL, and with settings, by variable."""
    return started(Server(folder / "instance", database_url, settings=settings), hooks)


@contextmanager
def started(server: Server, hooks: Mapping[str, str] = MappingProxyType({})) -> Iterator[Served]:
    """Run a server on an empty instance. Its log must contain no tracebacks at the end."""
    app = create_app(server.config)
    migrate(app)
    with app.app_context():
        tools: Tools = app.extensions["tools"]
        key = api_keys.create("a test", ["all"], None, tools.now())[1]
        for name, url in hooks.items():
            manage.connect("webhook", name, {"url": url}, tools)
        close_connections()
    server.start()
    try:
        server.wait_until_ready()
        yield Served(server, key)
    finally:
        server.kill()
    assert server.tracebacks() == []
