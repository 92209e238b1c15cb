"""The time by which posts are published, and what to do when the system time was set."""

from __future__ import annotations

import logging
from datetime import datetime

from blogsvc.connections.ask_time import ask_time
from blogsvc.context import Tools
from blogsvc.lib.clocks import MIN_LEAP, Reading, is_synchronised
from blogsvc.models import nouns, transaction
from blogsvc.models.clock import keep_clocks, last_clocks, last_server_dates
from blogsvc.models.due_posts import next_scheduled_at
from blogsvc.models.setting import heartbeat, last_heartbeat
from blogsvc.posts import clock_jumps

log = logging.getLogger(__name__)


def check_clock(tools: Tools) -> None:
    """Deal with a system time that was set since the last reading, also if nothing ran then, or that is in doubt.

    In the first pass of a boot, nothing is known about the time before it.
    """
    reading, last = tools.clocks(), _last_reading(tools)
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


def _last_reading(tools: Tools) -> Reading | None:
    """Return the last reading in this boot; None if another machine has led since, which would have noticed a leap."""
    last, beat_at = last_clocks(tools.boot), last_heartbeat()
    return None if last is None or beat_at is None or abs(last.at - beat_at) >= MIN_LEAP else last


def _resolve_doubt(reading: Reading, tools: Tools) -> None:
    """Ask other servers for the time if a post is due and none has said it, or if the post waits for their time."""
    dates = tools.http.dates
    is_in_doubt = not dates.said or time_for_schedules(tools) < reading.at
    if is_in_doubt and dates.is_time_to_ask() and (at := next_scheduled_at()) is not None and at <= reading.at:
        dates.asked_at = reading.seconds
        ask_time(tools)


def beat(tools: Tools) -> None:
    """Record that the scheduler is running, and what the clocks say."""
    with transaction(nouns.HEARTBEAT):
        heartbeat(tools.now())
        keep_clocks(tools.clocks(), tools.http.dates.said)


def time_for_schedules(tools: Tools) -> datetime:
    """Return the time until which scheduled posts are due: that of other servers if the system time is ahead of it."""
    now = tools.now()
    ahead = tools.http.dates.ahead(now)
    return now if ahead is None or ahead < MIN_LEAP else now - ahead
