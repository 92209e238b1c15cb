"""What the processes that share a database have to share besides it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("process", sa.Column("shared_settings", sa.JSON, nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("process", "shared_settings")
