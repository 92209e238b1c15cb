"""Keep the changed texts of a pending publish beside its options, in the form of the overrides of a post."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _rename("options", "overrides")
    _change(lambda options: {"options": options})


def downgrade() -> None:
    _change(lambda own: own.get("options") or {})
    _rename("overrides", "options")


def _rename(old: str, new: str) -> None:
    with op.batch_alter_table("pending_publish") as table:
        table.alter_column(old, new_column_name=new, existing_type=sa.JSON(), existing_nullable=False)


def _change(changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Change what is stored for each destination."""
    table = sa.table("pending_publish", sa.column("post_id", sa.String), sa.column("overrides", sa.JSON))
    rows = op.get_bind()
    for id, stored in rows.execute(sa.select(table.c.post_id, table.c.overrides)).all():
        overrides = {name: changed(own) for name, own in stored.items()}
        rows.execute(table.update().where(table.c.post_id == id).values(overrides=overrides))
