"""Until when a request without an answer may still be executed by the platform."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("delivery", sa.Column("late_until", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("delivery", "late_until")
