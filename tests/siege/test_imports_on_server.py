"""Hostile imports on the real server: it answers others, stops in time, and gives up a file that was interrupted."""

from __future__ import annotations

import http.client
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from blogsvc.auth import accounts
from blogsvc.transfer.import_parse import WORKER
from blogsvc.transfer.importing import INTERRUPTED
from tests.clock import eventually
from tests.running_server import Served, serving
from tests.siege.guessing import TOKEN, LoopbackBrowser
from tests.siege.test_power import beside
from tests.siege.test_texts_on_server import MAX_WAIT, a_reader
from tests.tiers import exhaustive, matrix
from tests.transfer.test_hostile_files import many_posts

EMAIL, PASSWORD = "ann@blog.example", "a ferry in the fog"
IMPORT = "/desk/settings/import"
LONG = 120.0  # seconds, on a machine ten times slower
FILES: dict[str, Callable[[], bytes]] = {
    "spaces.md": lambda: b"---\ntitle: A\n---\n{{" + b" " * 10_000,
    "code.xml": lambda: (
        b'<rss xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item><title>A</title>'
        b"<content:encoded>" + b"[code]" * 60_000 + b"</content:encoded></item></channel></rss>"
    ),
}


@pytest.fixture
def served(tmp_path: Path, database_url: str) -> Iterator[Served]:
    with serving(tmp_path, database_url, {}) as served:
        yield served


class Owner(LoopbackBrowser):
    """The browser of an owner who is signed in."""

    def page(self, path: str) -> str:
        return self.send("GET", path)[1]

    def upload(self, name: str, data: bytes) -> str:
        """Upload an import file, and return the path of its page."""
        assert self.post(IMPORT, name, data) == 303
        return re.findall(rf'href="({IMPORT}/imp_[^"]+)"[^>]*>{re.escape(name)}<', self.page(IMPORT))[0]

    def post(self, path: str, name: str = "", data: bytes = b"") -> int:
        """Send a form, with a file if it has a name."""
        token = TOKEN.search(self.page(IMPORT))
        assert token is not None
        parts = [(b'name="csrf_token"', token[1].encode())]
        parts += [(f'name="file"; filename="{name}"'.encode(), data)] if name else []
        fields = (b"--edge\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n" % part for part in parts)
        return self.send("POST", path, b"".join(fields) + b"--edge--\r\n", "multipart/form-data; boundary=edge")[0]

    def send(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, path, body, {"Cookie": cookies, "Content-Type": kind})
        answer = connection.getresponse()
        text = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        connection.close()
        return answer.status, text


def owner_of(served: Served) -> Owner:
    with beside(served) as tools:
        accounts.add_user(EMAIL, "Ann", PASSWORD, "owner", "UTC", tools.now())
    owner = Owner(served.server.port, "127.0.0.1")
    assert owner.sign_in(EMAIL, PASSWORD) == 303
    return owner


def parsers(served: Served) -> list[int]:
    """Return the processes of this server that read import files."""
    assert served.server.process is not None
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if WORKER.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found += [int(folder.name)] if os.getpgid(int(folder.name)) == served.server.process.pid else []
    return found


@matrix("name", FILES)
def test_a_small_hostile_file_is_read_while_others_are_answered(served: Served, name: str) -> None:
    owner = owner_of(served)
    with a_reader(served) as seconds:
        page = owner.upload(name, FILES[name]())
        eventually(lambda: "Reading the file" not in owner.page(page), LONG)
    assert "1 post" in owner.page(page)
    assert max(seconds) < MAX_WAIT
    assert served.server.terminate(LONG) == 0


def long_file(tmp_path: Path) -> bytes:
    """A file that takes long to read."""
    return many_posts(tmp_path / "long.zip", 20_000).read_bytes()


@exhaustive
def test_a_server_that_reads_a_file_stops_at_once_and_the_next_one_reads_it(served: Served, tmp_path: Path) -> None:
    owner = owner_of(served)
    page = owner.upload("long.zip", long_file(tmp_path))
    for _ in range(3):
        eventually(lambda: bool(parsers(served)), LONG)
        assert served.server.terminate(LONG) == 0
        served.server.start()
        served.server.wait_until_ready()
    assert "Reading the file" in owner.page(page)
    assert owner.post(f"{page}/discard") == 303
    eventually(lambda: not parsers(served), LONG)


def test_a_file_whose_reading_was_killed_twice_has_failed_and_can_be_discarded(served: Served, tmp_path: Path) -> None:
    owner = owner_of(served)
    page = owner.upload("long.zip", long_file(tmp_path))
    for _ in range(2):
        eventually(lambda: bool(parsers(served)), LONG)
        served.server.kill_and_start()
        assert served.call("GET", "/posts?limit=1").status == 200
    eventually(lambda: INTERRUPTED in owner.page(page), LONG)
    assert parsers(served) == []
    assert owner.post(f"{page}/discard") == 303
    assert owner.send("GET", page)[0] == 404
