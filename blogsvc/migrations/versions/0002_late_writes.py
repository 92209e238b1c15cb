"""Deliveries know their late writes and when their copy was created."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("delivery", sa.Column("late_writes", sa.JSON))
    op.add_column("delivery", sa.Column("first_delivered_at", sa.DateTime(timezone=True)))
    op.execute("UPDATE delivery SET first_delivered_at = delivered_at WHERE remote_id IS NOT NULL")


def downgrade() -> None:
    op.drop_column("delivery", "first_delivered_at")
    op.drop_column("delivery", "late_writes")
