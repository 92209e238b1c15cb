"""The server ends on SIGTERM and SIGINT, however many of them arrive, and at any moment."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pytest

from tests.kill.server import Server

ENDS_WITHIN = 60  # seconds; it takes a tenth of a second


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "instance")
    server.start()
    server.wait_until_ready()
    yield server
    server.kill()


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_stream_of_signals_ends_the_server(server: Server, second: signal.Signals) -> None:
    """`make` and a terminal send a signal to the whole group, so the server gets each of them twice or more."""
    process, end = server.process, monotonic() + ENDS_WITHIN
    assert process is not None
    with suppress(ProcessLookupError):
        while process.poll() is None and monotonic() < end:
            os.kill(process.pid, signal.SIGTERM)
            os.kill(process.pid, second)
    assert process.poll() == 0
    assert server.tracebacks() == []
