"""The slugs at which the blog has shown a post: only these are addresses.

Until now, every former slug of a published post was one. The slugs of posts that were published count as shown, except
a new slug of the working copy.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

_SHOWN = """
UPDATE post_slug SET was_shown = true WHERE post_id IN (SELECT id FROM post WHERE published_at IS NOT NULL)
AND NOT EXISTS (
  SELECT 1 FROM post JOIN revision ON revision.id = post.site_revision_id
  WHERE post.id = post_slug.post_id AND post.slug = post_slug.slug AND revision.slug != post.slug
)
"""


def upgrade() -> None:
    with op.batch_alter_table("post_slug") as batch:
        batch.add_column(sa.Column("was_shown", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute(_SHOWN)
    with op.batch_alter_table("post_slug") as batch:
        batch.alter_column("was_shown", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("post_slug") as batch:
        batch.drop_column("was_shown")
