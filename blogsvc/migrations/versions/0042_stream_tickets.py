"""Tickets for the event stream, which were signed and not stored before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "stream_ticket",
        sa.Column("hash", sa.LargeBinary(32), nullable=False),
        sa.Column("key_id", sa.String(40), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("opened_from", sa.String(50), nullable=True),
        sa.ForeignKeyConstraint(["key_id"], ["api_key.id"], name="fk_stream_ticket_key_id_api_key", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hash", name="pk_stream_ticket"),
    )
    op.create_index("ix_stream_ticket_key_id", "stream_ticket", ["key_id"])
    op.create_index("ix_stream_ticket_created_at", "stream_ticket", ["created_at"])


def downgrade() -> None:
    op.drop_table("stream_ticket")
