"""The counters of attempts, such as to sign in, which each process kept in its memory before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "attempt_counter",
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_attempt_counter"),
    )
    op.create_index("ix_attempt_counter_ends_at", "attempt_counter", ["ends_at"])


def downgrade() -> None:
    op.drop_table("attempt_counter")
