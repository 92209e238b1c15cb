"""An index to find the delivery that has a copy: each new copy is checked not to be that of another delivery."""

from __future__ import annotations

from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_delivery_connection_id_remote_id", "delivery", ["connection_id", "remote_id"])


def downgrade() -> None:
    op.drop_index("ix_delivery_connection_id_remote_id", "delivery")
