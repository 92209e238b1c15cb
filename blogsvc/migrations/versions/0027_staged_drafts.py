"""Drafts on platforms, made from scheduled posts before their time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "staged_draft",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("connection_id", sa.String(length=40), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("revision_id", sa.String(length=40), nullable=True),
        sa.Column("payload_hash", sa.String(length=64), nullable=False),
        sa.Column("keys", sa.JSON(), nullable=False),
        sa.Column("remote_id", sa.String(length=2000), nullable=True),
        sa.Column("url", sa.String(length=2000), nullable=True),
        sa.Column("version", sa.String(length=500), nullable=True),
        sa.Column("extra", sa.JSON(), nullable=False),
        sa.Column("is_in_doubt", sa.Boolean(), nullable=False),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failure_count", sa.Integer(), nullable=False),
        sa.Column("error_detail", sa.String(length=2000), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_owner", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connection.id"], name="fk_staged_draft_connection_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_staged_draft_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_staged_draft"),
        sa.UniqueConstraint("post_id", "connection_id", name="uq_staged_draft_post_id_connection_id"),
    )
    for column in ("state", "connection_id"):
        op.create_index(f"ix_staged_draft_{column}", "staged_draft", [column])


def downgrade() -> None:
    op.drop_table("staged_draft")
