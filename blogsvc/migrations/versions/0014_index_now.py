"""Search engines are told about changed pages (IndexNow)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "index_now",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("is_on", sa.Boolean, nullable=False),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True)),
        sa.Column("failure_count", sa.Integer, nullable=False),
        sa.Column("told_at", sa.DateTime(timezone=True)),
        sa.Column("told_urls", sa.Integer),
        sa.Column("told_status", sa.Integer),
        sa.Column("failed_at", sa.DateTime(timezone=True)),
        sa.Column("problem", sa.Text),
    )
    op.create_table(
        "changed_page",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("slug", sa.String(100), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("fence", sa.Integer),
    )
    op.create_index("ix_changed_page_fence", "changed_page", ["fence"])


def downgrade() -> None:
    op.drop_table("changed_page")
    op.drop_table("index_now")
