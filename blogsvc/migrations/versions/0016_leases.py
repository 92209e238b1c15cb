"""Leases name their process, and the pending webhook deliveries have an index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

LEASED = ("delivery", "webhook_delivery", "import_job")
WAITING = sa.text("webhook_delivery.state IN ('queued', 'retrying')")
SENDING = sa.text("webhook_delivery.state = 'sending'")


def upgrade() -> None:
    for table in LEASED:
        op.add_column(table, sa.Column("lease_owner", sa.String(32), nullable=True))
    op.drop_index("ix_webhook_delivery_state_next_attempt_at", "webhook_delivery")
    columns = ["webhook_id", "next_attempt_at", "id"]
    op.create_index(
        "ix_webhook_delivery_waiting", "webhook_delivery", columns, sqlite_where=WAITING, postgresql_where=WAITING
    )
    columns = ["webhook_id", "lease_until"]
    op.create_index(
        "ix_webhook_delivery_sending", "webhook_delivery", columns, sqlite_where=SENDING, postgresql_where=SENDING
    )


def downgrade() -> None:
    op.drop_index("ix_webhook_delivery_sending", "webhook_delivery")
    op.drop_index("ix_webhook_delivery_waiting", "webhook_delivery")
    op.create_index("ix_webhook_delivery_state_next_attempt_at", "webhook_delivery", ["state", "next_attempt_at"])
    for table in LEASED:
        op.drop_column(table, "lease_owner")
