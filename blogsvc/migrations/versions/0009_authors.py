"""Authors: one for every user, who is the author of the posts that the user wrote."""

from __future__ import annotations

import json
import re
import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "author",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("slug", sa.String(100), nullable=False, unique=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("bio", sa.Text, nullable=False),
        sa.Column("picture_id", sa.String(40), sa.ForeignKey("media.id", ondelete="SET NULL"), index=True),
        sa.Column("links", sa.JSON, nullable=False),
        sa.Column("user_id", sa.String(40), sa.ForeignKey("user.id", ondelete="SET NULL"), unique=True),
        sa.Column("fediverse", sa.String(300)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    for table in ("post", "revision"):
        op.add_column(table, sa.Column("authors", sa.JSON, nullable=False, server_default="[]"))
    _make_authors_of_users(op.get_bind())


def _make_authors_of_users(connection: sa.Connection) -> None:
    users = connection.execute(sa.text('SELECT id, name, created_at FROM "user" ORDER BY created_at, id')).all()
    taken: set[str] = set()
    for user_id, name, created_at in users:
        stem = _slug(name)
        slug = next(one for one in (stem, *(f"{stem}-{n}" for n in range(2, len(users) + 2))) if one not in taken)
        taken.add(slug)
        connection.execute(
            sa.text(
                "INSERT INTO author (id, slug, name, bio, links, user_id, created_at)"
                " VALUES (:id, :slug, :name, '', '[]', :user_id, :created_at)"
            ),
            {
                "id": f"auth_{user_id.partition('_')[2]}",
                "slug": slug,
                "name": name,
                "user_id": user_id,
                "created_at": created_at,
            },
        )
        written = {"authors": json.dumps([slug]), "user_id": user_id}
        connection.execute(sa.text("UPDATE post SET authors = :authors WHERE author_id = :user_id"), written)
        connection.execute(
            sa.text(
                "UPDATE revision SET authors = :authors"
                " WHERE post_id IN (SELECT id FROM post WHERE author_id = :user_id)"
            ),
            written,
        )
    connection.execute(
        sa.text(
            "INSERT INTO post_label (kind, value, post_id) SELECT 'site_by', author.slug, post.id FROM post"
            " JOIN author ON author.user_id = post.author_id"
            " WHERE post.site_revision_id IS NOT NULL AND post.deleted_at IS NULL"
        )
    )


def _slug(name: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(c))
    return re.sub(r"[^a-z0-9]+", "-", plain)[:70].strip("-") or "author"


def downgrade() -> None:
    op.execute("DELETE FROM post_label WHERE kind = 'site_by'")
    for table in ("post", "revision"):
        op.drop_column(table, "authors")
    op.drop_table("author")
