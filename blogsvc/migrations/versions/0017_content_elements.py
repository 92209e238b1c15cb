"""Render all revisions again: captions, galleries, callouts and tables of contents have their own HTML now."""

from __future__ import annotations

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE revision SET html = NULL WHERE html IS NOT NULL")


def downgrade() -> None:
    pass  # the HTML of later versions can stay
