"""Withdrawn copies that are kept on their platform as drafts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

COLUMNS = ("is_draft", "is_deletion_wanted")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("delivery", sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    for name in COLUMNS:
        op.drop_column("delivery", name)
