"""Rounds of writing to a cluster while its processes, its brokers and its database are killed and stopped.

As in `tests.kill`, but what goes down comes back by itself, and the rest goes on meanwhile.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from itertools import cycle
from pathlib import Path
from threading import Event, Thread
from typing import Any

from cryptography.fernet import Fernet
from sqlalchemy import select

from blogsvc.cli.terminal import BAD_SETTING, REFUSED
from blogsvc.models.setting import Setting
from tests.clock import eventually
from tests.cluster.brokers import OwnBroker
from tests.cluster.fleet import SCHEDULER, WORKER, Member
from tests.kill.harness import FAULTS, Harness
from tests.kill.server import Server, call
from tests.own_postgres import OwnPostgres

ROLES = {"server": ("blogsvc", "serve", "--no-scheduler"), "scheduler": SCHEDULER, "worker": WORKER}
# How many processes of each role.
COUNTS = {"server": 2, "scheduler": 2, "worker": 2}
# Events that are read with one request.
PAGE = 100


class Cluster(Server):
    """Several processes, each on a machine of its own, in the place of one server."""

    def __init__(self, folder: Path, database_url: str, settings: dict[str, str]) -> None:
        own = {"BLOGSVC_SECRET_KEY": Fernet.generate_key().decode(), **settings}
        super().__init__(folder / "harness" / "instance", database_url, settings=own)
        self.members = [
            Member(folder / f"{role}-{number}" / "instance", database_url, settings=own, words=ROLES[role])
            for role, count in COUNTS.items()
            for number in range(1, count + 1)
        ]
        for member in (self, *self.members):
            member.instance.parent.mkdir(parents=True)
        self._ports = cycle([member.port for member in self.of_role("server")])

    def of_role(self, role: str) -> list[Member]:
        return [member for member in self.members if member.words == ROLES[role]]

    def next_port(self) -> int:
        """Return the port of each server in turn."""
        return next(self._ports)

    def start(self) -> None:
        """Start what does not run."""
        for member in self.members:
            if member.process is None or member.process.poll() is not None:
                member.start()

    def ended(self) -> list[str]:
        """Return which processes have ended by themselves, unless they said at their start why they can't run."""
        codes = [(member, member.process.poll()) for member in self.members if member.process is not None]
        return [
            f"{member.instance.parent.name} ended with {code}: {member.log.read_text()[-500:]}"
            for member, code in codes
            if code not in (None, REFUSED, BAD_SETTING)
        ]

    def has_worked(self) -> bool:
        """Return True if workers have delivered something: without them, the schedulers would do all of it."""
        return any("outcome=delivered" in worker.log.read_text() for worker in self.of_role("worker"))

    def wait_until_ready(self, seconds: float = 120.0) -> None:
        for member in self.of_role("server"):
            member.wait_until_ready(seconds)

    def kill(self) -> None:
        for member in self.members:
            member.kill()

    def tracebacks(self) -> list[str]:
        return [text for member in self.members if member.log.exists() for text in member.tracebacks()]


