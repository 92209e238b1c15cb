"""The Celery application: `celery -A blogsvc.worker worker` works on the lanes that servers and schedulers name.

A worker is one process with a thread for each lane. It has the settings of the servers, and no scheduler. The Celery
application is created when Celery asks for `app`, not by the import; that of Flask when a worker starts.
"""

from __future__ import annotations

import logging
import os
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from threading import Event, Lock, Thread
from time import monotonic, sleep
from typing import Any, ClassVar

from celery import Celery, bootsteps, signals
from celery.concurrency.thread import TaskPool
from celery.utils.nodenames import default_nodename, gethostname, nodename
from celery.worker.consumer import Consumer
from flask import Flask

from blogsvc.cli.terminal import BAD_SETTING, fail, the_app
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.delivery.after_kill import end_leases_of_ended_processes
from blogsvc.errors import BlogError
from blogsvc.lib.setting_checks import BadSetting
from blogsvc.models import close_connections
from blogsvc.models.background_errors import log_failure
from blogsvc.scheduler.celery_app import OPEN_LANE, make_celery, send
from blogsvc.scheduler.lanes import STUMBLE, leave_to_others
from blogsvc.scheduler.presence import Presence
from blogsvc.scheduler.relay import relay
from blogsvc.scheduler.traffic import TRAFFIC_OF_WORKERS, Turn
from blogsvc.server.logging import to_stderr

log = logging.getLogger(__name__)

# After this time, a lane with more work goes to the end of the queue, so that all lanes get their turn. Seconds.
TURN_SECONDS = 10.0


class Worker:
    """What a worker process has besides Celery: the application with its database, and its presence."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.tools: Tools = app.extensions["tools"]
        self.sender = make_celery(self.tools.config)
        self.is_closing = Event()
        self.lock = Lock()
        self.lane_count = 0
        self.said: set[str] = set()  # what is missing here, as the log says
        self.relay = relay.of(app)
        self.presence = Presence(app, "worker", lambda: self.lane_count)

    def start(self) -> None:
        self.relay.start(hears=False)
        self.presence.start()

    def work(self, traffic: str, lane: str) -> None:
        """Work on a lane for one turn, and send a message if the turn ended too early."""
        if traffic not in TRAFFIC_OF_WORKERS:
            log.warning("a message asks for %r, which this version does not know; update this worker", traffic)
            return
        self._count(1)
        try:
            turn = Turn(self.is_closing.is_set, monotonic() + TURN_SECONDS)
            with self.app.app_context():
                self._work(traffic, lane, turn)
            if turn.is_over():
                with suppress(Exception):  # the broker is away, and a scheduler does the work
                    send(self.sender, traffic, lane)
        finally:
            self._count(-1)

    def _work(self, traffic: str, lane: str, turn: Turn) -> None:
        try:
            if not leave_to_others(TRAFFIC_OF_WORKERS[traffic], [lane], self.said, self.tools):
                TRAFFIC_OF_WORKERS[traffic].work(lane, self.tools, turn)
        except Exception as error:
            log_failure(log, error, "the work of lane %s failed; the scheduler sends it again", lane)
            sleep(STUMBLE.total_seconds())

    def _count(self, change: int) -> None:
        with self.lock:
            self.lane_count += change

    def consume(self, is_consuming: bool) -> None:
        """Tell the schedulers whether messages reach this worker."""
        self.presence.is_consuming = is_consuming and not self.is_closing.is_set()
        self.presence.report()

    def close(self) -> None:
        """Take no more lanes, and end those in progress soon."""
        self.is_closing.set()
        self.consume(False)

    def stop(self) -> None:
        self.relay.stop()
        self.presence.stop()
        with self.app.app_context():
            close_connections()


class LanePool(TaskPool):  # type: ignore[misc]  # Celery has no types
    """Celery's threads, of which one that is free gets the next lane at once: with Redis, it waits up to a second."""

    hub: Any = None  # the loop that receives messages

    def register_with_event_loop(self, hub: Any) -> None:
        """Celery calls this at each connection to the broker."""
        self.hub = hub

    def on_apply(self, *task: Any, **options: Any) -> Any:
        result = super().on_apply(*task, **options)
        result.f.add_done_callback(self._take_next)
        return result

    def _take_next(self, _done: Future[Any]) -> None:
        """Wake the loop, which has counted the threads before it fell asleep."""
        if self.hub is not None:
            self.hub.call_soon(lambda: None)


