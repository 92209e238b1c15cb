"""An index on the views by hour that holds all that a list of posts reads."""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

NAME = "ix_view_hour_hour_post_id_views_visitors"


def upgrade() -> None:
    op.drop_index("ix_view_hour_hour", "view_hour")
    op.create_index(NAME, "view_hour", ["hour", "post_id", "views", "visitors"])


def downgrade() -> None:
    op.drop_index(NAME, "view_hour")
    op.create_index("ix_view_hour_hour", "view_hour", ["hour"])
