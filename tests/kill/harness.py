"""Rounds of writing and killing; at the end everything must have been delivered once, in its newest version.

One instance is used for all rounds, so each start recovers from the kill before. While the server is down, waiting
deliveries are made due in the rows: hours of back-off pass in a moment. Requests that a proxy holds are passed on
before that.

In the rounds with real holds, which come last, requests are held 20 to 60 seconds, newer ones overtake them, and the
times in which they may still arrive are waited for.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

from sqlalchemy import Executable, and_, func, or_, select, text, update

from blogsvc import create_app, migrate
from blogsvc.auth import api_keys
from blogsvc.connections import manage
from blogsvc.connectors import connectors
from blogsvc.connectors.base import ConnectorError
from blogsvc.models import Connection, Delivery, Post, close_connections
from blogsvc.models.lease import LATE_ARRIVAL
from tests.databases import engine_of, holding
from tests.faulty_platform import BEHAVIOURS, FaultyPlatform
from tests.kill.ledger import SITE, Known, Writer
from tests.kill.server import FAULTY, Server, call
from tests.kill.verdict import BROKEN, PLACES, Verdict
from tests.own_postgres import STOP_MODES, OwnPostgres
from tests.receiver import Receiver

A_WHILE = timedelta(seconds=2)
KINDS = (*PLACES, BROKEN)
WRITERS = 3
FAULT_RATE = 0.3
# What the platform does, and what a proxy before it does.
FAULTS = (*BEHAVIOURS, *["429-after", "held"] * 3)
HOLDS = (*FAULTS, *["held"] * 10)
HOLD_SECONDS = (20.0, 60.0)
# What the receiver of the webhook does.
MOODS = ("hang", "hang-after", "reset", "reset-after", "429", "500", "500-after", "503", "slow", "rubbish", "drip")
PENDING = or_(
    Delivery.state.in_(("queued", "sending", "retrying")),
    and_(Delivery.state == "uncertain", Delivery.next_attempt_at.is_not(None)),
)
# Copies that are looked at because a request may have been executed late. After a failure, that is for the author.
LATE = and_(Delivery.stored_late_writes.is_not(None), Delivery.look_at.is_not(None), Delivery.state != "failed")
SCHEDULED = select(func.count()).where(Post.state == "scheduled", Post.deleted_at.is_(None))


@dataclass
class Figures:
    rounds: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    held: int = 0
    outages: int = 0
    early: int = 0
    untrue: int = 0
    deliveries: int = 0
    uncertain: int = 0
    posts: int = 0
    repeated: int = 0
    calls: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        return ", ".join(f"{name} {round(value, 1)}" for name, value in asdict(self).items())


class MoodyReceiver(Receiver):
    """A webhook receiver that misbehaves randomly."""

    random = Random(0)
    rate = 0.0

    def behaviour(self) -> str:
        return self.random.choice(MOODS) if self.random.random() < self.rate else "ok"


class Harness:
    """One run: a platform, a receiver, a server and writers."""

    def __init__(
        self,
        folder: Path,
        seed: int,
        database_url: str = "",
        postgres: OwnPostgres | None = None,
        server: Server | None = None,
    ) -> None:
        """Prepare a run. `postgres` is the server of the database, if it can be stopped."""
        self.random = Random(seed)
        self.postgres, self.outages = postgres, 0
        self.platform = FaultyPlatform()
        self.receiver = MoodyReceiver()
        self.server = server or Server(folder / "instance", database_url)
        self.engine = engine_of(self.server.config.rows_url)
        self.key = ""
        self.faults: list[str] = []
        self.reported = 0  # how many of them
        places = [SITE, "hook", *KINDS]
        self.writers = [Writer(self._call, Random(self.random.random()), places) for _ in range(WRITERS)]

    def run(self, rounds: int, real_holds: int = 0, report: int = 0) -> Figures:
        """Run rounds, and then some with real holds."""
        begin = time.monotonic()
        with self.world():
            self._misbehave(FAULTS)
            for number in range(1, rounds + 1):
                self._round()
                if report and number % report == 0:
                    self._report(f"round {number}")
                if len(self.faults) > 20:
                    break
            self._calm_down()
            if real_holds:
                self._run_with_real_holds(real_holds)
                self._report(f"{real_holds} rounds with real holds")
            self._check(self._posts)
            figures = self._figures(Verdict(self))
        figures.rounds, figures.seconds = rounds + real_holds, time.monotonic() - begin
        return figures

    def _report(self, done: str) -> None:
        at = datetime.now(UTC)
        print(f"{at:%H:%M:%S} {done}: {self._acknowledged} writes acknowledged, {len(self.faults)} faults", flush=True)
        for fault in self.faults[self.reported :]:
            print(f"  {fault}", flush=True)
        self.reported = len(self.faults)

    def _run_with_real_holds(self, rounds: int) -> None:
        """Write for longer, with every second round killed, and wait until no request can be late any more."""
        self._misbehave(HOLDS)
        self.platform.hold_seconds = partial(Random(self.random.random()).uniform, *HOLD_SECONDS)
        for writer in self.writers:
            writer.pause, writer.new_posts = 0.5, 6
        for number in range(rounds):
            self._start()
            self._write(self.random.uniform(8.0, 16.0), ends_with_kill=number % 2 == 0)
        self._start()
        self._behave()
        self._settles(LATE_ARRIVAL.total_seconds() + HOLD_SECONDS[1] + 30, gives_up=False)
        assert self.platform.wait_for(lambda: not self.platform.held, HOLD_SECONDS[1])
        self._calm_down()

    def _figures(self, verdict: Verdict) -> Figures:
        self.faults += verdict.faults
        return Figures(
            acknowledged=self._acknowledged,
            lost=len(verdict.lost),
            doubled=len(verdict.doubled),
            early=len(verdict.early),
            untrue=len(verdict.untrue),
            deliveries=verdict.deliveries,
            uncertain=list(verdict.states.values()).count("uncertain"),
            posts=len(self.posts),
            repeated=sum(writer.repeated for writer in self.writers),
            calls=sum(len(account.calls) for account in self.platform.accounts.values()),
            held=sum(call.behaviour == "held" for one in self.platform.accounts.values() for call in one.calls),
            outages=self.outages,
        )

    @property
    def posts(self) -> dict[str, Known]:
        return {known.id: known for writer in self.writers for known in writer.posts.values()}

    @property
    def _posts(self) -> list[Known]:
        return list(self.posts.values())

    @property
    def _acknowledged(self) -> int:
        return sum(writer.acknowledged for writer in self.writers)

    def is_busy(self) -> bool:
        """Return True if anything is still to be published or delivered."""
        return any(self._left())

    def _left(self) -> tuple[int, list[datetime | None]]:
        """Return the number of posts to be published, and when each pending delivery or late check continues."""
        ((posts,),) = self.rows(SCHEDULED)
        pending = select(Delivery.next_attempt_at).where(PENDING)
        return posts, [at for (at,) in self.rows(pending.union_all(select(Delivery.look_at).where(LATE)))]

    def tracebacks(self) -> list[str]:
        """Return the tracebacks in the server's log, without those of the connector that is broken."""
        return [text for text in self.server.tracebacks() if "no post can be composed" not in text]

    def rows(self, query: str | Executable) -> list[Any]:
        with self.engine.connect() as rows:
            return list(rows.execute(text(query) if isinstance(query, str) else query))

    def _call(self, method: str, path: str, json_: Any = None, idempotency_key: str | None = None) -> tuple[int, Any]:
        return call(self.server.port, method, path, self.key, json_, idempotency_key=idempotency_key)

    @contextmanager
    def world(self) -> Iterator[None]:
        sys.path.insert(0, str(FAULTY))
        connectors.cache_clear()
        try:
            with self.platform, self.receiver:
                self._furnish()
                yield
        finally:
            self.server.kill()
            sys.path.remove(str(FAULTY))
            connectors.cache_clear()

    @contextmanager
    def _as_owner(self) -> Iterator[Any]:
        """Yield the application in this process, on the same instance."""
        app = create_app(self.server.config)
        with app.app_context():
            yield app
            close_connections()

    def _furnish(self) -> None:
        with self._as_owner() as app:
            migrate(app)
            tools = app.extensions["tools"]
            _, self.key = api_keys.create("the harness", ["all"], None, tools.now())
            for kind in KINDS:
                manage.connect(kind, kind, {"url": self.platform.url(kind)}, tools)
            manage.connect("webhook", "hook", {"url": self.receiver.url}, tools)

    def _misbehave(self, faults: tuple[str, ...]) -> None:
        self.platform.misbehaves(Random(self.random.random()), FAULT_RATE, faults)
        self.receiver.random, self.receiver.rate = Random(self.random.random()), FAULT_RATE

    def _behave(self) -> None:
        self.platform.behaves()
        self.receiver.rate = 0.0

    def _round(self) -> None:
        """Start, check that everything is there, write, kill."""
        if self.random.random() < 0.1:  # killed during startup
            self.server.start()
            time.sleep(self.random.uniform(0.05, 1.2))
            self.server.kill()
        self._start()
        longest = 4.0 if self.random.random() < 0.2 else 1.0  # requests time out after one second
        self._write(self.random.uniform(0.02, longest))
        self.platform.goes_on()
        assert self.platform.wait_for(lambda: not self.platform.held)
        self._let_time_pass()

    def _start(self) -> None:
        """Start the server unless it is running, and check that everything is there."""
        if self.server.process is None:
            self.server.start()
            self.server.wait_until_ready()
        self._check([known for writer in self.writers for known in writer.posts.values() if known.id in writer.touched])

    def _write(self, seconds: float, *, ends_with_kill: bool = True) -> None:
        """Write for a time, in which the database may go and come back."""
        stop = Event()
        threads = [Thread(target=writer.write_until, args=(stop,)) for writer in self.writers]
        for writer, thread in zip(self.writers, threads, strict=True):
            writer.touched.clear()
            thread.start()
        if self.postgres is not None and (not self.outages or self.random.random() < 0.3):
            time.sleep(self.random.uniform(0.02, seconds))
            self._stop_database_for_a_while(self.postgres)
        time.sleep(seconds)
        if ends_with_kill:
            self.server.kill()
        stop.set()
        for thread in threads:
            thread.join()

    def _stop_database_for_a_while(self, postgres: OwnPostgres) -> None:
        self.outages += 1
        postgres.stop(self.random.choice(STOP_MODES))
        time.sleep(self.random.uniform(0.0, 2.0))
        postgres.start()

    def _check(self, posts: list[Known]) -> None:
        for known in posts:
            status, document = self._call("GET", f"/api/v1/posts/{known.id}")
            is_in_trash = status == 404 and self._call("GET", f"/api/v1/posts/{known.id}?trashed=true")[0] == 200
            self.faults += known.faults(status, document, is_in_trash)

    def _let_time_pass(self) -> None:
        """Make waiting deliveries and late checks due, open lanes, and reconnect connections."""
        now = datetime.now(UTC)
        with holding(self.engine) as rows:
            rows.execute(update(Delivery).where(Delivery.next_attempt_at > now).values(next_attempt_at=now))
            rows.execute(update(Delivery).where(Delivery.late_until > now).values(late_until=now))
            rows.execute(update(Delivery).where(LATE, Delivery.look_at > now).values(look_at=now))
            rows.execute(update(Connection).values(paused_until=None))
        if self.rows("SELECT 1 FROM connection WHERE state = 'disconnected'"):
            with self._as_owner() as app:
                for connection in Connection.all():
                    with suppress(ConnectorError):
                        manage.verify(connection, app.extensions["tools"])

    def _calm_down(self) -> None:
        """Stop the faults and wait until everything is done."""
        self._behave()
        self.server.kill()
        for _ in range(10):
            self._let_time_pass()
            self.server.start()
            self.server.wait_until_ready()
            if self._settles(60):
                return
            self.server.kill()
        self.faults.append(f"unsettled: {self.rows(select(Delivery.__table__).where(PENDING).limit(3))}")

    def _settles(self, seconds: float, *, gives_up: bool = True) -> bool:
        """Return True if nothing is left to do.

        Returns False after this time, or, if it `gives_up`, as soon as everything left waits for a later time.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            posts, deliveries = self._left()
            if not posts and not deliveries:
                return True
            if gives_up and not posts and all(at is not None and at > datetime.now(UTC) + A_WHILE for at in deliveries):
                return False
            time.sleep(0.1)
        return False
