"""Tags have a title, a description and a cover image on their pages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tag_page",
        sa.Column("tag", sa.String(100), primary_key=True),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("cover_image", sa.String(2000)),
    )


def downgrade() -> None:
    op.drop_table("tag_page")
