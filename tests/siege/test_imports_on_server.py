"""Hostile imports on the real server: it answers others, stops in time, and gives up a file that was interrupted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from blogsvc.auth import accounts
from blogsvc.transfer.import_parse import WORKER
from blogsvc.transfer.importing import INTERRUPTED
from tests.clock import eventually
from tests.running_server import Served, serving
from tests.siege.hostile_imports import FILES, Owner
from tests.siege.test_power import beside
from tests.siege.test_texts_on_server import MAX_WAIT, a_reader
from tests.tiers import exhaustive, matrix
from tests.transfer.test_hostile_files import many_posts

EMAIL, PASSWORD = "ann@blog.example", "a ferry in the fog"
LONG = 120.0  # seconds, on a machine ten times slower


@pytest.fixture
def served(tmp_path: Path, database_url: str) -> Iterator[Served]:
    with serving(tmp_path, database_url, {}) as served:
        yield served


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
