"""Which of the processes on a PostgreSQL leads: it alone does what one process can do for all of them.

It leads until a time that it moves ahead again and again. Everything stays right without a leader, or with two for a
moment: all changes are conditional. With one, there is less to do.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from blogsvc.lib.time import parse, stamp
from blogsvc.models import nouns
from blogsvc.models.setting import Setting
from blogsvc.models.transactions import transaction

# How long a process leads without renewing it: the longest time without a leader.
TERM = timedelta(seconds=15)


class Leader(NamedTuple):
    """The process that leads, the number of leaders before it, and until when."""

    process: str
    term: int
    until: datetime


def leader(now: datetime) -> Leader | None:
    """Return the leader, or None if nobody leads.

    A term that ends too late was begun before the time of the database was set back, so it counts as over.
    """
    found = _stored()
    return found if found is not None and now < found.until <= now + 2 * TERM else None


def lead(process: str, now: datetime) -> bool:
    """Lead for a `TERM` from now on, or go on leading. Return False if another process leads."""
    with transaction(nouns.LEADER):
        current, last = leader(now), _stored()
        if current is not None and current.process != process:
            return False
        number = last.term + (last.process != process) if last is not None else 1
        _store(Leader(process, number, now + TERM))
        return True


def resign(processes: Collection[str], now: datetime) -> None:
    """Let another process lead, if one of these does."""
    last = leader(now)
    if last is None or last.process not in processes:
        return
    with transaction(nouns.LEADER):
        last = leader(now)
        if last is not None and last.process in processes:
            _store(last._replace(until=now))


def _stored() -> Leader | None:
    row = Setting.read("leader")
    return None if row is None else Leader(row["process"], row["term"], parse(row["until"]))


def _store(leader: Leader) -> None:
    Setting.write("leader", {"process": leader.process, "term": leader.term, "until": stamp(leader.until)})