class LaneConsumer(Consumer):  # type: ignore[misc]
    """Celery's consumer without what lanes don't need: queues for messages with a later time, and news of neighbors."""

    class Blueprint(Consumer.Blueprint):  # type: ignore[misc]
        default_steps: ClassVar[list[str]] = [
            step for step in Consumer.Blueprint.default_steps if not step.endswith((":DelayedDelivery", ":Gossip"))
        ]


class Consumption(bootsteps.StartStopStep):  # type: ignore[misc]
    """Runs while this worker is connected to the broker."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, _consumer: Any) -> None:
        _running().consume(True)

    def stop(self, _consumer: Any) -> None:
        _running().consume(False)


_workers: list[Worker] = []  # one in the process of a worker; the other commands of Celery need no database


def _running() -> Worker:
    return _workers[0]


def open_lane(traffic: str, lane: str) -> None:
    """The task that messages ask for."""
    _running().work(traffic, lane)


def _log_as_the_server_does(**_: Any) -> None:
    to_stderr(Config.load())
    for noisy in ("celery.app.trace", "celery.worker.strategy"):  # a line for each message
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # When the broker goes, each message in progress can't be acknowledged, which changes nothing: it is only a hint.
    logging.getLogger("celery.worker.request").addFilter(lambda record: not str(record.msg).startswith("Couldn't ack"))


def _name_node(instance: Any, **_: Any) -> None:
    """Give this worker a name among those of its machine, which RabbitMQ requires, unless it was started with one."""
    if instance.hostname == default_nodename(None):
        instance.hostname = nodename(f"worker-{os.getpid()}", gethostname())


def _start(sender: Any, **_: Any) -> None:
    """Open the database. If that is not possible, print why and end the process."""
    if not issubclass(sender.pool_cls, LanePool):
        fail("A worker runs its lanes in threads. Start it without --pool.", BAD_SETTING)
    if not isinstance(sender.concurrency, int):
        fail("Start a worker with a number as its --concurrency, or without one for BLOGSVC_LANES.", BAD_SETTING)
    try:
        app = the_app(lanes=sender.concurrency)
        with app.app_context():
            end_leases_of_ended_processes(app.extensions["tools"])
    except (BadSetting, BlogError) as error:
        fail(str(error), BAD_SETTING)
    _workers.append(Worker(app))
    _running().start()


def _close(**_: Any) -> None:
    for worker in _workers:
        Thread(target=worker.close).start()  # not in the signal's handler, which may have interrupted anything


def _stop(**_: Any) -> None:
    for worker in _workers:
        worker.stop()


@cache
def _app() -> Celery:
    """Return the Celery application. If the settings are not those of a worker, print why and end the process."""
    try:
        config = Config.load()
    except BadSetting as error:
        fail(str(error), BAD_SETTING)
    if not config.broker:
        needed = "BLOGSVC_DATABASE_URL, to a PostgreSQL, and BLOGSVC_BROKER_URL or BLOGSVC_REDIS_URL"
        fail(f"A worker needs a broker and the database of the servers. Set {needed}.", BAD_SETTING)
    celery = make_celery(config, is_worker=True)
    celery.task(open_lane, name=OPEN_LANE)
    celery.steps["consumer"].add(Consumption)
    signals.setup_logging.connect(_log_as_the_server_does)
    signals.celeryd_init.connect(_name_node)
    signals.worker_init.connect(_start)
    signals.worker_shutting_down.connect(_close)
    signals.worker_shutdown.connect(_stop)
    return celery


def __getattr__(name: str) -> Celery:
    if name != "app":
        raise AttributeError(name)
    return _app()
