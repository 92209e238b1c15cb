"""When the content of a post on the blog last changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

# So far, every new revision on the blog counted as a change.
FILL = (
    "UPDATE post SET content_changed_at ="
    " (SELECT revision.created_at FROM revision WHERE revision.id = post.site_revision_id)"
    " WHERE site_revision_id IS NOT NULL"
)


def upgrade() -> None:
    op.add_column("post", sa.Column("content_changed_at", sa.DateTime(timezone=True)))
    op.execute(FILL)


def downgrade() -> None:
    op.drop_column("post", "content_changed_at")
