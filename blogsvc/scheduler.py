"""The clock: wakes when something is due, publishes, and keeps one lane per connection and one per webhook.

The rows are the truth; the clock only looks at them. It sleeps until the next one is due, is woken
by a change, and looks at least every 30 s besides, in case another process wrote or the time jumped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event, Lock
from time import monotonic, sleep
from typing import Any

from apscheduler.schedulers.background import BackgroundScheduler
from flask import Flask

from blogsvc.analytics import page_views
from blogsvc.context import Tools
from blogsvc.delivery import deliver, reconcile
from blogsvc.errors import Busy
from blogsvc.lib.time import stamp
from blogsvc.media import images
from blogsvc.models import became_due, db, due_checks, due_deliveries, import_job, record, transaction, webhook_delivery
from blogsvc.models.event import delete_old_events
from blogsvc.models.idempotent_response import delete_expired_responses
from blogsvc.models.post import next_scheduled_at
from blogsvc.models.setting import STALLED_AFTER, heartbeat, last_heartbeat
from blogsvc.posts import editing, publishing
from blogsvc.transfer import importing
from blogsvc.webhooks import manage

log = logging.getLogger(__name__)

LONGEST_SLEEP = timedelta(seconds=30)
STUMBLE = timedelta(seconds=1)
# Views are written together, this long after the first of them.
VIEWS_WAIT = timedelta(seconds=1)


@dataclass(frozen=True)
class Traffic:
    """What goes out, lane by lane: which lanes have something due, and how the next thing in one is sent."""

    due_lanes: Callable[[datetime], list[str]]
    next_due_at: Callable[[Collection[str]], datetime | None]
    # Sends one thing of a lane. False where nothing was due.
    send_next: Callable[[str, Tools], bool]
    expire_leases: Callable[[Tools], None]
    # How many lanes run at once.
    width: Callable[[Tools], int]


DELIVERIES = Traffic(
    due_deliveries.due_lanes,
    due_deliveries.next_due_at,
    deliver.deliver_next,
    deliver.expire_leases,
    lambda tools: tools.config.lanes,
)
# Nobody waits for these.
SURVEYS = Traffic(
    due_checks.due_connections,
    due_checks.next_due_at,
    reconcile.check_next,
    lambda tools: None,
    lambda tools: 2,
)
# As many as there may be webhooks, so that those that hang keep nobody waiting.
ANNOUNCEMENTS = Traffic(
    webhook_delivery.due_webhooks,
    webhook_delivery.next_due_at,
    manage.send_next,
    manage.expire_leases,
    lambda tools: manage.MAX_WEBHOOKS,
)
# One after the other: each may work on large pictures.
IMPORTS = Traffic(
    import_job.due_imports,
    import_job.next_due_at,
    importing.step,
    lambda tools: None,
    lambda tools: 1,
)


class Scheduler:
    """Ticks for one application, on its own thread, and delivers on a bounded pool."""

    def __init__(self, app: Flask, tools: Tools) -> None:
        self.app = app
        self.tools = tools
        self.deliveries = Lanes(DELIVERIES, app, tools, self.wake)
        self.announcements = Lanes(ANNOUNCEMENTS, app, tools, self.wake)
        self.surveys = Lanes(SURVEYS, app, tools, self.wake)
        self.imports = Lanes(IMPORTS, app, tools, self.wake)
        self.is_closing = False
        self.ticking = Lock()
        self.is_wanted = Event()
        self.scheduler = BackgroundScheduler(timezone=UTC)

    @property
    def lanes(self) -> tuple[Lanes, ...]:
        return self.deliveries, self.announcements, self.surveys, self.imports

    def start(self) -> None:
        logging.getLogger("apscheduler").setLevel(logging.WARNING)
        with self.app.app_context():
            self._note_stall()
        self._keep_house()
        became_due.connect(self.wake)
        page_views.views_waiting.connect(self._views_are_waiting)
        self.scheduler.start()
        self.scheduler.add_job(self._keep_house, "interval", days=1, misfire_grace_time=None)
        self.wake()

    def stop(self, grace_seconds: float) -> bool:
        """Claim nothing more; let what is in flight land within the grace time. Answers whether all did."""
        became_due.disconnect(self.wake)
        page_views.views_waiting.disconnect(self._views_are_waiting)
        self.is_closing = True
        for each in self.lanes:
            each.is_closing = True
        self.scheduler.shutdown(wait=True)
        end = monotonic() + grace_seconds
        all_landed = [each.close(max(0.0, end - monotonic())) for each in self.lanes]
        self._flush_views()
        return all(all_landed)

    def wake(self, _sender: Any = None) -> None:
        """Look now. Any number of calls while a look is under way make one more look after it."""
        self.is_wanted.set()
        self._set("wake", datetime.now(UTC))

    def tick(self) -> None:
        """One look at the rows, after which the timer is set for the next due moment, whatever happened."""
        with self.ticking:
            self.is_wanted.clear()
            try:
                with self.app.app_context():
                    moment = self._look()
            except Exception:
                log.exception("the clock stumbled; it looks again in a second")
                moment = self.tools.now() + STUMBLE
            self._set("timer", moment)

    def _set(self, job: str, moment: datetime) -> None:
        """Two jobs, so that setting the timer can never overwrite a wake."""
        if self.is_closing:
            return
        self.scheduler.add_job(
            self.tick if job == "timer" else self._tick_if_wanted,
            "date",
            run_date=moment,
            id=job,
            replace_existing=True,
            misfire_grace_time=None,
            max_instances=1000,
        )

    def _tick_if_wanted(self) -> None:
        if self.is_wanted.is_set():
            self.tick()

    def _look(self) -> datetime:
        publish_all_due(self.tools)
        self.deliveries.open_due()
        manage.announce(self.tools)
        self.announcements.open_due()
        self.surveys.open_due()
        self.imports.open_due()
        with transaction():
            heartbeat(self.tools.now())
        return self._next_moment()

    def _next_moment(self) -> datetime:
        now = self.tools.now()
        moments = [next_scheduled_at(), *(each.next_due_at() for each in self.lanes)]
        return max(min([moment for moment in moments if moment] + [now + LONGEST_SLEEP]), now)

    def _note_stall(self) -> None:
        """Say so if nothing ticked for a while: the machine was off, or we were."""
        now, last = self.tools.now(), last_heartbeat()
        if last is not None and now - last > STALLED_AFTER:
            with transaction():
                record("clock.stalled", now, since=stamp(last))

    def _keep_house(self) -> None:
        """At start, and once a day."""
        with self.app.app_context():
            run_daily_maintenance(self.tools)

    def _views_are_waiting(self, _sender: Any = None) -> None:
        self.scheduler.add_job(
            self._flush_views,
            "date",
            run_date=datetime.now(UTC) + VIEWS_WAIT,
            id="views",
            replace_existing=True,
            misfire_grace_time=None,
            max_instances=1000,
        )

    def _flush_views(self) -> None:
        with self.app.app_context():
            try:
                page_views.flush_views()
            except Busy as error:
                log.warning("views could not be written: %s", error)
                if not self.is_closing:
                    self._views_are_waiting()


class Lanes:
    """At most one worker per lane, so that a slow platform or subscriber holds up nobody but itself."""

    def __init__(self, traffic: Traffic, app: Flask, tools: Tools, when_free: Callable[[], None]) -> None:
        self.traffic = traffic
        self.app = app
        self.tools = tools
        self.when_free = when_free
        self.is_closing = False
        self.lock = Lock()
        self.futures: dict[str, Future[None]] = {}
        self.pool = ThreadPoolExecutor(traffic.width(tools), thread_name_prefix="lane")

    def open_due(self) -> None:
        """Set a worker on every lane that has something due, and settle what dead ones left behind."""
        self.traffic.expire_leases(self.tools)
        for lane in self.traffic.due_lanes(self.tools.now()):
            self.open(lane)

    def next_due_at(self) -> datetime | None:
        """When the next thing is due; lanes at work speak for themselves."""
        return self.traffic.next_due_at(self.running())

    def open(self, lane: str) -> None:
        with self.lock:
            if lane not in self.futures and not self.is_closing:
                self.futures[lane] = self.pool.submit(self._work, lane)

    def running(self) -> set[str]:
        with self.lock:
            return set(self.futures)

    def close(self, grace_seconds: float) -> bool:
        self.is_closing = True
        with self.lock:
            futures = list(self.futures.values())
        late = wait(futures, timeout=grace_seconds).not_done
        self.pool.shutdown(wait=False, cancel_futures=True)
        return not late

    def _work(self, lane: str) -> None:
        try:
            with self.app.app_context():
                while not self.is_closing and self.traffic.send_next(lane, self.tools):
                    pass
        except Exception:
            log.exception("the lane of %s stumbled; its rows say where to go on", lane)
            sleep(STUMBLE.total_seconds())
        finally:
            with self.lock:
                del self.futures[lane]
            self.when_free()


def publish_all_due(tools: Tools) -> None:
    window = timedelta(hours=tools.config.missed_after_hours)
    while publishing.publish_due(tools.now(), window):
        db.session.expunge_all()


def run_daily_maintenance(tools: Tools) -> None:
    """Follow zones whose rules changed, and forget what has been kept for long enough."""
    now = tools.now()
    publishing.update_wall_times()
    editing.empty_trash(now)
    with transaction():
        delete_old_events(now)
        delete_expired_responses(now)
    manage.delete_old(now)
    images.remove_orphans(tools.config, now)
    importing.delete_old_imports(now, tools.config)


def one_pass(app: Flask, tools: Tools) -> None:
    """Everything that is due now, published, delivered and announced once: for those who let cron tick.

    House is kept as well, where a day has begun since the last pass.
    """
    with app.app_context():
        last = last_heartbeat()
        publish_all_due(tools)
        with transaction():
            heartbeat(tools.now())
        if last is None or last.date() != tools.now().date():
            run_daily_maintenance(tools)
    _send_due(DELIVERIES, app, tools)
    with app.app_context():
        manage.announce(tools)
    _send_due(ANNOUNCEMENTS, app, tools)
    _send_due(SURVEYS, app, tools)
    _send_due(IMPORTS, app, tools)


def _send_due(traffic: Traffic, app: Flask, tools: Tools) -> None:
    once = Lanes(traffic, app, tools, lambda: None)
    with app.app_context():
        once.open_due()
    once.pool.shutdown(wait=True)
