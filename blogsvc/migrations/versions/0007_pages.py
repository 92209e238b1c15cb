"""Pages, pinned and unlisted posts, captions of covers, and titles for search engines."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

TABLES = ("post", "revision")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("cover_caption", sa.Text, nullable=False, server_default=""))
        op.add_column(table, sa.Column("kind", sa.String(10), nullable=False, server_default="post"))
        op.add_column(table, sa.Column("is_pinned", sa.Boolean, nullable=False, server_default=sa.false()))
        op.add_column(table, sa.Column("is_unlisted", sa.Boolean, nullable=False, server_default=sa.false()))
        op.add_column(table, sa.Column("meta_title", sa.Text, nullable=False, server_default=""))
    is_page, is_pinned = sa.text("kind = 'page'"), sa.text("is_pinned")
    op.create_index("ix_post_page", "post", ["created_at", "id"], sqlite_where=is_page, postgresql_where=is_page)
    op.create_index("ix_revision_pinned", "revision", ["post_id"], sqlite_where=is_pinned, postgresql_where=is_pinned)


def downgrade() -> None:
    op.drop_index("ix_revision_pinned", "revision")
    op.drop_index("ix_post_page", "post")
    for table in TABLES:
        for column in ("meta_title", "is_unlisted", "is_pinned", "kind", "cover_caption"):
            op.drop_column(table, column)
