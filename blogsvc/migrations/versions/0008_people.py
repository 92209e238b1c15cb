"""people"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "person",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.Column("preferences", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("email", name=op.f("uq_person_email")),
    )
    op.create_table(
        "session",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("user_agent", sa.String(length=300), nullable=False),
        sa.Column("address", sa.String(length=45), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_session_person_id_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session")),
        sa.UniqueConstraint("hash", name=op.f("uq_session_hash")),
    )
    op.create_index(op.f("ix_session_person_id"), "session", ["person_id"])
    op.add_column("post", sa.Column("author_id", sa.String(length=40), nullable=True))
    op.create_index(op.f("ix_post_author_id_created_at_id"), "post", ["author_id", "created_at", "id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_post_author_id_created_at_id"), "post")
    op.drop_column("post", "author_id")
    op.drop_table("session")
    op.drop_table("person")
