"""What machines of a cluster may have: a wrong clock, and a network of their own that can be cut."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom

import pytest

SOURCE = Path(__file__).with_name("wrong_clock.c")


def compiled_clock(folder: Path) -> Path:
    """Compile the library that shifts the clock. Skips the test if there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("NOT SHOWN: processes with wrong clocks; there is no C compiler")
    library = folder / "wrong_clock.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE)], check=True)
    return library


def clock_off_by(seconds: int, library: Path) -> dict[str, str]:
    """Return the environment of a process whose system time is so far ahead, or behind if negative."""
    return {"LD_PRELOAD": str(library), "SECONDS_OFF": str(seconds)}


class Machine:
    """A machine with two cables to this one: one to the database, and one to everything else."""

    def __init__(self) -> None:
        number = SystemRandom().randrange(1, 250)
        self.name = f"blogsvc-{number}"
        # The addresses of this machine at the two cables.
        self.database, self.others = f"10.77.{number}.1", f"10.78.{number}.1"
        self._cables = {f"bdb{number}": self.database, f"bot{number}": self.others}

    def set_up(self) -> None:
        _run("netns", "add", self.name)
        _run("-n", self.name, "link", "set", "lo", "up")
        for cable, address in self._cables.items():
            _run("link", "add", cable, "type", "veth", "peer", "name", "there", "netns", self.name)
            _run("-n", self.name, "link", "set", "there", "name", f"{cable}x")
            _run("addr", "add", f"{address}/30", "dev", cable)
            _run("link", "set", cable, "up")
            _run("-n", self.name, "addr", "add", f"{address.removesuffix('1')}2/30", "dev", f"{cable}x")
            _run("-n", self.name, "link", "set", f"{cable}x", "up")

    def tear_down(self) -> None:
        _run("netns", "del", self.name)  # and with it the cables

    def command(self, command: list[str]) -> list[str]:
        """Return the command that runs a command on the machine."""
        return ["ip", "netns", "exec", self.name, *command]

    def cut_off_database(self) -> None:
        """From now on, nothing arrives in either direction, and nobody is told."""
        _run("link", "set", next(iter(self._cables)), "down")

    def reconnect_database(self) -> None:
        _run("link", "set", next(iter(self._cables)), "up")


@contextmanager
def machine() -> Iterator[Machine]:
    """Set up a machine. Skips the test without the rights to do so."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("NOT SHOWN: a network that is cut; that needs root and iproute2")
    made = Machine()
    made.set_up()
    try:
        yield made
    finally:
        made.tear_down()


def _run(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
