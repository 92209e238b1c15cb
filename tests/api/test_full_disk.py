"""A full disk: a clear response, no partial change, and normal operation once there is space again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from flask import Flask
from sqlalchemy import event

from blogsvc.models import db
from tests.api_client import Api


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


@pytest.mark.sqlite("only its file can be limited; PostgreSQL errors are in tests/models/test_database.py")
def test_a_full_disk_returns_503_changes_nothing_and_recovers(app: Flask, api: Api) -> None:
    post = api.post("/posts", title="Kept", content="Words.").json

    with full_disk(app):
        refused = api.put(f"/posts/{post['id']}", title="Too much", content="x" * 500_000)
        assert refused.status_code == 503
        assert refused.headers["Retry-After"] == "1"
        assert api.get(f"/posts/{post['id']}").json["title"] == "Kept"

    assert api.put(f"/posts/{post['id']}", title="Room again", content="x" * 500_000).status_code == 200
