"""Views that are stored in one row if they are equal, and an index by visitor, which replaces rolled_up_visitor."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

SETTINGS = sa.table("setting", sa.column("name"), sa.column("value", sa.JSON))


def upgrade() -> None:
    op.add_column("page_view", sa.Column("views", sa.Integer(), server_default="1", nullable=False))
    op.create_index("ix_page_view_visitor", "page_view", ["visitor"])
    op.drop_table("rolled_up_visitor")


def downgrade() -> None:
    database = op.get_bind()
    database.execute(sa.delete(SETTINGS).where(SETTINGS.c.name == "view_rows"))
    is_progress = SETTINGS.c.name == "view_rollups"
    progress = database.scalar(sa.select(SETTINGS.c.value).where(is_progress))
    if progress:
        times = {name: progress[name] for name in ("since", "until")}
        database.execute(sa.update(SETTINGS).where(is_progress).values(value=times))
    op.create_table(
        "rolled_up_visitor",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("post_id", sa.String(length=30), nullable=True),
        sa.Column("visitor", sa.LargeBinary(length=16), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_rolled_up_visitor_post_id_post", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_rolled_up_visitor"),
    )
    op.create_index("ix_rolled_up_visitor_visitor_post_id", "rolled_up_visitor", ["visitor", "post_id"])
    op.create_index("ix_rolled_up_visitor_post_id", "rolled_up_visitor", ["post_id"])
    op.drop_index("ix_page_view_visitor", "page_view")
    op.drop_column("page_view", "views")
