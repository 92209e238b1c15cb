"""A real relay on loopback: nostr-relay 1.14 from PyPI, in an environment of its own, with SQLite.

    with relay(folder) as there:
        there.url                       # what an author would enter in the connect form
        there.articles(public_key)      # what readers see, loaded with another client

It takes a few seconds to start, so a module shares one:

    @pytest.fixture(scope="module")
    def nostr_relay(tmp_path_factory):
        with relay(tmp_path_factory.mktemp("relay")) as there:
            yield there
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

from tests.real.running import answers, pip_install, running
from tests.receiver import free_port

FOLDER = Path(__file__).parent / "nostr"
ARTICLE_KIND = 30023


@dataclass(frozen=True)
class Relay:
    url: str
    program: Path
    config: Path

    def events(self, **wanted: Any) -> list[dict[str, Any]]:
        """Return all events that match this NIP-01 filter."""
        with connect(self.url, proxy=None) as socket:
            socket.send(json.dumps(["REQ", "test", wanted]))
            found = []
            while (message := json.loads(socket.recv(30)))[0] != "EOSE":
                found.append(message[2])
        return found

    def articles(self, public_key: str) -> list[dict[str, Any]]:
        return self.events(kinds=[ARTICLE_KIND], authors=[public_key])

    def keep(self, event: dict[str, Any]) -> list[Any]:
        """Send an event, as another client would; return the response."""
        with connect(self.url, proxy=None) as socket:
            socket.send(json.dumps(["EVENT", event]))
            answer: list[Any] = json.loads(socket.recv(30))
        return answer

    def command(self, *words: str) -> None:
        subprocess.run(_command(self.program, self.config, *words), check=True, capture_output=True, timeout=120)


@contextmanager
def relay(folder: Path, port: int | None = None, **settings: Any) -> Iterator[Relay]:
    """Yield a relay with its data in a directory of the test. `settings` are those of its documentation."""
    port = port or free_port()
    there = Relay(f"ws://127.0.0.1:{port}", pip_install(FOLDER) / "bin/nostr-relay", folder / "relay.yaml")
    there.config.write_text(json.dumps(_settings(folder, port) | settings))  # JSON is YAML
    home = {"HOME": str(folder)}  # where its server puts a control socket
    with running(
        _command(there.program, there.config, "serve"),
        lambda: answers(f"http://127.0.0.1:{port}/"),
        folder / "relay.log",
        cwd=folder,
        env=home,
    ):
        yield there


def _command(program: Path, config: Path, *words: str) -> list[str | Path]:
    return [program, "-c", config, *words]


def _settings(folder: Path, port: int) -> dict[str, Any]:
    return {
        "relay_name": "A relay for tests",
        "max_event_size": 100_000,
        "storage": {
            "sqlalchemy.url": f"sqlite+aiosqlite:///{folder}/relay.sqlite3",
            "num_concurrent_reqs": 10,
            "num_concurrent_adds": 2,
            "validators": [f"nostr_relay.validators.{name}" for name in ("is_not_too_large", "is_signed", "is_recent")],
        },
        "verification": {"nip05_verification": "disabled"},
        "gunicorn": {"bind": f"127.0.0.1:{port}", "workers": 1, "loglevel": "warning"},
        "authentication": {"enabled": False},
    }
