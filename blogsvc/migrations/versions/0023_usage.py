"""What each person and API key creates per day, for the quotas. Drops links to copies that no page may have."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "usage",
        sa.Column("maker", sa.String(length=40), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("posts", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("maker", "day", name="pk_usage"),
    )
    # The address of a copy on the built-in blog is a path.
    is_link = "LIKE 'https://%' OR {0} LIKE 'http://%' OR {0} LIKE '/%'"
    for table, column in (("delivery", "url"), ("connection", "account_url")):
        condition = f"{column} {is_link.format(column)}"
        op.execute(f"UPDATE {table} SET {column} = NULL WHERE NOT ({condition})")  # noqa: S608


def downgrade() -> None:
    op.drop_table("usage")
