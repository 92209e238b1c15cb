"""Verify connections with a wrong address again without a person."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("connection") as batch:
        batch.add_column(sa.Column("verify_at", sa.DateTime(timezone=True), nullable=True))
        batch.add_column(sa.Column("verify_count", sa.Integer(), nullable=False, server_default="0"))
    with op.batch_alter_table("connection") as batch:
        batch.alter_column("verify_count", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("connection") as batch:
        batch.drop_column("verify_count")
        batch.drop_column("verify_at")
