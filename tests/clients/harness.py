"""A real server, the road to it, and what else the story of the client libraries needs; it plays their drivers.

    PYTHONPATH=. .venv/bin/python -m tests.clients python        # prints what that driver says
    PYTHONPATH=. .venv/bin/python -m tests.clients ruby other/scenario.json

A driver asks for what it needs by a line such as `@kill`, and is answered by a line of JSON:

    kill                    the server is killed without a word, and starts again
    road BEHAVIOUR, ...     how the road behaves to the next requests (tests/clients/road.py)
    cut                     every stream breaks off
    seen                    {"requests": how many since this was asked last, "keys": how many idempotency keys}
    account NAME BEHAVIOUR  how the fake platform behaves to an account from now on (tests/faulty_platform.py)
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blogsvc import create_app, migrate
from blogsvc.auth import api_keys
from blogsvc.config import ROOT
from blogsvc.models import close_connections
from tests.clients.road import Road
from tests.faulty_platform import FaultyPlatform
from tests.kill.server import Server
from tests.receiver import Receiver

CONTRACT = ROOT / "clients" / "contract"
MOST = 180.0  # seconds, for one driver


@dataclass(frozen=True)
class Driver:
    """How to play a library. `needs` is the program without which it cannot be, `beside` a file likewise."""

    name: str
    command: tuple[str, ...]
    needs: str
    beside: Path | None = None

    @property
    def run(self) -> str:
        """The word by which its names differ from those of the others."""
        return self.name.replace("-", "")


@dataclass
class Harness:
    server: Server
    key: str
    road: Road
    platform: FaultyPlatform
    receiver: Receiver
    told: int = 0

    def play(self, driver: Driver, scenario: Path = CONTRACT / "scenario.json") -> list[str]:
        """What a driver prints. Raises AssertionError where it ends otherwise than well, or too late."""
        environ = {
            **os.environ,
            "BLOGSVC_URL": self.road.url,
            "BLOGSVC_API_KEY": self.key,
            "RUN": driver.run,
            "PLATFORM": self.platform.url(""),
            "HOOK": self.receiver.url,
        }
        process = subprocess.Popen(
            [*driver.command, str(scenario)],
            env=environ,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        with process:
            try:
                return self._heard(process, time.monotonic() + MOST)
            finally:
                process.kill()

    def _heard(self, process: subprocess.Popen[str], end: float) -> list[str]:
        assert process.stdin is not None
        assert process.stderr is not None
        lines: list[str] = []
        complaints: list[str] = []
        listening = threading.Thread(target=lambda: complaints.extend(process.stderr or ()), daemon=True)
        listening.start()
        for line in _lines(process, end):
            if line.startswith("@"):
                process.stdin.write(json.dumps(self.do(line[1:])) + "\n")
                process.stdin.flush()
            else:
                lines.append(line)
        code = process.wait(10)
        listening.join(5)
        last = lines[-1] if lines else "nothing"
        assert code == 0, f"it ended with {code} after {last!r}: {''.join(complaints)[-4000:]}"
        assert complaints == [], "".join(complaints)
        return lines

    def do(self, wish: str) -> Any:
        """What a driver asks for."""
        name, _, rest = wish.partition(" ")
        match name:
            case "kill":
                self.server.kill()
                self.server.start()
                return {}
            case "road":
                self.road.will(*(behaviour.strip() for behaviour in rest.split(",")))
                return {}
            case "cut":
                return {"streams": self.road.cut()}
            case "seen":
                seen = self.road.seen[self.told :]
                self.told = len(self.road.seen)
                return {"requests": len(seen), "keys": len({one.idempotency_key for one in seen} - {None})}
            case "account":
                account, behaviour = rest.split(" ")
                self.platform.account(account).always(behaviour)
                return {}
        raise AssertionError(f"the harness knows no {wish!r}")


def _lines(process: subprocess.Popen[str], end: float) -> Iterator[str]:
    """What it prints, until it ends. Raises AssertionError where that takes too long."""
    assert process.stdout is not None
    watch = threading.Timer(max(0.0, end - time.monotonic()), process.kill)
    watch.start()
    try:
        for line in process.stdout:
            yield line.rstrip("\n")
    finally:
        watch.cancel()


@contextmanager
def harness(folder: Path) -> Iterator[Harness]:
    """Everything that plays along, on an empty instance in this folder."""
    server = Server(folder / "instance", settings={"BLOGSVC_SEND_TIMEOUT_SECONDS": "1"})
    app = create_app(server.config)
    migrate(app)
    with app.app_context():
        key = api_keys.create("contract", ["all"], None, app.extensions["toolbox"].now())[1]
        close_connections()
    with ExitStack() as stack:
        platform = stack.enter_context(FaultyPlatform())
        receiver = stack.enter_context(Receiver())
        server.start()
        stack.callback(server.kill)
        server.wait_until_ready()
        road = stack.enter_context(Road(server.port))
        yield Harness(server, key, road, platform, receiver)
        assert server.tracebacks() == []
