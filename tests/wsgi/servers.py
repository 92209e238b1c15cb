"""blogsvc in WSGI servers other than its own: how each is started, and which of its processes runs the scheduler."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.clock import eventually
from tests.kill.server import Server

BIN = Path(sys.executable).parent
GUNICORN = ("gunicorn", "--workers", "4", "--threads", "4", "--bind")
COMMANDS = {
    "gunicorn": (*GUNICORN, "127.0.0.1:{port}", "app:app"),
    "gunicorn --preload": (*GUNICORN, "127.0.0.1:{port}", "--preload", "app:app"),
    "waitress": (
        "waitress-serve",
        "--listen",
        "127.0.0.1:{port}",
        "--no-clear-untrusted-proxy-headers",
        "app:app",
    ),
    "flask run": ("flask", "--app", "app", "run", "--port", "{port}"),
    "flask run --debug": ("flask", "--app", "app", "run", "--debug", "--port", "{port}"),
}


@dataclass
class WsgiServer(Server):
    """A WSGI server that loads app.py of this checkout."""

    name: str = "gunicorn"

    def command(self) -> list[str]:
        program, *arguments = COMMANDS[self.name]
        return [str(BIN / program), *(each.format(port=self.port) for each in arguments)]

    @property
    def environment(self) -> dict[str, str]:
        home = {"HOME": str(self.instance.parent)}  # where gunicorn has its control socket
        return super().environment | home | {"FLASK_SKIP_DOTENV": "1"}

    @property
    def has_workers(self) -> bool:
        """True if another process takes over when the one with the scheduler is killed."""
        return self.name.startswith("gunicorn")

    def processes(self) -> set[int]:
        """Return the ids of the first process and of its children."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return {self.process.pid, *map(int, children)}

    def leader(self) -> int:
        """Return the id of the process that runs the scheduler, as soon as there is one."""
        found: list[int] = []

        def is_found() -> bool:
            lock = self.config.scheduler_lock
            text = lock.read_text().strip() if lock.exists() else ""
            found[:] = {int(text)} & self.processes() if text else []
            return bool(found)

        eventually(is_found, seconds=60)
        return found[0]

    def kill_leader(self) -> None:
        """Kill the process that runs the scheduler. A server without other processes is started again."""
        if self.has_workers:
            os.kill(self.leader(), signal.SIGKILL)
            return
        self.kill()
        self.start()


def open_databases(process: int) -> list[str]:
    """Return the database files that a process has open."""
    files = (os.readlink(entry) for entry in Path(f"/proc/{process}/fd").iterdir())
    return [name for name in files if "blogsvc.db" in name]


def is_running(process: int) -> bool:
    """Return False for a process that has ended, also if its parent does not know yet."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
