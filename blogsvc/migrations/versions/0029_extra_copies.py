"""Extra copies of a post on a platform, and the searches for them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "copy_search",
        sa.Column("delivery_id", sa.String(length=40), nullable=False),
        sa.Column("keys", sa.JSON(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("search_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["delivery_id"], ["delivery.id"], name="fk_copy_search_delivery_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("delivery_id", name="pk_copy_search"),
    )
    op.create_index("ix_copy_search_search_at", "copy_search", ["search_at"])
    op.create_table(
        "extra_copy",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("delivery_id", sa.String(length=40), nullable=False),
        sa.Column("remote_id", sa.String(length=2000), nullable=False),
        sa.Column("url", sa.String(length=2000), nullable=True),
        sa.Column("version", sa.String(length=500), nullable=True),
        sa.Column("extra", sa.JSON(), nullable=False),
        sa.Column("found_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_unwanted", sa.Boolean(), nullable=False),
        sa.Column("is_kept", sa.Boolean(), nullable=False),
        sa.Column("error_detail", sa.String(length=2000), nullable=True),
        sa.ForeignKeyConstraint(["delivery_id"], ["delivery.id"], name="fk_extra_copy_delivery_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_extra_copy"),
        sa.UniqueConstraint("delivery_id", "remote_id", name="uq_extra_copy_delivery_id_remote_id"),
    )
    # How many extra copies the author has to decide about.
    op.add_column("delivery", sa.Column("extra_count", sa.Integer(), server_default="0", nullable=False))
    condition = sa.text("extra_count > 0")
    op.create_index(
        "ix_delivery_duplicated", "delivery", ["extra_count"], sqlite_where=condition, postgresql_where=condition
    )


def downgrade() -> None:
    op.drop_index("ix_delivery_duplicated", "delivery")
    op.drop_column("delivery", "extra_count")
    op.drop_table("extra_copy")
    op.drop_table("copy_search")
