"""How Alembic reaches the application's database; run through Flask-Migrate."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context
from flask import current_app

from blogsvc.models.base import Base, UtcDateTime
from blogsvc.models.database import WRITES
from blogsvc.models.post_search import MADE_BY_HAND


def render_item(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Migrations outlive our types, so they name the database's own."""
    if kind == "type" and isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    return False


def is_a_model_s(name: str | None, kind: str, _parents: Any) -> bool:
    """Whether a table or index is a model's affair; the full-text index is made by hand (0003)."""
    return not (name or "").startswith(MADE_BY_HAND)


def run() -> None:
    migrate = current_app.extensions["migrate"]
    with migrate.db.engine.connect().execution_options(**WRITES) as connection:
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            render_item=render_item,
            include_name=is_a_model_s,
            **migrate.configure_args,
        )
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()


run()
