"""Switch IndexNow on and off, and say how it goes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from blogsvc.lib.net.ip_rules import is_public_host
from blogsvc.models import transaction
from blogsvc.models.index_now import IndexNow, forget_changes


def is_on() -> bool:
    """Return True if search engines are told about changes."""
    row = IndexNow.find()
    return row is not None and row.is_on


def switch(*, on: bool) -> None:
    """Tell search engines about changes from now on, or not any more. The key is made once."""
    with transaction():
        row = IndexNow.find(is_locked=True) or (IndexNow.add() if on else None)
        if row is None or row.is_on == on:
            return
        row.is_on, row.problem, row.not_before, row.failure_count = on, None, None, 0
        forget_changes()


def public_key() -> str | None:
    """Return the key that search engines look up; None while IndexNow is off."""
    row = IndexNow.find()
    return row.key if row is not None and row.is_on else None


@dataclass(frozen=True)
class Report:
    """How it went: the last request that succeeded, and the last failure after it.

    `not_before` is the time of the next try of a request that failed; None if there is none.
    """

    can_be_told: bool
    told_at: datetime | None
    told_urls: int | None
    told_status: int | None
    failed_at: datetime | None
    problem: str | None
    not_before: datetime | None


def report(public_url: str) -> Report | None:
    """Return how it goes; None while IndexNow is off."""
    row = IndexNow.find()
    if row is None or not row.is_on:
        return None
    told, failed = (
        (row.told_at, row.told_urls, row.told_status),
        (row.failed_at, row.problem, row.not_before if row.failure_count else None),
    )
    return Report(can_be_told(public_url), *told, *failed)


def can_be_told(public_url: str) -> bool:
    """Return True if search engines can reach the blog, so that they may be told about it."""
    return is_public_host(urlsplit(public_url).hostname or "")
