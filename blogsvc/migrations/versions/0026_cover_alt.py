"""The alt text of a post's cover image."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("post", "revision"):
        op.add_column(table, sa.Column("cover_alt", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    for table in ("post", "revision"):
        op.drop_column(table, "cover_alt")
