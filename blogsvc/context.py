"""What verbs need besides the database: settings, HTTP client, mail server, vault for secrets, time."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from threading import Lock
from typing import Generic, TypeVar

from flask import Flask, current_app

from blogsvc.config import Config
from blogsvc.lib.clocks import Reading, boot_id
from blogsvc.lib.crypto import Vault
from blogsvc.lib.net.http import HttpClient
from blogsvc.lib.net.smtp import Mailer
from blogsvc.lib.process_lock import ProcessLock
from blogsvc.lib.time import steady_seconds, utc_now
from blogsvc.models import db
from blogsvc.models.data_version import DataVersion
from blogsvc.models.process import MAX_HOST_LENGTH

T = TypeVar("T")


@dataclass(frozen=True)
class Tools:
    config: Config
    vault: Vault
    http: HttpClient = field(default_factory=HttpClient)
    mailer: Mailer = field(default_factory=Mailer)
    now: Callable[[], datetime] = utc_now
    # The seconds of a clock that cannot be set.
    steady: Callable[[], float] = steady_seconds
    # The id of the running system, within which those seconds can be compared.
    boot: str = field(default_factory=boot_id)
    _naming: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def clocks(self) -> Reading:
        """Read both clocks."""
        return Reading(self.boot, self.now(), self.steady())

    @property
    def host(self) -> str:
        """The name of this machine."""
        return socket.gethostname()[:MAX_HOST_LENGTH]

    @property
    def process(self) -> ProcessLock:
        """The name of this process, for leases."""
        with self._naming:  # two threads get one name
            return self._process

    @cached_property
    def _process(self) -> ProcessLock:
        return ProcessLock(self.config.processes)


def attach(app: Flask, tools: Tools) -> None:
    """Give a Flask application its tools, and empty what it keeps in memory."""
    app.extensions["tools"] = tools
    app.extensions["memory"] = {}


def tools() -> Tools:
    """Return the tools of the current Flask application. Verbs take them as an argument instead."""
    current: Tools = current_app.extensions["tools"]
    return current


def now() -> datetime:
    """Return the current time of the current Flask application."""
    return tools().now()


@dataclass(frozen=True, eq=False)
class InMemory(Generic[T]):
    """Something that each Flask application keeps in memory, such as a cache. Call it to get the application's own.

    It is made the first time, by `make` from the application's tools.
    """

    make: Callable[[Tools], T]

    def __call__(self) -> T:
        return self.of(current_app)

    def of(self, app: Flask) -> T:
        memory: dict[InMemory[T], T] = app.extensions["memory"]
        try:
            return memory[self]
        except KeyError:
            return memory.setdefault(self, self.make(app.extensions["tools"]))  # another thread may have been faster


# Whether anything in the database has changed: one connection for all that is kept in memory until then.
data_version = InMemory(lambda _tools: DataVersion(db.engine))
