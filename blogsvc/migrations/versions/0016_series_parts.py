"""An index of the parts of series, to find posts with the same number."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

IS_NUMBERED = sa.text("series_part IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        "ix_post_part", "post", ["series", "series_part"], sqlite_where=IS_NUMBERED, postgresql_where=IS_NUMBERED
    )


def downgrade() -> None:
    op.drop_index("ix_post_part", "post")
