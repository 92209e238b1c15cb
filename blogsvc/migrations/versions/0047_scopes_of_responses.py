"""The scopes that a stored response needed, which are checked again when it is returned again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("idempotent_response") as batch:
        batch.add_column(sa.Column("scopes", sa.JSON(), nullable=False, server_default="[]"))
    with op.batch_alter_table("idempotent_response") as batch:
        batch.alter_column("scopes", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("idempotent_response") as batch:
        batch.drop_column("scopes")
