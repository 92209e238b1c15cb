"""Series of posts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "series",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("slug", sa.String(100), nullable=False, unique=True),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("cover_image", sa.String(2000)),
        sa.Column("is_complete", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    for table in ("post", "revision"):
        op.add_column(table, sa.Column("series", sa.String(100)))
        op.add_column(table, sa.Column("series_part", sa.Integer))


def downgrade() -> None:
    op.execute("DELETE FROM post_label WHERE kind = 'site_in'")
    for table in ("post", "revision"):
        op.drop_column(table, "series_part")
        op.drop_column(table, "series")
    op.drop_table("series")
