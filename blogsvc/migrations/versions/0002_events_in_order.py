"""events in order"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

COLUMNS = "id, type, post_id, delivery_id, data, created_at"


def upgrade() -> None:
    _rebuild(sa.Column("position", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False))


def downgrade() -> None:
    _rebuild(None)


def _rebuild(position: sa.Column[int] | None) -> None:
    """Another primary key is another table; the rows move over, in the order of their ids."""
    op.execute(f"CREATE TABLE event_kept AS SELECT {COLUMNS} FROM event")  # noqa: S608 (our own words)
    op.drop_table("event")
    key: list[sa.schema.SchemaItem] = [sa.PrimaryKeyConstraint("id", name=op.f("pk_event"))]
    if position is not None:
        key = [
            position,
            sa.PrimaryKeyConstraint("position", name=op.f("pk_event")),
            sa.UniqueConstraint("id", name=op.f("uq_event_id")),
        ]
    op.create_table(
        "event",
        *key,
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=True),
        sa.Column("delivery_id", sa.String(length=40), nullable=True),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_event_post_id"), ondelete="CASCADE"),
        sqlite_autoincrement=position is not None,
    )
    op.execute(f"INSERT INTO event ({COLUMNS}) SELECT {COLUMNS} FROM event_kept ORDER BY id")  # noqa: S608
    op.drop_table("event_kept")
    last = "id" if position is None else "position"
    op.create_index(op.f("ix_event_created_at"), "event", ["created_at"])
    op.create_index(op.f(f"ix_event_post_id_{last}"), "event", ["post_id", last])
