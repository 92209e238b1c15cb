"""The real server, as a process of its own that can be killed at any time."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blogsvc.config import ROOT, Config
from tests.receiver import free_port

FAULTY = Path(__file__).parent.parent / "faulty"
SEND_TIMEOUT = 1.0  # seconds
UNLIMITED = {
    f"BLOGSVC_{tier}_PER_MINUTE": "10000000" for tier in ("READS", "WRITES", "PUBLISHES", "BAD_KEYS", "SIGN_INS")
} | {"BLOGSVC_POSTS_PER_DAY": "0", "BLOGSVC_UPLOAD_MIB_PER_DAY": "0", "BLOGSVC_MEDIA_MIB": "0"}


def environment(instance: Path, port: int, database_url: str = "", packages: Path = FAULTY) -> dict[str, str]:
    """Return the environment of the server: short waits, no limits, and a directory of packages on its path."""
    # Without compiled files every start would compile all modules again.
    passed_on = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {
        **passed_on,
        **UNLIMITED,
        "PORT": str(port),
        "BLOGSVC_INSTANCE": str(instance),
        "BLOGSVC_DATABASE_URL": database_url,
        "BLOGSVC_ALLOW_PRIVATE_ADDRESSES": "1",
        "BLOGSVC_SEND_TIMEOUT_SECONDS": str(SEND_TIMEOUT),
        "BLOGSVC_GRACE_SECONDS": "5",
        "PYTHONPATH": os.pathsep.join([str(packages), str(ROOT)]),  # of this checkout
    }


@dataclass
class Server:
    """One process on an instance directory, with its rows there or in a database. The log continues over restarts."""

    instance: Path
    database_url: str = ""
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    packages: Path = FAULTY  # by default the test connectors
    settings: dict[str, str] = field(default_factory=dict)  # which take precedence over those of `environment`

    @property
    def environment(self) -> dict[str, str]:
        return environment(self.instance, self.port, self.database_url, self.packages) | self.settings

    @property
    def config(self) -> Config:
        return Config.load(self.environment)

    @property
    def log(self) -> Path:
        return self.instance.parent / f"server-{self.port}.log"

    def command(self) -> list[str]:
        return [str(Path(sys.executable).parent / "blogsvc"), "serve"]

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                env=self.environment,
                stderr=log,
                stdout=log,
                start_new_session=True,
            )

    def wait_until_ready(self, seconds: float = 120.0) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if call(self.port, "GET", "/ready")[0] == 200:
                    return
            except (OSError, http.client.HTTPException):
                assert self.process is not None
                assert self.process.poll() is None, self.log.read_text()[-2000:]
            time.sleep(0.02)
        raise AssertionError(f"not ready after {seconds} s: {self.log.read_text()[-2000:]}")

    def kill_and_start(self) -> None:
        """Send SIGKILL, start the server again, and wait until it is ready."""
        self.kill()
        self.start()
        self.wait_until_ready()

    def kill(self) -> None:
        """Send SIGKILL."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def terminate(self, seconds: float = 15.0) -> int:
        """Send SIGTERM, wait, and return the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(seconds)
        self.process = None
        return code

    def tracebacks(self) -> list[str]:
        """Return the tracebacks in the log, each with the lines after it."""
        text = self.log.read_text(errors="replace")
        return [part[:3000] for part in text.split("Traceback (most recent call last)")[1:]]


def call(
    port: int,
    method: str,
    path: str,
    key: str | None = None,
    json_: Any = None,
    timeout: float = 60.0,
    idempotency_key: str | None = None,
) -> tuple[int, Any]:
    """Send one request on its own connection. Return status and document. Raises OSError or HTTPException."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        headers = {"Content-Type": "application/json"} if json_ is not None else {}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        connection.request(method, path, json.dumps(json_) if json_ is not None else None, headers)
        answer = connection.getresponse()
        body = answer.read()
        return answer.status, json.loads(body) if body else None
    finally:
        connection.close()
