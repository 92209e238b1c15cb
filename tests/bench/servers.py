"""The real server for benchmarks, with a constant response on the same threads."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from blogsvc.config import Config

DEADLINE = 30


@dataclass(frozen=True)
class Place:
    """The directory and database of an instance; "" is the database file in the directory."""

    instance: Path
    database_url: str

    @property
    def rows_url(self) -> str:
        return Config(instance=self.instance, database_url=self.database_url).rows_url


@dataclass
class Server:
    """A server process with its URL, data and an API key."""

    process: subprocess.Popen[bytes]
    port: int
    place: Place
    key: str
    seconds_to_first_answer: float

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def rate(
        self,
        path: str,
        *,
        method: str = "GET",
        body: str = "",
        headers: Mapping[str, str] = MappingProxyType({}),
        seconds: float = 4,
    ) -> float:
        """Return the requests per second over 16 connections, measured by wrk. Raises if a response fails."""
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            script.write(f'wrk.method="{method}"\nwrk.headers["Authorization"]="Bearer {self.key}"\n')
            script.write(f'wrk.headers["Content-Type"]="application/json"\nwrk.body=[[{body}]]\n')
            for name, text in headers.items():
                script.write(f"wrk.headers[{json.dumps(name)}]=[[{text}]]\n")
            script.flush()
            command = ["wrk", "-t1", "-c16", f"-d{seconds}s", "-s", script.name, self.url + path]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        if "Non-2xx" in told:
            raise RuntimeError(f"{method} {path} did not succeed:\n{told}")
        return float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1])  # type: ignore[index]

    def milliseconds(self, path: str, times: int = 30, *, cookie: str | None = None) -> float:
        """Return the median time of a single request, by API key or with the cookie of a browser."""
        headers = {"Cookie": cookie} if cookie else {"Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(self.url + path, headers=headers)
        taken = []
        for _ in range(times):
            began = time.perf_counter()
            urllib.request.urlopen(request).read()
            taken.append(time.perf_counter() - began)
        return sorted(taken)[times // 2] * 1000

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


@contextmanager
def server(place: Place, **settings: Any) -> Iterator[Server]:
    """Yield a running server, which is stopped afterwards."""
    environment = _environment(place, settings)
    key = _blogsvc(["key", "create", "bench"], environment).strip()
    began = time.perf_counter()
    with Path(place.instance / "log").open("ab") as log:
        process = subprocess.Popen([sys.executable, "-m", "tests.bench.served"], env=environment, stderr=log)
    try:
        _wait(int(environment["PORT"]), process)
        yield Server(process, int(environment["PORT"]), place, key, time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait(DEADLINE)


def connect(place: Place, kind: str, name: str, fields: Iterable[str]) -> None:
    sets = [part for field in fields for part in ("--set", field)]
    _blogsvc(["connection", "add", kind, "--name", name, *sets], _environment(place, {}))


def _environment(place: Place, settings: dict[str, Any]) -> dict[str, str]:
    place.instance.mkdir(parents=True, exist_ok=True)
    many = dict.fromkeys(("READS", "WRITES", "PUBLISHES"), 10_000_000)
    ours = {f"BLOGSVC_{name}_PER_MINUTE": count for name, count in many.items()}
    ours |= {"BLOGSVC_INSTANCE": place.instance, "BLOGSVC_DATABASE_URL": place.database_url}
    ours |= {"BLOGSVC_ALLOW_PRIVATE_ADDRESSES": 1, "PORT": _free_port()}
    inherited = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return inherited | {name: str(value) for name, value in (ours | settings).items()}


def _blogsvc(words: list[str], environment: dict[str, str]) -> str:
    command = [str(Path(sys.executable).with_name("blogsvc")), *words]
    return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/ready").read()
            return
        except OSError:
            time.sleep(0.01)
    raise RuntimeError("the server did not come up; its log is in the instance")
