"""Deliveries have versions of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("delivery", sa.Column("document_version", sa.BigInteger, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("delivery", "document_version")
