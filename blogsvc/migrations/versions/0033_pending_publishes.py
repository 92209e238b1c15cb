"""Wishes to publish a post, which its author can still undo."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pending_publish",
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("revision_id", sa.String(length=40), nullable=False),
        sa.Column("platforms", sa.JSON(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_pending_publish_post_id_post", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["revision.id"], name="fk_pending_publish_revision_id_revision", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("post_id", name="pk_pending_publish"),
    )
    op.create_index("ix_pending_publish_due_at", "pending_publish", ["due_at"])


def downgrade() -> None:
    op.drop_table("pending_publish")
