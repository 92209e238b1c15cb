"""Attack a real server, and measure what other clients notice of it."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from blogsvc import create_app, migrate
from blogsvc.auth import accounts
from blogsvc.models import close_connections
from tests.kill.server import Server
from tests.running_server import started
from tests.siege.attacks import ATTACKS, OWNER, PASSWORD, Target
from tests.siege.bystanders import Bystanders, Latencies

# Others' p99 may be so many times that of a quiet server in the same run, and so many seconds more.
MAX_SLOWDOWN, SLACK = 2.0, 0.005
MAX_MEMORY_MIB = 350.0
# What an attack may add to the memory of the server. The first attack of a kind also loads what it needs.
MAX_ADDED_MIB = {"slow readers": 100.0}
# The health check must never take longer, in seconds.
MAX_HEALTH = 1.0
# An attack that is not ready after this time is measured all the same: it may be what holds it up.
BUILD_UP = 60.0  # seconds

_processes = multiprocessing.get_context("spawn")


@dataclass
class Finding:
    """What happened during one attack."""

    name: str
    quiet: Latencies
    seen: Latencies
    quiet_mib: float
    memory_mib: float
    has_ended: bool

    @property
    def slowdown(self) -> float:
        """How many times the quiet p99 the p99 of the other clients was."""
        return self.seen.quantile(0.99) / self.quiet.quantile(0.99)

    @property
    def faults(self) -> list[str]:
        """Return what must not be, whatever else the machine does."""
        found = [f"{self.name}: {failure}" for failure in sorted(set(self.seen.failures))]
        return found + ([f"{self.name}: the server ended"] if self.has_ended else [])

    @property
    def excesses(self) -> list[str]:
        """Return what misses the goals, on a machine that does nothing else."""
        found = []
        if self.seen.quantile(0.99) > MAX_SLOWDOWN * self.quiet.quantile(0.99) + SLACK:
            found.append(f"{self.name}: other clients waited {self.slowdown:.1f} times as long as in quiet")
        if self.memory_mib > MAX_MEMORY_MIB:
            found.append(f"{self.name}: the server took {self.memory_mib:.0f} MiB")
        if self.memory_mib - self.quiet_mib > MAX_ADDED_MIB.get(self.name, MAX_MEMORY_MIB):
            found.append(f"{self.name}: the server took {self.memory_mib - self.quiet_mib:.0f} MiB more")
        if self.seen.slowest_health > MAX_HEALTH:
            found.append(f"{self.name}: a health check took {self.seen.slowest_health:.1f} s")
        return found

    def __str__(self) -> str:
        p99, quiet = (1000 * each.quantile(0.99) for each in (self.seen, self.quiet))
        return (
            f"{self.name:<20} {len(self.seen.seconds):>5} requests, p99 {p99:>6.0f} ms (quiet {quiet:.0f}), "
            f"{self.slowdown:>4.1f} times, {len(self.seen.failures)} failed, health {self.seen.slowest_health:.2f} s, "
            f"{self.memory_mib:.0f} MiB ({self.memory_mib - self.quiet_mib:+.0f})"
        )


class Siege:
    """A server under attack."""

    def __init__(self, server: Server, target: Target, post_id: str) -> None:
        self.server, self.target = server, target
        self.bystanders = Bystanders(target.port, target.key, post_id)

    def endure(self, name: str, seconds: float) -> Finding:
        """Attack the server for this long, and return what other clients noticed."""
        quiet, quiet_mib = self._watch(seconds), self.memory_mib()
        with _held(name, self.target):
            seen = self._watch(seconds)
            memory = self.memory_mib()
        memory = max(memory, self.memory_mib())
        assert self.server.process is not None
        return Finding(name, quiet, seen, quiet_mib, memory, self.server.process.poll() is not None)

    def _watch(self, seconds: float) -> Latencies:
        end = time.monotonic() + seconds
        return self.bystanders.watch(lambda: time.monotonic() > end)

    def memory_mib(self) -> float:
        """Return the largest resident memory that the server has had, with that of its present children now."""
        assert self.server.process is not None
        return _status(self.server.process.pid, "VmHWM") + sum(map(_resident, _children(self.server.process.pid)))


@contextmanager
def besieged(folder: Path) -> Iterator[Siege]:
    """Start a server with an owner and a published post. Its log must contain no tracebacks at the end."""
    server = Server(folder / "instance", packages=folder, settings={"BLOGSVC_SIGN_INS_PER_MINUTE": "10"})
    app = create_app(server.config)
    migrate(app)
    with app.app_context():
        accounts.add_user(OWNER, "Ann", PASSWORD, "owner", "UTC", datetime.now(UTC))
        close_connections()
    with started(server) as served:
        post = served.make()
        assert served.call("POST", f"/posts/{post['id']}/publish", {"platforms": ["site"]}).status == 202
        yield Siege(server, Target(server.port, served.key), post["id"])


@contextmanager
def _held(name: str, target: Target) -> Iterator[None]:
    """Run the attack in a process of lower priority, so that it takes the server's time and not the machine's."""
    is_ready, is_over = _processes.Event(), _processes.Event()
    attacker = _processes.Process(target=_attack, args=(name, target, is_ready, is_over), daemon=True)
    attacker.start()
    is_ready.wait(BUILD_UP)
    try:
        yield
    finally:
        is_over.set()
        attacker.join(BUILD_UP)
        attacker.kill()


def _attack(name: str, target: Target, is_ready: Any, is_over: Any) -> None:
    os.nice(10)
    with ATTACKS[name](target):
        is_ready.set()
        is_over.wait()


def _children(pid: int) -> list[int]:
    found = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            for child in map(int, file.read_text().split()):
                found += [child, *_children(child)]
    return found


def _resident(pid: int) -> float:
    return _status(pid, "VmRSS")


def _status(pid: int, name: str) -> float:
    """Return a figure of a process in MiB; 0 if the process has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))
