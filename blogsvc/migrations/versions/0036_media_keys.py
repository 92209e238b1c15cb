"""The key of an image, which names its files. Existing files are named by the id of their image."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


# The file name without its suffix, of three or four letters, for files that a later version has named.
FILL_KEYS = """
UPDATE media SET key = CASE
    WHEN substr(name, 1, length(id) + 1) = id || '-' THEN id
    WHEN substr(name, length(name) - 3, 1) = '.' THEN substr(name, 1, length(name) - 4)
    ELSE substr(name, 1, length(name) - 5)
END
"""


def upgrade() -> None:
    op.add_column("media", sa.Column("key", sa.String(length=80), nullable=False, server_default=""))
    op.execute(sa.text(FILL_KEYS))
    op.create_index("ix_media_key", "media", ["key"], unique=True)


def downgrade() -> None:
    op.drop_index("ix_media_key", table_name="media")
    op.drop_column("media", "key")
