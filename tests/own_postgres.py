"""A PostgreSQL server of the run's own, which can be stopped and started at any time."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from tests.receiver import free_port

# "fast" ends all transactions first, "immediate" is as a kill.
StopMode = Literal["fast", "immediate"]
STOP_MODES: tuple[StopMode, ...] = ("fast", "immediate")
DEBIAN = Path("/usr/lib/postgresql")


@dataclass(frozen=True)
class OwnPostgres:
    """The server in a directory, which `initdb` has made."""

    programs: Path
    folder: Path
    port: int
    user: str | None  # who runs it: it refuses to run as root
    addresses: tuple[str, ...] = ("127.0.0.1",)

    @property
    def url(self) -> str:
        return self.url_at("127.0.0.1")

    def url_at(self, address: str) -> str:
        """Return the URL for a machine that knows the server by this address."""
        return f"postgresql+psycopg://postgres@{address}:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses={','.join(self.addresses)}"
        self.run("pg_ctl", "start", "-w", "-D", self._data, "-l", str(self.folder / "log"), "-o", options)

    def stop(self, mode: StopMode = "fast") -> None:
        self.run("pg_ctl", "stop", "-w", "-D", self._data, "-m", mode)

    def run(self, program: str, *arguments: str) -> None:
        command = [str(self.programs / program), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, user=self.user)

    @property
    def _data(self) -> str:
        return str(self.folder / "data")


@contextmanager
def own_postgres(*more_addresses: str) -> Iterator[OwnPostgres]:
    """Start a new server, which also listens at these addresses. Raises FileNotFoundError if it is not installed."""
    programs, user = _programs(), "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    if user is not None:
        shutil.chown(folder, user)
    server = OwnPostgres(programs, folder, free_port(), user, ("127.0.0.1", *more_addresses))
    try:
        server.run("initdb", "-D", str(folder / "data"), "-A", "trust", "-U", "postgres")
        with (folder / "data" / "pg_hba.conf").open("a") as rules:
            rules.writelines(f"host all all {address}/24 trust\n" for address in more_addresses)
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder)


@contextmanager
def own_postgres_or_skip(*more_addresses: str) -> Iterator[OwnPostgres]:
    """Start a new server for a test, which is skipped if PostgreSQL is not installed."""
    try:
        _programs()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    with own_postgres(*more_addresses) as server:
        yield server


def _programs() -> Path:
    """Return the directory of `initdb`, which Debian does not have on the path."""
    versions = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    found = shutil.which("initdb") or (str(versions[-1]) if versions else None)
    if found is None:
        raise FileNotFoundError("initdb was not found: install PostgreSQL (Debian: apt install postgresql)")
    return Path(found).parent
