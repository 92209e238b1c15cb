"""One pass of everything that is due, for installations that use cron."""

from __future__ import annotations

from flask import Flask

from blogsvc.analytics import rollup
from blogsvc.analytics.delivery_rollup import roll_up_deliveries
from blogsvc.connections.adopt import adopt_all
from blogsvc.context import Tools
from blogsvc.delivery import after_kill
from blogsvc.models.setting import last_heartbeat
from blogsvc.notices.gather import gather
from blogsvc.scheduler.clock import beat, check_clock
from blogsvc.scheduler.due_posts import publish_all_due
from blogsvc.scheduler.lanes import Lanes
from blogsvc.scheduler.maintenance import run_daily_maintenance
from blogsvc.scheduler.traffic import ANNOUNCEMENTS, DELIVERIES, IMPORTS, INDEX_NOW, NOTICES, SEARCHES, SURVEYS, Traffic
from blogsvc.webhooks import announce


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
    _send_due(INDEX_NOW, app, tools)
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
