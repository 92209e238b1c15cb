"""The schema that migrations make is the one that the models speak of."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask import Flask
from flask_migrate import downgrade, upgrade

from blogsvc.models import Post, db
from blogsvc.models.base import Base
from blogsvc.models.event import timeline
from blogsvc.models.search import MADE_BY_HAND


def test_the_migrations_leave_nothing_out_that_the_models_have(app: Flask) -> None:
    with db.engine.connect() as connection:
        options = {"include_name": lambda name, *_: not (name or "").startswith(MADE_BY_HAND)}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata) == []


def test_the_migrations_can_be_taken_back_and_made_again(app: Flask, instance: Path) -> None:
    db.session.remove()
    downgrade(revision="base")
    tables = sqlite3.connect(instance / "blogsvc.db")
    assert tables.execute("SELECT name FROM sqlite_master WHERE name = 'post'").fetchall() == []
    upgrade()
    assert tables.execute("SELECT count(*) FROM post").fetchone() == (0,)
    tables.close()


def test_events_keep_their_order_through_the_migration_that_numbers_them(
    app: Flask, a_post: Callable[..., Post]
) -> None:
    post_id = a_post(live=True).id
    before = [(event.id, event.type, event.data) for event in timeline(post_id)]
    db.session.remove()
    downgrade(revision="0001")
    upgrade()
    assert [(event.id, event.type, event.data) for event in timeline(post_id)] == before
    assert len(before) > 2
