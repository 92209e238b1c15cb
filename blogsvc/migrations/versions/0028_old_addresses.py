"""The addresses of imported blogs, and the ids of posts in their feeds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "old_address",
        sa.Column("address", sa.String(length=500), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=True),
        sa.Column("media_id", sa.String(length=40), nullable=True),
        sa.Column("tag", sa.String(length=100), nullable=True),
        sa.Column("page", sa.String(length=100), nullable=True),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_old_address_post_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_old_address_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("address", name="pk_old_address"),
    )
    op.create_index("ix_old_address_post_id", "old_address", ["post_id"])
    op.create_index("ix_old_address_media_id", "old_address", ["media_id"])
    op.add_column("post", sa.Column("feed_id", sa.String(length=500), nullable=True))
    op.add_column("import_job", sa.Column("old_addresses", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("import_job", "old_addresses")
    op.drop_column("post", "feed_id")
    op.drop_table("old_address")
