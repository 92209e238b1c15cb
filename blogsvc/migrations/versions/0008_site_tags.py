"""The tags that readers see, as labels beside those of the working copy."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

FILL = {
    "sqlite": "INSERT INTO post_label (kind, value, post_id) SELECT DISTINCT 'site_tag', tag.value, post.id FROM post"
    " JOIN revision ON revision.id = post.site_revision_id, json_each(revision.tags) AS tag"
    " WHERE post.deleted_at IS NULL",
    "postgresql": "INSERT INTO post_label (kind, value, post_id) SELECT DISTINCT 'site_tag', tag.value, post.id"
    " FROM post JOIN revision ON revision.id = post.site_revision_id,"
    " json_array_elements_text(revision.tags) AS tag(value) WHERE post.deleted_at IS NULL",
}


def upgrade() -> None:
    op.execute(FILL[op.get_bind().dialect.name])


def downgrade() -> None:
    op.execute("DELETE FROM post_label WHERE kind = 'site_tag'")
