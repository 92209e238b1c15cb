"""The processes of several machines, which share a database and a key. Each machine has its own data directory."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet

from blogsvc import create_app, make_tools, migrate
from blogsvc.auth import api_keys
from blogsvc.lib.time import stamp, utc_now
from blogsvc.models import close_connections
from tests.clock import eventually
from tests.cluster.machines import Machine
from tests.kill.server import FAULTY, Server, call

SERVER = ("blogsvc", "serve")
SCHEDULER = ("blogsvc", "scheduler")
WORKER = ("celery", "-A", "blogsvc.worker", "worker")
A_MOMENT = timedelta(seconds=1)


@dataclass
class Member(Server):
    """A process: `blogsvc serve`, or another command."""

    words: tuple[str, ...] = SERVER
    machine: Machine | None = None  # None: that of the test

    def command(self) -> list[str]:
        program, *arguments = self.words
        command = [str(Path(sys.executable).parent / program), *arguments]
        return command if self.machine is None else self.machine.command(command)


class Fleet:
    """The processes that a test has started."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.folder, self.database_url = folder, database_url
        self.settings = {"BLOGSVC_SECRET_KEY": Fernet.generate_key().decode()}
        self.members: list[Member] = []

    def server(self, name: str, *options: str, **settings: Any) -> Member:
        """Start a server of another machine, and wait until it is ready."""
        _ = self.key  # the schema is there before the first one
        member = self.start(name, (*SERVER, *options), **settings)
        member.wait_until_ready()
        return member

    def worker(self, name: str, **settings: Any) -> Member:
        """Start a worker of another machine, and wait until it receives messages."""
        _ = self.key
        member = self.start(name, WORKER, **settings)
        eventually(lambda: "ready." in member.log.read_text(), 60)
        return member

    def start(self, name: str, words: tuple[str, ...], **settings: Any) -> Member:
        """Start a process of another machine."""
        member = self.member(name, words, **settings)
        member.start()
        return member

    def member(self, name: str, words: tuple[str, ...] = SERVER, packages: Path = FAULTY, **settings: str) -> Member:
        """Return a process of another machine, which has a directory of more packages and further settings."""
        (self.folder / name).mkdir()
        own = {f"BLOGSVC_{variable.upper()}": value for variable, value in settings.items()}
        instance = self.folder / name / "instance"
        settings = {**self.settings, **own}
        member = Member(instance, self.database_url, packages=packages, settings=settings, words=words)
        self.members.append(member)
        return member

    @cached_property
    def key(self) -> str:
        """A key of the API, in a database with the schema."""
        return self.make_key(self.member("setup"))

    def make_key(self, member: Member) -> str:
        """Make a key in the database of a process, which gets the schema."""
        app = create_app(tools=make_tools(member.config))
        migrate(app)
        with app.app_context():
            key = api_keys.create("a test", ["all"], None, utc_now())[1]
            close_connections()
        return key

    def call(self, member: Server, method: str, path: str, body: Any = None) -> Any:
        """Send a request, which succeeds, and return its document."""
        status, document = self.request(member, method, path, body)
        assert status < 300, document
        return document

    def request(self, member: Server, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request, and return the status and the document."""
        return call(member.port, method, f"/api/v1{path}", self.key, body)

    def connect(self, member: Server, name: str, url: str) -> None:
        """Connect a receiver that gets what is published as a webhook message."""
        self.call(member, "POST", "/platforms", {"connector": "webhook", "name": name, "settings": {"url": url}})

    def schedule(self, member: Server, *platforms: str) -> str:
        """Schedule a post in a moment, and return its id."""
        body = {
            "title": "A post",
            "content": "Words.",
            "platforms": platforms or ["site"],
            "scheduledAt": stamp(utc_now() + 2 * A_MOMENT),
        }
        return str(self.call(member, "POST", "/posts", body)["id"])

    def is_published(self, member: Server, post_id: str) -> bool:
        return bool(self.call(member, "GET", f"/posts/{post_id}")["status"] == "published")

    def wait_until_published(self, member: Server, post_id: str, seconds: float = 60) -> None:
        eventually(lambda: self.is_published(member, post_id), seconds)

    def tracebacks(self) -> list[str]:
        return [found for member in self.members if member.log.exists() for found in member.tracebacks()]

    def end(self) -> None:
        for member in self.members:
            member.kill()
