"""the desk: what was changed elsewhere and is left so, what was restored, what lies in the trash"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

HAS_DRIFTED = sa.text("drift IS NOT NULL")
IS_TRASHED = sa.text("deleted_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("delivery", sa.Column("is_drift_accepted", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index(
        "ix_delivery_drifted", "delivery", ["drift"], sqlite_where=HAS_DRIFTED, postgresql_where=HAS_DRIFTED
    )
    op.add_column("revision", sa.Column("restored_from", sa.Integer(), nullable=True))
    op.create_index(
        "ix_post_trashed", "post", ["deleted_at", "id"], sqlite_where=IS_TRASHED, postgresql_where=IS_TRASHED
    )


def downgrade() -> None:
    op.drop_index("ix_post_trashed", "post")
    op.drop_column("revision", "restored_from")
    op.drop_index("ix_delivery_drifted", "delivery")
    op.drop_column("delivery", "is_drift_accepted")
