"""The scheduler: publishes due posts, and runs one lane per connection and one per webhook.

On one PostgreSQL, those of several machines run side by side. One of them leads. All of them run lanes, unless workers
do: then the one that leads tells these which lanes have work.

The database holds all state. The scheduler sleeps until the next row is due. It wakes early when this process makes
something due, when another process says through Redis that it has, and otherwise within half a second when another one
has changed the database. It looks at least every 30 seconds for changes of the system time. A tick that finds nothing
to do only reads; every few seconds, one writes that the scheduler runs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from time import monotonic
from typing import Any

from flask import Flask

from blogsvc.analytics import rollup
from blogsvc.analytics.delivery_rollup import roll_up_deliveries
from blogsvc.connections.adopt import adopt_all, adopt_rest
from blogsvc.connections.manage import verify_soon
from blogsvc.context import Tools, data_version
from blogsvc.delivery import after_kill
from blogsvc.health.late_posts import LateWatch
from blogsvc.lib.time import stamp
from blogsvc.models import became_due, db, record, transaction
from blogsvc.models.background_errors import log_failure
from blogsvc.models.due_posts import next_scheduled_at
from blogsvc.models.pending_publish import next_pending_at
from blogsvc.models.process import is_shared, processes
from blogsvc.models.setting import STALLED_AFTER, last_heartbeat
from blogsvc.notices.gather import gather
from blogsvc.scheduler.clock import beat, check_clock, time_for_schedules
from blogsvc.scheduler.due_posts import publish_all_due
from blogsvc.scheduler.lane_messages import LaneMessages, lane_messages
from blogsvc.scheduler.lanes import STUMBLE, Lanes
from blogsvc.scheduler.leading import Leading
from blogsvc.scheduler.maintenance import run_daily_maintenance
from blogsvc.scheduler.presence import Absences
from blogsvc.scheduler.relay import relay
from blogsvc.scheduler.traffic import ALL_TRAFFIC, TRAFFIC_OF_WORKERS
from blogsvc.webhooks import announce

log = logging.getLogger(__name__)

MAX_SLEEP = timedelta(seconds=30)
# Seconds between heartbeats; far less than the time after which the scheduler counts as stopped.
BEAT_EVERY = 5.0
# How often to look whether posts are late: less than the time after which they count as late. Seconds.
WATCH_EVERY = 5.0
# How often a sleeping scheduler looks whether another process has changed the database. Seconds.
LOOK_EVERY = 0.5
# The same while other processes tell what they change. Commands don't, and messages may be lost.
LOOK_DESPITE_RELAY_EVERY = 2.0
# Lanes that end within this time share a tick, because each tick has many queries. Seconds.
LANES_SHARE = 0.1


class Scheduler:
    """Runs the scheduler of one application in its own thread, with a bounded pool for deliveries."""

    def __init__(self, app: Flask, tools: Tools) -> None:
        # Imported here because it reads the metadata of every installed package, which a server need not wait for.
        from apscheduler.executors.debug import DebugExecutor
        from apscheduler.schedulers.background import BackgroundScheduler

        self.app = app
        self.tools = tools
        self.lanes = tuple(Lanes(traffic, app, tools, self.wake_soon) for traffic in ALL_TRAFFIC)
        self.leading = Leading(tools)
        self.messages, self.relay = lane_messages.of(app), relay.of(app)
        self.absences = Absences(tools.steady, tools.process.name)
        self.ran_at: dict[str, float] = {}  # when this scheduler began each job, by the clock that can't be set
        self.is_closing = False
        self.is_wanted, self.is_urgent = Event(), Event()  # a tick; at once
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

    def lane_count(self) -> int:
        """Return how many lanes it works on."""
        return sum(len(each.running()) for each in self.lanes)

    def start(self) -> None:
        """Start in the background. Writes nothing itself, so that the server also starts on a full disk."""
        logging.getLogger("apscheduler").setLevel(logging.WARNING)
        became_due.connect(self.wake)
        self.ticker.start()
        self.late_watch.start()
        now = datetime.now(UTC)
        self.jobs.add_job(self._run_jobs, "interval", minutes=1, next_run_time=now, misfire_grace_time=None)
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
        self.wake()
        if self.ticker.ident is not None:  # otherwise, start() failed
            self.ticker.join()
        self.is_watch_over.set()
        if self.jobs.running:
            self.jobs.shutdown(wait=True)
        if self.ticker.ident is not None:
            with self.app.app_context(), self._forgiving():
                self.leading.resign()

    def wait_for_lanes(self, grace_seconds: float) -> bool:
        """Wait for running work. Returns True if all of it ended within the grace period."""
        end = monotonic() + grace_seconds
        results = [each.close(max(0.0, end - monotonic())) for each in self.lanes]
        return all(results)

    def wake(self, _sender: Any = None) -> None:
        """Run a tick as soon as possible. Calls during a tick cause only one more tick."""
        self.is_urgent.set()
        self.is_wanted.set()

    def wake_soon(self) -> None:
        """Run a tick in a moment, because a lane has ended, whose next work is due later or came just now."""
        self.is_wanted.set()

    def _answer_wakes(self) -> None:
        self.is_wanted.clear()
        self.is_urgent.clear()

    def _tick_until_closed(self) -> None:
        with self.app.app_context(), self._forgiving():
            after_kill.end_leases_of_ended_processes(self.tools)
            if self.leading.leads():
                self._note_stall()
        while not self.is_closing:
            self._sleep(self.tick().total_seconds())

    def _sleep(self, seconds: float) -> None:
        """Wait for the next tick: for this time, until it is wanted, or until the database has changed."""
        if self.is_closing:
            return
        end = monotonic() + seconds
        while not self.is_wanted.wait(min(self._look_every(), max(0.0, end - monotonic()))):
            if monotonic() >= end or self._database_state() not in (self.seen, None):
                return
        self.is_urgent.wait(min(LANES_SHARE, max(0.0, end - monotonic())))

    def _look_every(self) -> float:
        return LOOK_DESPITE_RELAY_EVERY if self.relay.is_working else LOOK_EVERY

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
        self._answer_wakes()
        self.seen = self._database_state()
        with self.app.app_context(), self._forgiving():
            leads = self.leading.leads()
            messages = self.messages if self.messages.can_send() else None
            self._process_due(leads, messages)
            self.trouble = None
            return min(self._time_to_next(leads, messages), MAX_SLEEP)
        return STUMBLE

    @contextmanager
    def _forgiving(self) -> Iterator[None]:
        """Log an error and go on: the database may be busy or away, or its disk full."""
        try:
            yield
        except Exception as error:
            cause = error.__cause__ or error
            self.trouble = str(getattr(cause, "orig", cause))  # without the statement
            log_failure(log, error, "the scheduler failed; it tries again later")

    def _process_due(self, leads: bool, messages: LaneMessages | None) -> None:
        if leads:
            check_clock(self.tools)
            if publish_all_due(self.tools):
                self._answer_wakes()  # of the deliveries of these posts
                db.session.rollback()  # what was committed until now is read below
        deliveries, *others = self.lanes
        self._open_due(deliveries, leads, messages)
        if leads:
            announce.announce(self.tools)
        for each in others:
            self._open_due(each, leads, messages)
        self._beat(leads)

    def _open_due(self, lanes: Lanes, leads: bool, messages: LaneMessages | None) -> None:
        """Work on the lanes with due work. With `messages`, the scheduler that leads hands over what workers can do."""
        if messages is None or lanes.traffic.name not in TRAFFIC_OF_WORKERS:
            lanes.open_due(expires_leases=leads)
        elif leads:
            lanes.open_due(messages=messages)

    def _beat(self, leads: bool) -> None:
        """Record that the scheduler is running, unless that was recorded a moment ago."""
        if self.beat_at is None or monotonic() - self.beat_at >= BEAT_EVERY:
            after_kill.end_leases_of_ended_processes(self.tools)
            gone = self.absences.noticed(processes()) if is_shared() else []  # watches so that it can lead at any time
            if leads:
                if gone:
                    after_kill.end_leases(gone, self.tools)
                adopt_rest(self.tools)
                beat(self.tools)
            self.beat_at = monotonic()

    def _time_to_next(self, leads: bool, messages: LaneMessages | None) -> timedelta:
        now = self.tools.now()
        of_this_process = [
            each for each in self.lanes if leads or messages is None or each.traffic.name not in TRAFFIC_OF_WORKERS
        ]
        moments = [each.next_due_at(messages) for each in of_this_process] + ([next_pending_at()] if leads else [])
        spans = [moment - now for moment in moments if moment]
        if messages is not None and leads:
            spans.append(timedelta(seconds=min(messages.seconds_to_next(), MAX_SLEEP.total_seconds())))
        if (span := self.leading.time_to_next()) is not None:
            spans.append(span)
        if leads and (scheduled := next_scheduled_at()) is not None:
            spans.append(scheduled - time_for_schedules(self.tools))
        # What is due may be for the leader, such as a lease that has expired.
        return max(min(spans, default=MAX_SLEEP), timedelta(seconds=0 if leads else LOOK_EVERY))

    def _note_stall(self) -> None:
        """Record an event if no scheduler ran for a while. Log it if the last heartbeat is in the future."""
        now, last = self.tools.now(), last_heartbeat()
        if last is not None and last - now > STALLED_AFTER:
            log.warning("the scheduler ran last at %s, which is in the future; check the system time", stamp(last))
        if last is not None and now - last > STALLED_AFTER:
            with transaction():
                record("scheduler.stalled", now, since=stamp(last))

    def _run_jobs(self) -> None:
        """Run what is not due at a time of its own. A scheduler that begins to lead runs all of it in the next minute.

        Maintenance runs at start, too, because that may have brought back a connector that was missing.
        """
        if self._is_time_for("maintenance", timedelta(days=1)):
            self._forgive(lambda: verify_soon(self.tools.now()))
            self._forgive(lambda: adopt_all(self.tools))
            self._forgive(lambda: run_daily_maintenance(self.tools, lambda: self.is_closing))
        if self._is_time_for("roll-up", timedelta(hours=1)):
            self._forgive(self._roll_up)
        if self._is_time_for("notices", timedelta(0)):
            self._forgive(lambda: gather(self.tools))

    def _roll_up(self) -> None:
        """Roll up the views of the last hours and the deliveries of past days, in small steps while there are more."""
        now, keep_days = self.tools.now, self.tools.config.keep_views_days
        while not self.is_closing and (rollup.roll_up(now(), keep_days) or roll_up_deliveries(now())):
            pass

    def _is_time_for(self, job: str, interval: timedelta) -> bool:
        """Return True, and note that the job runs, if this scheduler leads and has not run it in this time."""
        ran_at = self.ran_at.get(job)
        if self.is_closing or (ran_at is not None and monotonic() - ran_at < interval.total_seconds()):
            return False
        with self.app.app_context(), self._forgiving():
            if self.leading.leads():
                self.ran_at[job] = monotonic()
                return True
        return False

    def _forgive(self, work: Callable[[], None]) -> None:
        with self.app.app_context(), self._forgiving():
            work()
