"""the library"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from blogsvc.lib.search_terms import fold
from blogsvc.models.media import ids_in

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

SAYS_NOTHING = sa.text("alt = ''")


def upgrade() -> None:
    op.add_column("media", sa.Column("folded", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("media") as batch_op:
        batch_op.alter_column("folded", server_default=None)
    op.create_index("ix_media_without_alt", "media", ["id"], sqlite_where=SAYS_NOTHING, postgresql_where=SAYS_NOTHING)
    op.create_table(
        "media_use",
        sa.Column("media_id", sa.String(length=40), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_media_use_post_id_post"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("media_id", "post_id", name=op.f("pk_media_use")),
    )
    op.create_index(op.f("ix_media_use_post_id"), "media_use", ["post_id"])
    _fold_what_is_there()
    _note_what_is_shown()


def _fold_what_is_there() -> None:
    bind = op.get_bind()
    change = sa.text("UPDATE media SET folded = :folded WHERE id = :id")
    for media in bind.execute(sa.text("SELECT id, filename, alt FROM media")).all():
        bind.execute(change, {"id": media.id, "folded": fold(f"{media.filename} {media.alt}")})


def _note_what_is_shown() -> None:
    bind = op.get_bind()
    sources = (
        "SELECT id AS post_id, content, cover_image, overrides FROM post",
        "SELECT post.id AS post_id, revision.content, revision.cover_image, revision.overrides FROM post"
        " JOIN revision ON revision.id = post.live_revision_id OR revision.id = post.site_revision_id",
    )
    uses = {
        (media_id, row.post_id)
        for source in sources
        for row in bind.execute(sa.text(source))
        for media_id in ids_in(" ".join((row.content, row.cover_image or "", _as_text(row.overrides))))
    }
    if uses:
        add = sa.text("INSERT INTO media_use (media_id, post_id) VALUES (:media_id, :post_id)")
        bind.execute(add, [{"media_id": media_id, "post_id": post_id} for media_id, post_id in sorted(uses)])


def _as_text(overrides: object) -> str:
    """SQLite gives JSON as it is stored, PostgreSQL as what it says."""
    return overrides if isinstance(overrides, str) else json.dumps(overrides)


def downgrade() -> None:
    op.drop_table("media_use")
    op.drop_index("ix_media_without_alt", "media")
    op.drop_column("media", "folded")
