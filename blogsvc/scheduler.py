"""The scheduler: publishes due posts, and runs one lane per connection and one per webhook.

The database holds all state. The scheduler sleeps until the next row is due. It wakes early when this process makes
something due, and within half a second when another process has changed the database, and looks at least every 30
seconds for changes of the system time. A tick that finds nothing to do only reads.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event, Lock, Thread, current_thread
from time import monotonic, sleep
from typing import Any

from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from flask import Flask

from blogsvc.analytics import rollup
from blogsvc.analytics.delivery_rollup import roll_up_deliveries
from blogsvc.connections.adopt import adopt_all, adopt_rest
from blogsvc.connections.ask_time import ask_time
from blogsvc.connections.manage import verify_soon
from blogsvc.context import Tools, data_version
from blogsvc.delivery import after_kill, deliver, extra_copies, reconcile, stage
from blogsvc.errors import Busy
from blogsvc.health.late_posts import LateWatch
from blogsvc.lib.clocks import MIN_LEAP, Reading, is_synchronised
from blogsvc.lib.time import stamp
from blogsvc.media import images
from blogsvc.models import (
    became_due,
    db,
    due_checks,
    due_deliveries,
    extra_copy,
    import_job,
    notice,
    page_view,
    record,
    retention,
    transaction,
    webhook_delivery,
)
from blogsvc.models.clock import keep_clocks, last_clocks, last_server_dates
from blogsvc.models.due_posts import next_scheduled_at
from blogsvc.models.pending_publish import next_pending_at
from blogsvc.models.setting import STALLED_AFTER, heartbeat, keep_feed_host, last_heartbeat
from blogsvc.notices.gather import gather
from blogsvc.notices.send import send_next as send_next_notice
from blogsvc.posts import clock_jumps, editing, publishing, undo
from blogsvc.transfer import importing
from blogsvc.webhooks import announce, manage
from blogsvc.webhooks import deliver as webhook_deliver

log = logging.getLogger(__name__)

MAX_SLEEP = timedelta(seconds=30)
STUMBLE = timedelta(seconds=1)
# Seconds between heartbeats; far less than the time after which the scheduler counts as stopped.
BEAT_EVERY = 5.0
# How often to look whether posts are late: less than the time after which they count as late. Seconds.
WATCH_EVERY = 5.0
# How often a sleeping scheduler looks whether another process has changed the database. Seconds.
LOOK_EVERY = 0.5


@dataclass(frozen=True)
class Traffic:
    """One kind of work, processed in lanes: which lanes have work due, and how to process the next item of a lane."""

    due_lanes: Callable[[Tools], list[str]]
    next_due_at: Callable[[Collection[str]], datetime | None]
    # Processes what is due in a lane, until nothing is due or the last argument returns True.
    work: Callable[[str, Tools, Callable[[], bool]], None]
    expire_leases: Callable[[Tools], None]
    # How many lanes run in parallel.
    width: Callable[[Tools], int]


def one_by_one(process_next: Callable[[str, Tools], bool]) -> Callable[[str, Tools, Callable[[], bool]], None]:
    """Return the `work` of a lane whose items are processed by a function that returns False if none was due."""

    def work(lane: str, tools: Tools, is_closing: Callable[[], bool]) -> None:
        while not is_closing() and process_next(lane, tools):
            pass

    return work


def expire_delivery_leases(tools: Tools) -> None:
    deliver.expire_leases(tools)
    stage.expire_leases(tools)


DELIVERIES = Traffic(
    stage.due_lanes,
    due_deliveries.next_due_at,
    stage.work_lane,
    expire_delivery_leases,
    lambda tools: tools.config.lanes,
)
# Low priority: no person waits for these checks.
SURVEYS = Traffic(
    lambda tools: due_checks.due_connections(tools.now()),
    due_checks.next_due_at,
    one_by_one(reconcile.check_next),
    lambda tools: None,
    lambda tools: 2,
)
SEARCHES = Traffic(
    lambda tools: extra_copy.due_connections(tools.now()),
    extra_copy.next_due_at,
    one_by_one(extra_copies.search_next),
    lambda tools: None,
    lambda tools: 2,
)
# As wide as the maximum number of webhooks, so that slow ones never delay others.
ANNOUNCEMENTS = Traffic(
    lambda tools: webhook_delivery.due_webhooks(tools.now()),
    webhook_delivery.next_due_at,
    one_by_one(webhook_deliver.send_next),
    webhook_deliver.expire_leases,
    lambda tools: manage.MAX_WEBHOOKS,
)
# One lane for each user. One e-mail at a time: mail servers count connections, and nobody waits for a second.
NOTICES = Traffic(
    lambda tools: notice.due_users(tools.now()),
    notice.next_due_at,
    one_by_one(send_next_notice),
    lambda tools: None,
    lambda tools: 1,
)
# One at a time, because imports may process large images.
IMPORTS = Traffic(
    lambda tools: import_job.due_imports(tools.now()),
    import_job.next_due_at,
    importing.work,
    lambda tools: None,
    lambda tools: 1,
)


class Scheduler:
    """Runs the scheduler of one application in its own thread, with a bounded pool for deliveries."""

    def __init__(self, app: Flask, tools: Tools) -> None:
        self.app = app
        self.tools = tools
        self.deliveries = Lanes(DELIVERIES, app, tools, self.wake)
        self.announcements = Lanes(ANNOUNCEMENTS, app, tools, self.wake)
        self.surveys = Lanes(SURVEYS, app, tools, self.wake)
        self.searches = Lanes(SEARCHES, app, tools, self.wake)
        self.imports = Lanes(IMPORTS, app, tools, self.wake)
        self.notices = Lanes(NOTICES, app, tools, self.wake)
        self.is_closing = False
        self.is_wanted = Event()
        self.seen: str | None = None  # the state of the database at the last tick
        self.beat_at: float | None = None
        self.trouble: str | None = None  # why the last pass failed
        # In a thread of its own, so that it also sees that a pass does not end.
        self.late_watch = Thread(target=self._watch_late_posts, name="late posts", daemon=True)
        self.is_watch_over = Event()
        self.ticker = Thread(target=self._tick_until_closed, name="scheduler", daemon=True)
        # For what happens at fixed intervals. Due work is no job of it: its timers follow the system time, and a time
        # that is set back would stop them.
        # One thread runs them: a pool would refuse them, with an error, while Python ends the process.
        self.jobs = BackgroundScheduler(timezone=UTC, executors={"default": DebugExecutor()})

    @property
    def lanes(self) -> tuple[Lanes, ...]:
        return self.deliveries, self.announcements, self.surveys, self.searches, self.imports, self.notices

    def start(self) -> None:
        """Start in the background. Writes nothing itself, so that the server also starts on a full disk."""
        logging.getLogger("apscheduler").setLevel(logging.WARNING)
        became_due.connect(self.wake)
        self.ticker.start()
        self.late_watch.start()
        now = datetime.now(UTC)
        self.jobs.add_job(self._run_maintenance, "interval", days=1, next_run_time=now, misfire_grace_time=None)
        self.jobs.add_job(self._roll_up, "interval", hours=1, next_run_time=now, misfire_grace_time=None)
        self.jobs.add_job(self._gather_notices, "interval", minutes=1, misfire_grace_time=None)
        self.jobs.start()

    def stop(self, grace_seconds: float) -> bool:
        """Stop claiming work and wait for running work. Returns True if all of it ended within the grace period."""
        self.stop_claiming()
        return self.wait_for_lanes(grace_seconds)

    def stop_claiming(self) -> None:
        """Stop claiming work. Another scheduler can do it from now on, while this one ends what it has begun."""
        became_due.disconnect(self.wake)
        self.is_closing = True
        for each in self.lanes:
            each.is_closing = True
        self.is_wanted.set()
        if self.ticker.ident is not None:  # otherwise, start() failed
            self.ticker.join()
        self.is_watch_over.set()
        if self.jobs.running:
            self.jobs.shutdown(wait=True)

    def wait_for_lanes(self, grace_seconds: float) -> bool:
        """Wait for running work. Returns True if all of it ended within the grace period."""
        end = monotonic() + grace_seconds
        results = [each.close(max(0.0, end - monotonic())) for each in self.lanes]
        return all(results)

    def wake(self, _sender: Any = None) -> None:
        """Run a tick as soon as possible. Calls during a tick cause only one more tick."""
        self.is_wanted.set()

    def _tick_until_closed(self) -> None:
        with self.app.app_context(), self._forgiving():
            after_kill.end_leases_of_ended_processes(self.tools)
            self._note_stall()
        while not self.is_closing:
            self._sleep(self.tick().total_seconds())

    def _sleep(self, seconds: float) -> None:
        """Wait for the next tick: for this time, until it is wanted, or until the database has changed."""
        end = monotonic() + seconds
        while not self.is_wanted.wait(min(LOOK_EVERY, max(0.0, end - monotonic()))):
            if monotonic() >= end or self._database_state() not in (self.seen, None):
                return

    def _watch_late_posts(self) -> None:
        watch = LateWatch(self.tools, lambda: self.trouble)
        while not self.is_watch_over.wait(WATCH_EVERY):
            with self.app.app_context(), suppress(Exception):  # a tick reports that the database is unreachable
                watch.look()

    def _database_state(self) -> str | None:
        """Return something that changes with each commit of any process; None if that is not known."""
        with self.app.app_context(), suppress(Exception):  # a tick reports that the database is unreachable
            return data_version().state()
        return None

    def tick(self) -> timedelta:
        """Process what is due, and return the time until the next tick, even after an error."""
        self.is_wanted.clear()
        self.seen = self._database_state()
        with self.app.app_context(), self._forgiving():
            self._process_due()
            self.trouble = None
            return min(self._time_to_next(), MAX_SLEEP)
        return STUMBLE

    @contextmanager
    def _forgiving(self) -> Iterator[None]:
        """Log an error and go on: the database may be busy, or its disk full."""
        try:
            yield
        except Exception as error:
            cause = error.__cause__ or error
            self.trouble = str(getattr(cause, "orig", cause))  # without the statement
            log.exception("the scheduler failed; it tries again later")

    def _process_due(self) -> None:
        check_clock(self.tools)
        publish_all_due(self.tools)
        self.deliveries.open_due()
        announce.announce(self.tools)
        self.announcements.open_due()
        self.surveys.open_due()
        self.searches.open_due()
        self.imports.open_due()
        self.notices.open_due()
        self._beat()

    def _beat(self) -> None:
        """Record that the scheduler is running, unless that was recorded a moment ago."""
        if self.beat_at is None or monotonic() - self.beat_at >= BEAT_EVERY:
            adopt_rest(self.tools)
            after_kill.end_leases_of_ended_processes(self.tools)
            beat(self.tools)
            self.beat_at = monotonic()

    def _time_to_next(self) -> timedelta:
        now = self.tools.now()
        moments = [next_pending_at(), *(each.next_due_at() for each in self.lanes)]
        spans = [moment - now for moment in moments if moment]
        if (scheduled := next_scheduled_at()) is not None:
            spans.append(scheduled - time_for_schedules(self.tools))
        return max(min(spans, default=MAX_SLEEP), timedelta(0))

    def _note_stall(self) -> None:
        """Record an event if no scheduler ran for a while. Log it if the last heartbeat is in the future."""
        now, last = self.tools.now(), last_heartbeat()
        if last is not None and last - now > STALLED_AFTER:
            log.warning("the scheduler ran last at %s, which is in the future; check the system time", stamp(last))
        if last is not None and now - last > STALLED_AFTER:
            with transaction():
                record("scheduler.stalled", now, since=stamp(last))

    def _run_maintenance(self) -> None:
        """Run the daily maintenance, also at start, which may have brought back a connector that was missing."""
        with self.app.app_context():
            with self._forgiving():
                verify_soon(self.tools.now())
                adopt_all(self.tools)
            with self._forgiving():
                run_daily_maintenance(self.tools, lambda: self.is_closing)

    def _gather_notices(self) -> None:
        with self.app.app_context(), self._forgiving():
            gather(self.tools)

    def _roll_up(self) -> None:
        """Roll up the views of the last hours and the deliveries of past days, in small steps while there are more."""
        now, keep_days = self.tools.now, self.tools.config.keep_views_days
        with self.app.app_context():
            try:
                while not self.is_closing and (rollup.roll_up(now(), keep_days) or roll_up_deliveries(now())):
                    pass
            except Busy as error:
                log.warning("figures could not be rolled up: %s", error)


class Lanes:
    """Runs at most one worker per lane, so that a slow platform or subscriber delays only its own lane.

    The threads are daemons: Python ends the process without them, as it does not with a ThreadPoolExecutor, and the
    database shows which deliveries were in progress.
    """

    def __init__(self, traffic: Traffic, app: Flask, tools: Tools, when_free: Callable[[], None]) -> None:
        self.traffic = traffic
        self.app = app
        self.tools = tools
        self.when_free = when_free
        self.is_closing = False
        self.width = traffic.width(tools)
        self.lock = Lock()
        self.lanes: set[str] = set()
        self.waiting: deque[str] = deque()
        self.threads: set[Thread] = set()

    def open_due(self) -> None:
        """Start a worker for each lane with due work, and settle work whose lease has expired."""
        self.traffic.expire_leases(self.tools)
        for lane in self.traffic.due_lanes(self.tools):
            self.open(lane)

    def next_due_at(self) -> datetime | None:
        """Return when the next work is due in a lane that is not running."""
        return self.traffic.next_due_at(self.running())

    def open(self, lane: str) -> None:
        with self.lock:
            if lane in self.lanes or self.is_closing:
                return
            if len(self.threads) < self.width:
                thread = Thread(target=self._work, name="lane", daemon=True)
                thread.start()
                self.threads.add(thread)
            self.lanes.add(lane)
            self.waiting.append(lane)

    def running(self) -> set[str]:
        with self.lock:
            return set(self.lanes)

    def close(self, grace_seconds: float) -> bool:
        """Open no lane any more, and wait for those that are open. Returns True if all of them ended in time."""
        with self.lock:
            self.is_closing = True
            self.waiting.clear()
            threads = list(self.threads)
        end = monotonic() + grace_seconds
        for thread in threads:
            thread.join(max(0.0, end - monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def wait(self) -> None:
        """Wait until all lanes have ended, also those that wait for a thread."""
        while threads := self._threads():
            for thread in threads:
                thread.join()

    def _threads(self) -> list[Thread]:
        with self.lock:
            return list(self.threads)

    def _work(self) -> None:
        while (lane := self._next()) is not None:
            self._work_lane(lane)

    def _next(self) -> str | None:
        """Return the lane that has waited longest, or None at the end of this thread."""
        with self.lock:
            if self.waiting:
                return self.waiting.popleft()
            self.threads.discard(current_thread())
            return None

    def _work_lane(self, lane: str) -> None:
        try:
            with self.app.app_context():
                self.traffic.work(lane, self.tools, lambda: self.is_closing)
        except BaseException:
            log.exception("the work of lane %s failed; the scheduler tries it again", lane)
            sleep(STUMBLE.total_seconds())
        finally:
            with self.lock:
                self.lanes.discard(lane)
            self.when_free()


def check_clock(tools: Tools) -> None:
    """Deal with a system time that was set since the last reading, also if nothing ran then, or that is in doubt.

    In the first pass of a boot, nothing is known about the time before it.
    """
    reading, last = tools.clocks(), last_clocks(tools.boot)
    tools.http.dates.add(last_server_dates(tools.boot))
    if last is None:
        if is_synchronised() is False:
            log.warning("the system doesn't synchronise its time; scheduled posts may be published at the wrong time")
        with transaction():
            keep_clocks(reading, tools.http.dates.said)
    elif abs(leap := last.leap_until(reading)) >= MIN_LEAP:
        log.warning("the system time was set by %d seconds", leap.total_seconds())
        clock_jumps.note_jump(leap, reading)
    _resolve_doubt(reading, tools)


def _resolve_doubt(reading: Reading, tools: Tools) -> None:
    """Ask other servers for the time if a post is due and none has said it, or if the post waits for their time."""
    dates = tools.http.dates
    is_in_doubt = not dates.said or time_for_schedules(tools) < reading.at
    if is_in_doubt and dates.is_time_to_ask() and (at := next_scheduled_at()) is not None and at <= reading.at:
        dates.asked_at = reading.seconds
        ask_time(tools)


def beat(tools: Tools) -> None:
    """Record that the scheduler is running, and what the clocks say."""
    with transaction():
        heartbeat(tools.now())
        keep_clocks(tools.clocks(), tools.http.dates.said)


def time_for_schedules(tools: Tools) -> datetime:
    """Return the time until which scheduled posts are due: that of other servers if the system time is ahead of it."""
    now = tools.now()
    ahead = tools.http.dates.ahead(now)
    return now if ahead is None or ahead < MIN_LEAP else now - ahead


def publish_all_due(tools: Tools) -> None:
    window = timedelta(hours=tools.config.missed_after_hours)
    while publishing.publish_due(time_for_schedules(tools), window):
        db.session.expunge_all()
    while undo.publish_pending(tools.now()):
        db.session.expunge_all()


def run_daily_maintenance(tools: Tools, is_closing: Callable[[], bool] = lambda: False) -> None:
    """Recompute scheduled times after time zone changes, and delete data past its retention period.

    Stops between two steps if `is_closing`.
    """
    now = tools.now()
    with transaction():
        keep_feed_host(tools.config.public_url)
    for step in (
        publishing.update_wall_times,
        lambda: editing.empty_trash(now),
        lambda: retention.delete_old_rows(tools.config, now),
        page_view.correct_row_count,
        lambda: images.remove_orphans(tools.config, now),
        lambda: importing.delete_old_imports(now, tools.config),
    ):
        if not is_closing():
            step()


def one_pass(app: Flask, tools: Tools) -> None:
    """Publish, deliver and announce everything that is due, once. For installations that use cron.

    Also runs the daily maintenance on the first pass of a day.
    """
    with app.app_context():
        last = last_heartbeat()
        after_kill.end_leases_of_ended_processes(tools)
        adopt_all(tools)
        check_clock(tools)
        publish_all_due(tools)
        beat(tools)
    _send_due(DELIVERIES, app, tools)
    with app.app_context():
        gather(tools)
        announce.announce(tools)
    _send_due(ANNOUNCEMENTS, app, tools)
    _send_due(SURVEYS, app, tools)
    _send_due(SEARCHES, app, tools)
    _send_due(IMPORTS, app, tools)
    _send_due(NOTICES, app, tools)
    with app.app_context():
        if last is None or last.date() != tools.now().date():
            run_daily_maintenance(tools)
        rollup.roll_up(tools.now(), tools.config.keep_views_days)
        roll_up_deliveries(tools.now())


def _send_due(traffic: Traffic, app: Flask, tools: Tools) -> None:
    once = Lanes(traffic, app, tools, lambda: None)
    with app.app_context():
        once.open_due()
    try:
        once.wait()
    except KeyboardInterrupt:
        once.close(tools.config.grace_seconds)
        raise
