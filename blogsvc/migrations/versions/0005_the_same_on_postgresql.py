"""the same on PostgreSQL as on SQLite: order of titles and names, partial indexes, room for views"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

SORTED = (("post", "title", 300), ("revision", "title", 300), ("connection", "name", 64))
PARTIAL = (
    ("ix_post_due", ["scheduled_at"], "state = 'scheduled' AND deleted_at IS NULL"),
    ("ix_post_on_site", ["published_at", "id"], "site_revision_id IS NOT NULL"),
)


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    for table, column, length in SORTED:
        op.alter_column(table, column, type_=sa.String(length, collation="C"))
    for name, columns, where in PARTIAL:
        op.drop_index(name, table_name="post")
        op.create_index(name, "post", columns, postgresql_where=sa.text(where))
    op.alter_column("view", "id", type_=sa.BigInteger())
    op.execute("ALTER SEQUENCE view_id_seq AS bigint")


def downgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    op.execute("ALTER SEQUENCE view_id_seq AS integer")
    op.alter_column("view", "id", type_=sa.Integer())
    for name, columns, _ in PARTIAL:
        op.drop_index(name, table_name="post")
        op.create_index(name, "post", columns)
    for table, column, length in SORTED:
        op.alter_column(table, column, type_=sa.String(length, collation="default"))
