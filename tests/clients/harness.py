"""The environment of the client scenario: a real server behind a faulty proxy, a fake platform and a webhook receiver.

    PYTHONPATH=. .venv/bin/python -m tests.clients python        # prints the output of one runner
    PYTHONPATH=. .venv/bin/python -m tests.clients ruby other/scenario.json

A runner sends a command as a line that starts with `@`, and gets a line of JSON as the reply:

    kill                     kills the server with SIGKILL and starts it again
    stop                     kills the server with SIGKILL
    start SECONDS            starts the server after this time, without waiting for it
    proxy BEHAVIOUR, ...     sets the behaviour of the proxy for the next requests (tests/clients/faulty_proxy.py)
    drop-streams             drops the connections of all event streams
    requests                 returns the number of requests and of idempotency keys since the last such command
    platform NAME BEHAVIOUR  sets the behaviour of the fake platform for an account (tests/faulty_platform.py)
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
from tests.clients.faulty_proxy import FaultyProxy
from tests.faulty_platform import FaultyPlatform
from tests.kill.server import Server, call
from tests.receiver import Receiver

CONTRACT = ROOT / "clients" / "contract"
RUN_TIMEOUT = 900.0  # seconds


@dataclass(frozen=True)
class Runner:
    """A scenario runner of a client library."""

    name: str
    command: tuple[str, ...]
    requires_program: str
    requires_file: Path | None = None

    @property
    def run_id(self) -> str:
        """A unique part of names on the server, which all runners share."""
        return self.name.replace("-", "")


@dataclass
class Harness:
    server: Server
    key: str
    proxy: FaultyProxy
    platform: FaultyPlatform
    receiver: Receiver
    counted_requests: int = 0
    starter: threading.Timer | None = None

    def run(self, runner: Runner, scenario: Path = CONTRACT / "scenario.json") -> list[str]:
        """Run a scenario and return its output. Raises AssertionError if the runner fails or takes too long."""
        environ = {
            **os.environ,
            "BLOGSVC_URL": self.proxy.url,
            "BLOGSVC_API_KEY": self.key,
            "RUN": runner.run_id,
            "PLATFORM": self.platform.url(""),
            "HOOK": self.receiver.url,
        }
        process = subprocess.Popen(
            [*runner.command, str(scenario)],
            env=environ,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        with process:
            try:
                return self._communicate(process, time.monotonic() + RUN_TIMEOUT)
            finally:
                process.kill()
                self._start_stopped_server()

    def _start_stopped_server(self) -> None:
        """Start the server if the runner failed before it did, so that the next runner has one."""
        if self.starter is not None:
            self.starter.join()
        if self.server.process is None:
            self.server.start()

    def _communicate(self, process: subprocess.Popen[str], deadline: float) -> list[str]:
        assert process.stdin is not None
        assert process.stderr is not None
        lines: list[str] = []
        errors: list[str] = []
        error_reader = threading.Thread(target=lambda: errors.extend(process.stderr or ()), daemon=True)
        error_reader.start()
        for line in _lines(process, deadline):
            if line.startswith("@"):
                process.stdin.write(json.dumps(self.execute(line[1:])) + "\n")
                process.stdin.flush()
            else:
                lines.append(line)
        code = process.wait(10)
        error_reader.join(5)
        last = lines[-1] if lines else "no output"
        assert code == 0, f"exit code {code} after {last!r}: {''.join(errors)[-4000:]}"
        assert errors == [], "".join(errors)
        return lines

    def execute(self, command: str) -> Any:
        """Execute a command of a runner and return the reply."""
        name, _, rest = command.partition(" ")
        match name:
            case "kill":
                self.server.kill()
                self.server.start()
                return {}
            case "stop":
                self.server.kill()
                return {}
            case "start":
                self.starter = threading.Timer(float(rest), self.server.start)
                self.starter.start()
                return {}
            case "proxy":
                self.proxy.queue(*(behaviour.strip() for behaviour in rest.split(",")))
                return {}
            case "drop-streams":
                return {"streams": self.proxy.drop_streams()}
            case "requests":
                requests = self.proxy.requests[self.counted_requests :]
                self.counted_requests = len(self.proxy.requests)
                return {"requests": len(requests), "keys": len({one.idempotency_key for one in requests} - {None})}
            case "platform":
                account, behaviour = rest.split(" ")
                self.platform.account(account).always(behaviour)
                return {}
        raise AssertionError(f"unknown command {command!r}")


def _lines(process: subprocess.Popen[str], deadline: float) -> Iterator[str]:
    """Yield the output of a process, which is killed at the deadline."""
    assert process.stdout is not None
    timer = threading.Timer(max(0.0, deadline - time.monotonic()), process.kill)
    timer.start()
    try:
        for line in process.stdout:
            yield line.rstrip("\n")
    finally:
        timer.cancel()


def _use_key(server: Server, key: str, seconds: float = 60.0) -> None:
    """Use the key until its use is noted, which is skipped while the server that starts writes to the database."""
    deadline = time.monotonic() + seconds
    while call(server.port, "GET", "/api/v1/me", key)[1]["lastUsedAt"] is None:
        assert time.monotonic() < deadline, f"the use of the key was not noted within {seconds} s"
        time.sleep(0.02)


@contextmanager
def start_harness(folder: Path) -> Iterator[Harness]:
    """Start a server with an empty instance in this folder, and everything around it."""
    server = Server(folder / "instance", settings={"BLOGSVC_SEND_TIMEOUT_SECONDS": "1"})
    app = create_app(server.config)
    migrate(app)
    with app.app_context():
        key = api_keys.create("contract", ["all"], None, app.extensions["tools"].now())[1]
        close_connections()
    with ExitStack() as stack:
        platform = stack.enter_context(FaultyPlatform())
        receiver = stack.enter_context(Receiver())
        server.start()
        stack.callback(server.kill)
        server.wait_until_ready()
        _use_key(server, key)
        proxy = stack.enter_context(FaultyProxy(server.port))
        yield Harness(server, key, proxy, platform, receiver)
        assert server.tracebacks() == []
