"""Builds the wheel, installs it in an empty environment, and runs its commands far from the checkout."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from blogsvc.config import ROOT

READY_SECONDS = 60.0
# Variables that would lead a command back to the checkout or to the data of whoever runs the tests.
NOT_PASSED_ON = re.compile(r"BLOGSVC_.*|PYTHON.*|XDG_.*|VIRTUAL_ENV|HOST|PORT|HOME")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not NOT_PASSED_ON.fullmatch(name)}


def run(*command: str | Path, cwd: Path, environ: Mapping[str, str] = ENVIRONMENT) -> str:
    """Run a command to its end, and return its standard output. Raises AssertionError with its errors."""
    done = subprocess.run([*map(str, command)], cwd=cwd, env=dict(environ), capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build_wheel(folder: Path) -> Path:
    """Build the source distribution, and the wheel from it, without network access."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    [wheel] = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel and the dependencies of requirements.lock in a new virtual environment."""
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    pip = [folder / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps"]
    run(*pip, "--require-hashes", "-r", ROOT / "requirements.lock", cwd=folder, environ=os.environ)
    run(*pip, "--no-index", wheel, cwd=folder)
    return folder


@dataclass(frozen=True)
class Answer:
    """A response."""

    status: int
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass(frozen=True)
class Running:
    """A running server: its URL and its log."""

    port: int
    log: Path
    process: subprocess.Popen[bytes]

    def call(self, path: str, key: str | None = None, body: Any = None) -> Answer:
        """Send a GET request, or a POST request if there is a body."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        data = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(f"http://127.0.0.1:{self.port}{path}", data, headers), timeout=30) as response:
                return Answer(response.status, response.read().decode())
        except HTTPError as error:
            return Answer(error.code, error.read().decode())

    def wait_for(self, path: str, status: int = 200) -> Answer:
        """Poll until a path returns the status. Raises AssertionError with the log if it never does."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if (answer := self.call(path)).status == status:
                    return answer
            except (URLError, ConnectionError):
                pass
            time.sleep(0.1)
        raise AssertionError(f"{path} did not answer {status}:\n{self.log.read_text()}")


@dataclass(frozen=True)
class Installation:
    """The commands of an environment, run with an empty home directory as the working directory."""

    bin: Path
    home: Path
    settings: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home.mkdir(exist_ok=True)

    @property
    def data(self) -> Path:
        """Return the default data directory of an installed package."""
        return self.home / "share" / "blogsvc"

    def environment(self, port: int | None = None) -> dict[str, str]:
        path = os.pathsep.join([str(self.bin), ENVIRONMENT.get("PATH", "")])
        home = {"PATH": path, "HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "share")}
        return ENVIRONMENT | home | self.settings | ({} if port is None else {"PORT": str(port)})

    def run(self, *words: str) -> str:
        return run(self.bin / "blogsvc", *words, cwd=self.home, environ=self.environment())

    @contextmanager
    def running(self, *words: str, port: int) -> Iterator[Running]:
        """Start a command that serves, wait until it is ready, and stop it afterwards."""
        log = self.home / f"{words[0]}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [str(self.bin / "blogsvc"), *words],
                cwd=self.home,
                env=self.environment(port),
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        server = Running(port, log, process)
        try:
            server.wait_for("/ready")
            yield server
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(READY_SECONDS)
        assert process.returncode == 0, log.read_text()
        assert "Traceback" not in log.read_text()
