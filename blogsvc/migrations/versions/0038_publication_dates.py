"""The publication date that a client sets for a post before it is published."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("post", sa.Column("dated_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("post", "dated_at")
