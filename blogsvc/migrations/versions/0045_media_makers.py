"""Who uploaded an image. Images from before belong to nobody, so that only editors and owners change them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("media", sa.Column("created_by", sa.String(40), nullable=True))


def downgrade() -> None:
    op.drop_column("media", "created_by")
