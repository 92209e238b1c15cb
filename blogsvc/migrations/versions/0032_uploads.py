"""The images that each connection has uploaded to its platform."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "upload",
        sa.Column("connection_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("uploaded_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connection.id"], name="fk_upload_connection_id_connection", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("connection_id", "name", name="pk_upload"),
    )
    op.create_index("ix_upload_uploaded_at", "upload", ["uploaded_at"])


def downgrade() -> None:
    op.drop_table("upload")
