"""Sessions say whether a second factor was used."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("session") as batch:
        batch.add_column(sa.Column("is_two_factor", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("session") as batch:
        batch.alter_column("is_two_factor", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("session") as batch:
        batch.drop_column("is_two_factor")
