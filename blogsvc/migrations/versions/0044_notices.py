"""Notices of what needs a person. On an existing database, they start at its newest event."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(40), nullable=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failure_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_notice_user_id_user", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_notice"),
    )
    op.create_index("ix_notice_due_at", "notice", ["due_at"])
    op.create_index("ix_notice_user_id_kind", "notice", ["user_id", "kind"], unique=True)
    op.create_table(
        "notice_position",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_notice_position"),
    )
    op.execute("INSERT INTO notice_position (id, position) SELECT 1, max(position) FROM event HAVING count(*) > 0")


def downgrade() -> None:
    op.drop_table("notice_position")
    op.drop_table("notice")
    op.execute("DELETE FROM setting WHERE name = 'mail_failure'")
