"""Count page views on this blog, without cookies and without storing who visited.

Views are collected in memory and written in batches, so that no reader waits for the disk. A visitor is a
hash with a salt that changes daily. Old salts are deleted, so visitors can't be identified or followed across
days.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from threading import Lock
from typing import Any

from blinker import Signal
from sqlalchemy import insert, select

from blogsvc.models import PageView, Post, Setting, db, transaction

views_waiting = Signal()
_waiting: list[dict[str, Any]] = []
_lock = Lock()


def record_view(
    post_id: str | None, address: str, agent: str, referrer: str | None, may_count_visitor: bool, now: datetime
) -> None:
    """Record a page view. `address` and `agent` identify a visitor for one day and are not stored.

    `may_count_visitor` is False for Do Not Track and Global Privacy Control.
    """
    visitor = _visitor_hash(address, agent, now) if may_count_visitor else None
    row = {"post_id": post_id, "viewed_at": now, "visitor": visitor, "referrer": referrer}
    with _lock:
        _waiting.append(row)
        is_first = len(_waiting) == 1
    if not views_waiting.receivers:
        flush_views()  # no scheduler will write them later
    elif is_first:
        views_waiting.send()


def _visitor_hash(address: str, agent: str, now: datetime) -> bytes:
    return hashlib.sha256(f"{_salt(now)}|{address}|{agent}".encode()).digest()[:16]


_salt_of_today: dict[str, str] = {}


def _salt(now: datetime) -> str:
    """Return today's salt. All processes share it through the database, and it replaces yesterday's."""
    today = now.date().isoformat()
    if today not in _salt_of_today:
        with transaction():
            stored = Setting.read("visitor_salt")
            if not stored or stored["day"] != today:
                stored = {"day": today, "salt": secrets.token_hex(16)}
                Setting.write("visitor_salt", stored)
        _salt_of_today.clear()
        _salt_of_today[today] = stored["salt"]
    return _salt_of_today[today]


def flush_views() -> None:
    """Write the collected views. If that fails, they are kept for the next call."""
    with _lock:
        rows = _waiting[:]
    if not rows:
        return
    with transaction():
        known = set(db.session.scalars(select(Post.id).where(Post.id.in_({row["post_id"] for row in rows}))))
        kept = [row for row in rows if row["post_id"] is None or row["post_id"] in known]
        if kept:
            db.session.execute(insert(PageView), kept)
    with _lock:
        del _waiting[: len(rows)]
