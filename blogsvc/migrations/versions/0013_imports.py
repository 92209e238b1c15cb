"""imports"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "import",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("filename", sa.String(length=255), nullable=False),
        sa.Column("format", sa.String(length=20), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=True),
        sa.Column("choices", sa.JSON(), nullable=False),
        sa.Column("left_out", sa.JSON(), nullable=False),
        sa.Column("error", sa.String(length=2000), nullable=True),
        sa.Column("failures", sa.JSON(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import")),
    )
    op.create_index(op.f("ix_import_state"), "import", ["state"])
    op.create_table(
        "imported_post",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("import_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=100), nullable=False),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("slug", sa.String(length=100), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("obstacle", sa.String(length=20), nullable=True),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("address", sa.String(length=500), nullable=True),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("post_id", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(
            ["import_id"], ["import.id"], name=op.f("fk_imported_post_import_id_import"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["post_id"], ["post.id"], name=op.f("fk_imported_post_post_id_post"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imported_post")),
        sa.UniqueConstraint("import_id", "number", name=op.f("uq_imported_post_import_id_number")),
    )
    op.create_index(op.f("ix_imported_post_source"), "imported_post", ["source"])
    op.create_index(op.f("ix_imported_post_post_id"), "imported_post", ["post_id"])
    op.create_index(op.f("ix_imported_post_import_id_address"), "imported_post", ["import_id", "address"])
    op.create_table(
        "imported_picture",
        sa.Column("import_id", sa.String(length=40), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("media_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"], ["import.id"], name=op.f("fk_imported_picture_import_id_import"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["media_id"], ["media.id"], name=op.f("fk_imported_picture_media_id_media"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("import_id", "key", name=op.f("pk_imported_picture")),
    )
    op.create_index(op.f("ix_imported_picture_media_id"), "imported_picture", ["media_id"])


def downgrade() -> None:
    for table in ("imported_picture", "imported_post", "import"):
        op.drop_table(table)
