"""Links to drafts, and the comments of the people who have them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "share_link",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("created_by", sa.String(length=40), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_revoked", sa.Boolean(), nullable=False),
        sa.Column("last_opened_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("open_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_share_link_post_id_post", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_share_link"),
        sa.UniqueConstraint("hash", name="uq_share_link_hash"),
    )
    for column in ("post_id", "created_by", "expires_at"):
        op.create_index(f"ix_share_link_{column}", "share_link", [column])
    op.create_table(
        "draft_comment",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("link_id", sa.String(length=40), nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("quote", sa.String(length=300), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_draft_comment_post_id_post", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["link_id"], ["share_link.id"], name="fk_draft_comment_link_id_share_link", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_draft_comment"),
    )
    for column in ("post_id", "link_id"):
        op.create_index(f"ix_draft_comment_{column}", "draft_comment", [column])


def downgrade() -> None:
    op.drop_table("draft_comment")
    op.drop_table("share_link")
