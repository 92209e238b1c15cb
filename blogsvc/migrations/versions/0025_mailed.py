"""When subscribers were e-mailed, remembered beyond the copy."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("delivery", sa.Column("mailed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("delivery", sa.Column("is_mail_spent", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column("delivery", "is_mail_spent")
    op.drop_column("delivery", "mailed_at")
