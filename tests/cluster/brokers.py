"""RabbitMQ and Redis servers of the tests' own, which can be killed and started at any time."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.clock import eventually
from tests.receiver import free_port

RABBITMQ = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")  # the script of Debian in /usr/sbin is only for root


class OwnBroker(ABC):
    """A server in a directory of its own, on a free port."""

    def __init__(self, folder: Path, address: str = "127.0.0.1") -> None:
        self.folder, self.port, self.address = folder, free_port(), address
        self.process: subprocess.Popen[bytes] | None = None

    @property
    @abstractmethod
    def url(self) -> str: ...

    @abstractmethod
    def command(self) -> list[str]: ...

    def environment(self) -> dict[str, str]:
        return {}

    def start(self) -> None:
        """Start, and wait until it accepts connections."""
        with (self.folder / "output").open("ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                env=os.environ | self.environment(),
                cwd=self.folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        eventually(lambda: self._accepts() or self._has_ended(), 120)
        assert not self._has_ended(), (self.folder / "output").read_text()[-2000:]

    def ensure_running(self) -> None:
        """Start again after a test that has failed while it was killed."""
        if self._has_ended():
            self.kill()
            self.start()

    def _has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def kill(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None
            eventually(lambda: not self._accepts())

    def _accepts(self) -> bool:
        with suppress(OSError), socket.create_connection((self.address, self.port), 1):
            return True
        return False


class OwnRedis(OwnBroker):
    @property
    def url(self) -> str:
        return f"redis://{self.address}:{self.port}/0"

    def command(self) -> list[str]:
        options = {"port": str(self.port), "bind": self.address, "save": "", "protected-mode": "no"}
        return [_program("redis-server"), *(word for name, value in options.items() for word in (f"--{name}", value))]


class OwnRabbitMQ(OwnBroker):
    def __init__(self, folder: Path, address: str = "127.0.0.1") -> None:
        super().__init__(folder, address)
        self.cluster_port = free_port()
        (folder / "rabbitmq.conf").write_text(
            f"listeners.tcp.local = {address}:{self.port}\ndisk_free_limit.absolute = 1MB\n"
        )

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@{self.address}:{self.port}//"

    def command(self) -> list[str]:
        return [_program(str(RABBITMQ))]

    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_DIST_PORT": str(self.cluster_port),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_LOG_BASE": str(self.folder),
            "RABBITMQ_MNESIA_BASE": str(self.folder),
            "RABBITMQ_NODENAME": f"test{self.port}@localhost",
            "RABBITMQ_PID_FILE": str(self.folder / "pid"),
        }


BROKERS: dict[str, type[OwnBroker]] = {"rabbitmq": OwnRabbitMQ, "redis": OwnRedis}


@contextmanager
def own_broker(name: str, address: str = "127.0.0.1") -> Iterator[OwnBroker]:
    """Start a broker. Skips the test if it is not installed."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-"))
    broker = BROKERS[name](folder, address)
    try:
        broker.start()
        yield broker
    finally:
        try:
            broker.kill()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"NOT SHOWN: work through a broker; {name} is not installed")
    return found
