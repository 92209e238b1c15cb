"""A full disk, as SQLite sees it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from flask import Flask
from sqlalchemy import event

from blogsvc.errors import Busy
from blogsvc.lib.time import utc_now
from blogsvc.models import db, record, transaction


@contextmanager
def full_disk(app: Flask) -> Iterator[None]:
    """Limit SQLite to its current number of pages, so that it fails with SQLITE_FULL."""

    def limit(connection: object, *_rest: object) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()  # type: ignore[attr-defined]
        connection.execute(f"PRAGMA max_page_count={pages}")  # type: ignore[attr-defined]

    db.session.remove()
    db.engine.dispose()
    event.listen(db.engine, "connect", limit)
    yield
    event.remove(db.engine, "connect", limit)
    db.session.remove()
    db.engine.dispose()


def fill_with_events() -> None:
    """Record events until there is no room for one more: pages that exist still have some."""
    with suppress(Busy):
        while True:
            with transaction():
                record("scheduler.stalled", utc_now())
