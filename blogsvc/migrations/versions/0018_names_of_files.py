"""The names of the files of imported posts, by which other posts link to them, and indexes for such links."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

NAMES = ("slug", "title", "file_name")


def upgrade() -> None:
    op.add_column("imported_post", sa.Column("file_name", sa.String(100)))
    for name in NAMES:
        op.create_index(f"ix_imported_post_import_id_{name}", "imported_post", ["import_id", name])


def downgrade() -> None:
    for name in NAMES:
        op.drop_index(f"ix_imported_post_import_id_{name}", "imported_post")
    op.drop_column("imported_post", "file_name")
