"""How the e-mail of a copy is doing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

HAS_FAILED = sa.text("mail_failed_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("delivery", sa.Column("mail", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("delivery", sa.Column("mail_failed_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_delivery_mail_failed",
        "delivery",
        ["destination"],
        sqlite_where=HAS_FAILED,
        postgresql_where=HAS_FAILED,
    )


def downgrade() -> None:
    op.drop_index("ix_delivery_mail_failed", table_name="delivery")
    op.drop_column("delivery", "mail_failed_at")
    op.drop_column("delivery", "mail")
