"""The schema that migrations make is the one that the models speak of."""

from __future__ import annotations

from collections.abc import Callable

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask import Flask
from flask_migrate import downgrade, upgrade
from sqlalchemy import func, inspect, select

from blogsvc.models import Post, db
from blogsvc.models.base import Base
from blogsvc.models.event import timeline
from blogsvc.models.post_search import MADE_BY_HAND


def test_the_migrations_leave_nothing_out_that_the_models_have(app: Flask) -> None:
    with db.engine.connect() as connection:
        options = {"include_name": lambda name, *_: not (name or "").startswith(MADE_BY_HAND)}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata) == []


def test_the_migrations_can_be_taken_back_and_made_again(app: Flask) -> None:
    db.session.remove()
    downgrade(revision="base")
    assert inspect(db.engine).get_table_names() == ["alembic_version"]
    upgrade()
    assert db.session.scalar(select(func.count()).select_from(Post)) == 0


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
