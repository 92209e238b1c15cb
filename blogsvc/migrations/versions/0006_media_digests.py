"""Which images are the same file, and which ones posts show without alternative text."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("media", sa.Column("digest", sa.String(64)))
    op.create_index("ix_media_digest", "media", ["digest"])
    # As it was counted before, until the post is saved again.
    op.add_column("media_use", sa.Column("lacks_alt", sa.Boolean, nullable=False, server_default=sa.true()))


def downgrade() -> None:
    op.drop_column("media_use", "lacks_alt")
    op.drop_index("ix_media_digest", "media")
    op.drop_column("media", "digest")
