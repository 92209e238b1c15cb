"""The addresses of imported blogs become redirects, which owners can change. Addresses without a page are counted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from blogsvc.lib.ids import new_id

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

ID = sa.String(40)
BATCH = 1_000
FIELDS = ("post_id", "media_id", "tag")


def upgrade() -> None:
    redirect = op.create_table(
        "redirect",
        sa.Column("id", ID, primary_key=True),
        sa.Column("path", sa.String(500), nullable=False, unique=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE")),
        sa.Column("media_id", ID, sa.ForeignKey("media.id", ondelete="CASCADE")),
        sa.Column("tag", sa.String(100)),
        sa.Column("target", sa.String(2000)),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("source", sa.String(10), nullable=False),
        sa.Column("hit_count", sa.Integer, nullable=False),
        sa.Column("last_hit_on", sa.Date),
    )
    op.create_index(None, "redirect", ["post_id"])
    op.create_index(None, "redirect", ["media_id"])
    old = sa.table("old_address", *map(sa.column, ("address", *FIELDS, "page")))
    rows = op.get_bind().execute(sa.select(old)).mappings().all()
    for start in range(0, len(rows), BATCH):
        same = {"status": 301, "source": "import", "hit_count": 0}
        new = [
            {"id": new_id("rdr"), "path": row["address"], **{name: row[name] for name in FIELDS}}
            | {"target": row["page"]}
            | same
            for row in rows[start : start + BATCH]
        ]
        op.bulk_insert(redirect, new)
    op.drop_table("old_address")
    op.create_table(
        "missing",
        sa.Column("path", sa.String(500), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("first_on", sa.Date, nullable=False),
        sa.Column("last_on", sa.Date, nullable=False),
        sa.Column("referrer_host", sa.String(253)),
    )


def downgrade() -> None:
    op.drop_table("missing")
    old_address = op.create_table(
        "old_address",
        sa.Column("address", sa.String(500), primary_key=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE")),
        sa.Column("media_id", ID, sa.ForeignKey("media.id", ondelete="CASCADE")),
        sa.Column("tag", sa.String(100)),
        sa.Column("page", sa.String(100)),
    )
    op.create_index(None, "old_address", ["post_id"])
    op.create_index(None, "old_address", ["media_id"])
    redirect = sa.table("redirect", *map(sa.column, ("path", *FIELDS, "target", "source")))
    columns = [redirect.c.path, *(redirect.c[name] for name in FIELDS), redirect.c.target]
    rows = sa.select(*columns).where(redirect.c.source == "import")
    op.execute(old_address.insert().from_select(["address", *FIELDS, "page"], rows))
    op.drop_table("redirect")
