"""The processes that share a database."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "process",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("host", sa.String(100), nullable=False),
        sa.Column("version", sa.String(40), nullable=False),
        sa.Column("key_fingerprint", sa.String(16), nullable=False),
        sa.Column("seconds_ahead", sa.Double, nullable=False),
        sa.Column("lane_count", sa.Integer, nullable=False),
        sa.Column("is_consuming", sa.Boolean, nullable=False),
        sa.Column("missing", sa.JSON, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("process")
