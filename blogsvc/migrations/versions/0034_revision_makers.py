"""Who wrote a revision, and when an autosave last changed it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("revision", sa.Column("created_by", sa.String(length=40)))
    op.add_column("revision", sa.Column("updated_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("revision", "updated_at")
    op.drop_column("revision", "created_by")
