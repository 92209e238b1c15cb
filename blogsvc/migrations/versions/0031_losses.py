"""What platforms lost of copies, and which kinds of elements an account loses."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

IS_DEGRADED = sa.text("losses IS NOT NULL AND losses_dismissed_at IS NULL")


def upgrade() -> None:
    op.add_column("delivery", sa.Column("losses", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("delivery", sa.Column("losses_dismissed_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_delivery_degraded",
        "delivery",
        ["destination"],
        sqlite_where=IS_DEGRADED,
        postgresql_where=IS_DEGRADED,
    )
    with op.batch_alter_table("connection") as batch:
        batch.add_column(sa.Column("lost_kinds", sa.JSON(), nullable=False, server_default="[]"))
    with op.batch_alter_table("connection") as batch:
        batch.alter_column("lost_kinds", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("connection") as batch:
        batch.drop_column("lost_kinds")
    op.drop_index("ix_delivery_degraded", table_name="delivery")
    op.drop_column("delivery", "losses_dismissed_at")
    op.drop_column("delivery", "losses")
