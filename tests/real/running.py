"""Starts third-party servers: in a process group of their own, with readiness checks and cleanup.

They are installed in the cache directory of the user, once for all checkouts, because compiling and downloading them
takes minutes.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from platformdirs import user_cache_path

CACHE = user_cache_path("blogsvc-tests")
# Compiling takes most of the time of an installation, and no test needs fast code.
QUICK = {"CFLAGS": "-O0", "CXXFLAGS": "-O0"}
# A cold start on a busy machine.
PATIENCE = 240.0  # seconds


def require_programs(*programs: str) -> None:
    """Skip, with a visible message, if one of these programs is missing."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"NOT TESTED AGAINST A REAL SERVER: there is no `{program}` on this machine.")


def npm_install(folder: Path, then: Callable[[Path], None] | None = None) -> Path:
    """Install the package-lock.json of a directory once and return the path. Skips with a message if that fails.

    `then` does what else belongs to the installation."""
    require_programs("node", "npm")
    files = [folder / "package.json", folder / "package-lock.json"]

    def install(where: Path) -> None:
        for file in files:
            shutil.copy(file, where)
        run(["npm", "ci", "--no-audit", "--no-fund"], where, QUICK)
        if then:
            then(where)

    return _installed(files, run(["node", "--version"], folder), install)


def pip_install(folder: Path) -> Path:
    """Install the requirements.txt of a directory, each package by its hash; as `npm_install`."""

    def install(where: Path) -> None:
        run([sys.executable, "-m", "venv", where], where)
        pip = [where / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
        run([*pip, "install", "--require-hashes", "--no-deps", "-r", folder / "requirements.txt"], where)

    return _installed([folder / "requirements.txt"], sys.version, install)


def debian_package(name: str) -> Path:
    """Unpack a package of this Debian once and return the path. No service of it is started. Skips as `npm_install`."""
    require_programs("apt-get", "apt-cache", "dpkg-deb")
    where = CACHE / f"{name}-{_version(name)}"

    def install() -> None:
        run(["apt-get", "download", name], where)
        (file,) = where.glob(f"{name}_*.deb")
        run(["dpkg-deb", "--extract", file, where], where)

    return _once(where, install)


def _version(name: str) -> str:
    """Return the version of a package that would be installed now, as a name of a file."""
    found = re.search(r"Candidate: (\S+)", run(["apt-cache", "policy", name], CACHE.parent))
    return re.sub(r"\W", "-", found[1]) if found else "unknown"


def _installed(files: Sequence[Path], runtime: str, install: Callable[[Path], None]) -> Path:
    """Return the installation of these lock files for this runtime. After a change, it is a new directory."""
    key = hashlib.sha256(b"\0".join([*(file.read_bytes() for file in files), runtime.encode()])).hexdigest()[:16]
    where = CACHE / f"{files[0].parent.name}-{key}"
    return _once(where, lambda: install(where))


def _once(where: Path, install: Callable[[], None]) -> Path:
    """Install into a new directory, unless it is there and complete."""
    is_complete = where / "installed"
    CACHE.mkdir(parents=True, exist_ok=True)
    with where.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # another checkout may install the same
        if not is_complete.exists():
            shutil.rmtree(where, ignore_errors=True)
            where.mkdir()
            install()
            is_complete.touch()
    return where


def run(command: Sequence[str | Path], where: Path, env: Mapping[str, str] | None = None) -> str:
    """Run one step of an installation and return its output. Skips with a message if it fails."""
    why = f"NOT TESTED AGAINST A REAL SERVER: {where.name} could not be installed"
    variables = {**os.environ, **(env or {})}
    try:
        done = subprocess.run(
            list(map(str, command)), cwd=where, env=variables, capture_output=True, text=True, timeout=900
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"{why} in time")
    if done.returncode != 0:
        pytest.skip(f"{why}: {done.stderr[-300:]}")
    return done.stdout


@contextmanager
def running(
    command: Sequence[str | Path],
    is_up: Callable[[], bool],
    log: Path,
    *,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a server once it is ready. Raises AssertionError with the end of its log if it does not start."""
    with log.open("wb") as out:
        server = subprocess.Popen(
            list(map(str, command)),
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    try:
        end = time.monotonic() + PATIENCE
        while not is_up():
            assert server.poll() is None, f"It ended by itself: {log.read_text(errors='replace')[-2000:]}"
            assert time.monotonic() < end, f"It did not come up: {log.read_text(errors='replace')[-2000:]}"
            time.sleep(0.2)
        yield server
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait(30)


def answers(url: str) -> bool:
    """Return True if a GET of this URL returns a status below 500."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return int(answer.status) < 500
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False
