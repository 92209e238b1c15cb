"""An index of drafts in the order of their list."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

IS_DRAFT = sa.text("state || '' IN ('draft', 'unpublished') AND deleted_at IS NULL")


def upgrade() -> None:
    op.create_index("ix_post_draft", "post", ["updated_at", "id"], sqlite_where=IS_DRAFT, postgresql_where=IS_DRAFT)


def downgrade() -> None:
    op.drop_index("ix_post_draft", "post")
