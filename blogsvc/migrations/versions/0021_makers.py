"""Who made a key, a webhook, an invitation or a connection, and who has taken over a webhook or a connection."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

MADE = ("api_key", "webhook", "invitation", "connection")
ADOPTABLE = ("webhook", "connection")


def upgrade() -> None:
    for table in MADE:
        op.add_column(table, sa.Column("created_by", sa.String(length=40)))
    for table in ADOPTABLE:
        op.add_column(table, sa.Column("adopted_by", sa.String(length=40)))


def downgrade() -> None:
    for table in ADOPTABLE:
        op.drop_column(table, "adopted_by")
    for table in MADE:
        op.drop_column(table, "created_by")
