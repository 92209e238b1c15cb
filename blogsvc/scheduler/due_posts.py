"""Publish the posts that are due."""

from __future__ import annotations

from datetime import timedelta

from blogsvc.context import Tools
from blogsvc.models import db
from blogsvc.posts import publishing, undo
from blogsvc.scheduler.clock import time_for_schedules


def publish_all_due(tools: Tools) -> bool:
    """Publish everything that is due. Returns True if any post was."""
    is_any = False
    window = timedelta(hours=tools.config.missed_after_hours)
    while publishing.publish_due(time_for_schedules(tools), window):
        is_any = True
        db.session.expunge_all()
    while undo.publish_pending(tools.now()):
        is_any = True
        db.session.expunge_all()
    return is_any
