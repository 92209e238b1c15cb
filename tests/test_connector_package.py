"""A connector in a package of its own: it passes the contract, and a server with it installed publishes through it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from blogsvc.config import ROOT
from tests.connectors.contract import AN_ARTICLE, HTTPContract
from tests.kill.server import Server
from tests.outside import Reply
from tests.running_server import Answer, Served, started

pytestmark = pytest.mark.exhaustive

PACKAGE = ROOT / "docs/connector-package"
URL = "https://board.example"


class Board:
    """The platform: notes by number, found by their marker."""

    def __init__(self) -> None:
        self.notes: dict[int, dict[str, Any]] = {}
        self.made = 0

    def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        name, _, number = path.strip("/").partition("/")
        if name == "me":
            return 200, {"name": "Ada"}
        if method == "POST":
            self.made += 1
            self.notes[self.made] = body
            return 201, {"id": self.made, "url": f"{URL}/notes/{self.made}"}
        if name.startswith("notes?mark="):
            mark = name.partition("=")[2]
            return 200, {"notes": [{"id": n} for n, note in self.notes.items() if note["mark"] == mark]}
        if method == "PUT" and int(number) in self.notes:
            self.notes[int(number)] |= body
            return 200, {"id": int(number)}
        return (200, {}) if self.notes.pop(int(number), None) else (404, {"error": "no such note"})


def corkboard() -> Any:
    """Return the class of the package, loaded from its source."""
    spec = spec_from_file_location("blogsvc_corkboard", PACKAGE / "blogsvc_corkboard.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.Corkboard


class TestContract(HTTPContract):
    finds_by_key = True
    too_long = replace(AN_ARTICLE, canonical_url=f"https://blog.example/{'x' * 300}")

    def make(self, outside):
        self.board = Board()

        def answer(seen):
            status, document = self.board.answer(seen.method, seen.url.removeprefix(URL), seen.body and seen.json())
            return Reply(status, document)

        for path in ("me", "notes", *(f"notes/{number}" for number in range(1, 10))):
            for method in ("GET", "POST", "PUT", "DELETE"):
                outside.teach(method, f"{URL}/{path}", answer)
        return corkboard()({"url": URL, "token": "s3cret"}, outside.http())

    def copies(self, outside):
        return len(self.board.notes)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package with pip, and return the directory."""
    folder = tmp_path_factory.mktemp("packages")
    quietly = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index"]
    install = [sys.executable, "-m", "pip", "install", *quietly, "--target", str(folder), str(PACKAGE)]
    subprocess.run(install, check=True, timeout=600, capture_output=True)
    return folder


@pytest.fixture
def board() -> Iterator[tuple[Board, str]]:
    """Run the platform on loopback, and yield it with its URL."""
    board = Board()

    class Request(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            status, document = board.answer(self.command, self.path, body)
            sent = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_PUT = do_DELETE = do_POST  # noqa: N815  the library's names

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Request)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield board, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def served(tmp_path: Path, installed: Path, blank_database_url: str) -> Iterator[Served]:
    """The real server with the package installed."""
    with started(Server(tmp_path / "instance", blank_database_url, packages=installed)) as served:
        yield served


def until(served: Served, path: str, state: str) -> Any:
    end = time.monotonic() + 20
    while (post := served.call("GET", path).json)["status"] != state:
        assert time.monotonic() < end, post
        time.sleep(0.05)
    return post


def test_an_installed_package_is_listed_connected_and_published_through(
    served: Served, board: tuple[Board, str]
) -> None:
    notes, url = board[0].notes, board[1]
    listed = served.call("GET", "/connectors?limit=100").json["data"]
    (offered,) = (kind for kind in listed if kind["key"] == "corkboard")
    assert offered["abilities"] == ["update", "delete", "find"]
    assert [option["name"] for option in offered["options"]] == ["colour"]

    settings = {"url": url, "token": "s3cret"}
    connected = served.call("POST", "/platforms", {"connector": "corkboard", "settings": settings})
    assert (connected.status, connected.json["account"]) == (201, "Ada")
    own = {"corkboard": {"options": {"colour": "blue"}}}
    post = served.make(title="Of trees", platforms=["site", "corkboard"], overrides=own)
    path = f"/posts/{post['id']}"
    ok(served.call("POST", f"{path}/publish"), 202)
    until(served, path, "published")
    assert [(note["text"].splitlines()[0], note["colour"]) for note in notes.values()] == [("Of trees", "blue")]

    ok(served.call("PATCH", path, {"title": "Of bushes", "publish": True}), 200)
    until(served, path, "published")
    assert [note["text"].splitlines()[0] for note in notes.values()] == ["Of bushes"]
    ok(served.call("POST", f"{path}/unpublish"), 202)
    end = time.monotonic() + 20
    while notes:
        assert time.monotonic() < end
        time.sleep(0.05)


def ok(answer: Answer, status: int) -> None:
    assert answer.status == status, answer.body
