"""The real server for benchmarks, with a constant response on the same threads."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from types import MappingProxyType
from typing import Any

from blogsvc.config import Config
from tests.bench import load
from tests.receiver import free_port

DEADLINE = 30
WORDS = "Some *words* of a post, neither long nor short, with a [link](https://example.org/). "


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

    def cost(
        self,
        path: str,
        *,
        method: str = "GET",
        body: Any = None,
        headers: Mapping[str, str] = MappingProxyType({}),
        seconds: float = 1,
    ) -> float:
        """Return the CPU time of a request in microseconds, as the mean of as many as are answered in this time."""
        own = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        content = b"" if body is None else json.dumps(body).encode()
        before = self.cpu_seconds()
        count = load.send(self.port, method, path, own | dict(headers), content, seconds)
        return (self.cpu_seconds() - before) / count * 1e6

    def milliseconds(self, path: str, times: int = 30, *, cookie: str | None = None, address: str = "") -> float:
        """Return the median time of a single request, by API key or with the cookie of a browser.

        Args:
            address: the one of the client, such as 127.0.0.2.
        """
        headers = {"Cookie": cookie} if cookie else {"Authorization": f"Bearer {self.key}"}
        taken = []
        for _ in range(times):
            began = time.perf_counter()
            self._get(path, headers, address)
            taken.append(time.perf_counter() - began)
        return sorted(taken)[times // 2] * 1000

    def _get(self, path: str, headers: Mapping[str, str], address: str) -> None:
        connection = HTTPConnection("127.0.0.1", self.port, source_address=(address, 0) if address else None)
        with closing(connection):
            connection.request("GET", path, headers=dict(headers))
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, f"{answer.status}: {path}"

    def cpu_seconds(self) -> float:
        """Return the CPU time of all threads that live, to the nanosecond."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9

    def cpu_seconds_of_all_threads(self) -> float:
        """Return the CPU time with that of threads that have ended, to 10 ms."""
        after_name = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def call(at: Server, method: str, path: str, body: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {at.key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(at.url + "/api/v1" + path, data, headers, method=method)
    return json.load(urllib.request.urlopen(request))


@contextmanager
def server(place: Place, **settings: Any) -> Iterator[Server]:
    """Yield a running server, which is stopped afterwards."""
    environment = environment_of(place, settings)
    key = blogsvc(["key", "create", "bench"], environment).strip()
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
    blogsvc(["connection", "add", kind, "--name", name, *sets], environment_of(place, {}))


def environment_of(place: Place, settings: dict[str, Any]) -> dict[str, str]:
    place.instance.mkdir(parents=True, exist_ok=True)
    many = dict.fromkeys(("READS", "WRITES", "PUBLISHES"), 10_000_000)
    ours = {f"BLOGSVC_{name}_PER_MINUTE": count for name, count in many.items()}
    ours |= {"BLOGSVC_POSTS_PER_DAY": 0, "BLOGSVC_UPLOAD_MIB_PER_DAY": 0, "BLOGSVC_MEDIA_MIB": 0}
    ours |= {"BLOGSVC_INSTANCE": place.instance, "BLOGSVC_DATABASE_URL": place.database_url}
    ours |= {"BLOGSVC_ALLOW_PRIVATE_ADDRESSES": 1, "PORT": free_port()}
    inherited = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return inherited | {name: str(value) for name, value in (ours | settings).items()}


def command_of(words: list[str]) -> list[str]:
    return [str(Path(sys.executable).with_name("blogsvc")), *words]


def blogsvc(words: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(command_of(words), env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/ready").read()
            return
        except OSError:
            time.sleep(0.01)
    raise RuntimeError("the server did not come up; its log is in the instance")