class EventReader:
    """A client that reads all events in their order, from one server after the other."""

    def __init__(self, call: Callable[[str], tuple[int, Any]]) -> None:
        self.call = call
        self.ids: list[str] = []
        self.errors: list[str] = []
        self.read_meanwhile = 0
        self.is_over = Event()
        self.thread = Thread(target=self._read_until_over, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        """Read the rest, and end."""
        self.is_over.set()
        self.thread.join()
        self.read_meanwhile = len(self.ids)
        while self._read():
            pass

    def _read_until_over(self) -> None:
        while not self.is_over.wait(0.05):
            with suppress(OSError, HTTPException):
                self._read()

    def _read(self) -> bool:
        """Read a page. Returns False if there are no more events for now."""
        after = f"&after={self.ids[-1]}" if self.ids else ""
        status, document = self.call(f"/api/v1/events?limit={PAGE}{after}")
        if status != 200:
            self.errors += [] if status == 503 else [f"reading events was answered with {status}: {document}"]
            return status == 503
        self.ids += [event["id"] for event in document["data"]]
        return bool(document["data"])


class Storm(Harness):
    """A run with a cluster. `brokers` are those that it uses, by their names."""

    def __init__(
        self, folder: Path, seed: int, postgres: OwnPostgres, brokers: dict[str, OwnBroker], longest_stop: float = 4.0
    ) -> None:
        (folder / "media").mkdir()
        settings = {
            "BLOGSVC_BASE_URL": "https://blog.example",
            "BLOGSVC_MEDIA_URL": (folder / "media").as_uri(),
            "BLOGSVC_REDIS_URL": brokers["redis"].url,
        }
        if "rabbitmq" in brokers:
            settings["BLOGSVC_BROKER_URL"] = brokers["rabbitmq"].url
        self.cluster = Cluster(folder, postgres.url, settings)
        super().__init__(folder, seed, postgres.url, server=self.cluster)
        self.longest_stop = longest_stop
        self.harms: dict[str, Callable[[], None]] = {
            "server": lambda: self._kill(self._any("server")),
            "worker": lambda: self._kill(self._any("worker")),
            "leader": lambda: self._kill(self._leader()),
            "stopped worker": lambda: self._stop_for_a_while(self._any("worker")),
            "stopped leader": lambda: self._stop_for_a_while(self._leader()),
            "postgres": lambda: self._stop_database_for_a_while(postgres),
            **{name: lambda broker=broker: self._kill_broker(broker) for name, broker in brokers.items()},
        }
        self.done = dict.fromkeys(self.harms, 0)
        self._left_to_do = self._shuffled()
        self.reader = EventReader(lambda path: self._call("GET", path))
        for writer in self.writers:
            writer.new_posts = 12

    def _call(self, method: str, path: str, json_: Any = None, idempotency_key: str | None = None) -> tuple[int, Any]:
        return call(self.cluster.next_port(), method, path, self.key, json_, idempotency_key=idempotency_key)

    def _start(self) -> None:
        self.server.start()
        self.server.wait_until_ready()
        if self.reader.thread.ident is None:
            self.reader.start()
        self._check([known for writer in self.writers for known in writer.posts.values() if known.id in writer.touched])

    @contextmanager
    def world(self) -> Iterator[None]:
        with super().world():
            try:
                yield
            finally:
                self.reader.is_over.set()

    def _round(self) -> None:
        """Write for some seconds, and do harm twice meanwhile."""
        self._misbehave(FAULTS)
        self._start()
        with self._writing():
            for _ in range(2):
                time.sleep(self.random.uniform(0.5, 2.5))
                self._do_harm()
            time.sleep(self.random.uniform(0.5, 2.5))
        self._let_waiting_times_pass()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        stop = Event()
        threads = [Thread(target=writer.write_until, args=(stop,), daemon=True) for writer in self.writers]
        for writer, thread in zip(self.writers, threads, strict=True):
            writer.touched.clear()
            thread.start()
        try:
            yield
        finally:
            stop.set()
        for thread in threads:
            thread.join()

    def _let_waiting_times_pass(self) -> None:
        """Make due what waits, once no request is held any more that could be executed after it."""
        self._behave()
        assert self.platform.wait_for(self._are_none_held, 30)
        self._let_time_pass()

    def _are_none_held(self) -> bool:
        self.platform.goes_on()
        return not self.platform.held

    def _do_harm(self) -> None:
        self.faults += self.cluster.ended()
        name = next(self._left_to_do)
        self.done[name] += 1
        self.harms[name]()

    def _shuffled(self) -> Any:
        """Yield each harm equally often, in a random order."""
        while True:
            names = list(self.harms)
            self.random.shuffle(names)
            yield from names

    def _any(self, role: str) -> Member:
        return self.random.choice(self.cluster.of_role(role))

    def _leader(self) -> Member:
        """Return the scheduler that leads, as soon as one does."""
        found: list[Member] = []

        def is_found() -> bool:
            with suppress(Exception):  # the database has just begun to accept connections again
                rows = self.rows(select(Setting.value).where(Setting.name == "leader"))
                names = [value["process"] for (value,) in rows if value]
                schedulers = self.cluster.of_role("scheduler")
                found.extend(
                    one for one in schedulers for name in names if (one.instance / "processes" / name).is_file()
                )
            return bool(found)

        eventually(is_found, 60)
        return found[0]

    def _kill(self, member: Member) -> None:
        member.kill()
        time.sleep(self.random.uniform(0.0, 2.0))
        member.start()

    def _stop_for_a_while(self, member: Member) -> None:
        """Let a process stand still, and go on as if nothing had happened."""
        assert member.process is not None
        os.killpg(member.process.pid, signal.SIGSTOP)
        time.sleep(self.random.uniform(0.5, self.longest_stop))
        os.killpg(member.process.pid, signal.SIGCONT)

    def _kill_broker(self, broker: OwnBroker) -> None:
        broker.kill()
        time.sleep(self.random.uniform(0.0, 2.0))
        broker.start()

    def _calm_down(self) -> None:
        """Stop the faults, wait until everything is done, and read the last events."""
        self.faults += self.cluster.ended()
        self.server.start()
        self.server.wait_until_ready()
        end = time.monotonic() + 120
        self._let_waiting_times_pass()
        while not self._settles(5):
            self._let_waiting_times_pass()
            if time.monotonic() > end:
                self.faults.append(f"unsettled: {self._left()}")
                break
        self.reader.stop()
        self._check_events()
        for (post_id,) in self.rows("SELECT id FROM post WHERE state = 'publishing'"):
            self.faults.append(f"{post_id} is publishing, and nothing of it is left to do")

    def _check_events(self) -> None:
        self.faults += self.reader.errors
        ids = self.reader.ids
        there = [id for (id,) in self.rows("SELECT id FROM event ORDER BY position")]
        if ids != there:
            missed, doubled = set(there) - set(ids), len(ids) - len(set(ids))
            text = f"of {len(there)} events, {len(missed)} were missed and {doubled} read twice"
            self.faults.append(f"{text}, or they were read in another order")
