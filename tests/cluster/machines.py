"""Machines with a wrong clock, and with a network of their own that can be cut."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import SystemRandom

import pytest

SOURCE = Path(__file__).with_name("wrong_clock.c")
# Nobody has this address, so packets that are sent to it get lost.
NOBODY = "02:00:00:00:00:01"
# How many names to try for a machine: another test may have taken one.
TRIES = 10


def compiled_clock(folder: Path) -> Path:
    """Compile the library that shifts the clock. Skips the test if there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("NOT SHOWN: processes with wrong clocks; there is no C compiler")
    library = folder / "wrong_clock.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE)], check=True)
    return library


def clock_off_by(seconds: int, library: Path) -> dict[str, str]:
    """Return the environment of a process whose system time is so many seconds ahead, or behind if negative."""
    return {"LD_PRELOAD": str(library), "SECONDS_OFF": str(seconds)}


class Cable:
    """A cable between this machine and another one, with an address at each end."""

    def __init__(self, name: str, network: str, machine: str) -> None:
        self.here, self.there = f"{network}.1", f"{network}.2"
        self._name, self._name_there, self._machine = name, f"{name}x", machine

    def plug_in(self) -> None:
        _run("link", "add", self._name, "type", "veth", "peer", "name", self._name_there, "netns", self._machine)
        _run("addr", "add", f"{self.here}/30", "dev", self._name)
        _run("link", "set", self._name, "up")
        _run("-n", self._machine, "addr", "add", f"{self.there}/30", "dev", self._name_there)
        _run("-n", self._machine, "link", "set", self._name_there, "up")

    def cut(self) -> None:
        """Lose all packets from now on, in both directions. Neither end is told."""
        wrong = ("lladdr", NOBODY, "nud", "permanent")
        _run("neigh", "replace", self.there, *wrong, "dev", self._name)
        _run("-n", self._machine, "neigh", "replace", self.here, *wrong, "dev", self._name_there)

    def mend(self) -> None:
        _run("neigh", "del", self.there, "dev", self._name)
        _run("-n", self._machine, "neigh", "del", self.here, "dev", self._name_there)

    def pull_out(self) -> None:
        _run("link", "del", self._name, is_tried=True)


class Machine:
    """A machine with two cables to this one: to the database, and to everything else."""

    def __init__(self) -> None:
        number = SystemRandom().randrange(1, 250)
        self.name = f"blogsvc-{number}"
        self.database = Cable(f"bdb{number}", f"10.77.{number}", self.name)
        self.others = Cable(f"bot{number}", f"10.78.{number}", self.name)

    def set_up(self) -> None:
        _run("netns", "add", self.name)
        try:
            _run("-n", self.name, "link", "set", "lo", "up")
            for cable in (self.database, self.others):
                cable.plug_in()
        except subprocess.CalledProcessError:
            self.tear_down()
            raise

    def tear_down(self) -> None:
        for cable in (self.database, self.others):
            cable.pull_out()
        _run("netns", "del", self.name, is_tried=True)

    def command(self, command: list[str]) -> list[str]:
        """Return the command that runs a command on the machine."""
        return ["ip", "netns", "exec", self.name, *command]


@contextmanager
def machine() -> Iterator[Machine]:
    """Set up a machine. Skips the test without the rights to do so."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("NOT SHOWN: a network that is cut; that needs root and iproute2")
    made = _set_up()
    try:
        yield made
    finally:
        made.tear_down()


def _set_up() -> Machine:
    for _ in range(TRIES):
        with suppress(subprocess.CalledProcessError):  # the name is taken
            made = Machine()
            made.set_up()
            return made
    pytest.skip("NOT SHOWN: a network that is cut; network namespaces are not allowed here")


def _run(*arguments: str, is_tried: bool = False) -> None:
    subprocess.run(["ip", *arguments], check=not is_tried, capture_output=True)
