"""slots"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "slot",
        sa.Column("weekday", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("time", sa.String(length=5), nullable=False),
        sa.PrimaryKeyConstraint("weekday", "time", name=op.f("pk_slot")),
    )


def downgrade() -> None:
    op.drop_table("slot")
