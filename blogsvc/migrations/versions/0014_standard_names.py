"""Tables named after their models, and deliveries with a destination."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

TABLES = {
    "answer": "idempotent_response",
    "slot": "queue_slot",
    "stat": "copy_stats",
    "view": "page_view",
    "address": "post_slug",
    "label": "post_label",
    "import": "import_job",
    "imported_picture": "imported_image",
}
# The columns of the indexes of these tables. An index is named after its table.
INDEXES = {
    "answer": [["created_at"]],
    "stat": [["delivery_id", "taken_at"], ["taken_at"]],
    "view": [["post_id", "viewed_at"], ["viewed_at"]],
    "address": [["post_id"]],
    "label": [["post_id"]],
    "import": [["state"]],
    "imported_picture": [["media_id"]],
}


def upgrade() -> None:
    for old, new in TABLES.items():
        _rename_table(old, new, INDEXES.get(old, []))
    _rename_column("delivery", "post_id", "platform", "destination")


def downgrade() -> None:
    _rename_column("delivery", "post_id", "destination", "platform")
    for old, new in TABLES.items():
        _rename_table(new, old, INDEXES.get(old, []))


def _rename_table(old: str, new: str, indexes: list[list[str]]) -> None:
    for columns in indexes:
        op.drop_index(f"ix_{old}_{'_'.join(columns)}", old)
    op.rename_table(old, new)
    for columns in indexes:
        op.create_index(f"ix_{new}_{'_'.join(columns)}", new, columns)
    if op.get_bind().dialect.name == "postgresql":  # SQLite cannot rename a constraint, and never needs its name
        _rename_constraints(old, new)


def _rename_constraints(old: str, new: str) -> None:
    """Rename the constraints and the sequence, which are named after the table as well."""
    names = sa.text("SELECT conname FROM pg_constraint WHERE conrelid = CAST(:name AS regclass)")
    for name in op.get_bind().scalars(names, {"name": new}).all():
        kind, _, rest = name.partition(f"_{old}")
        if kind in ("pk", "fk", "uq"):
            op.execute(f'ALTER TABLE "{new}" RENAME CONSTRAINT "{name}" TO "{kind}_{new}{rest}"')
    op.execute(f'ALTER SEQUENCE IF EXISTS "{old}_id_seq" RENAME TO "{new}_id_seq"')


def _rename_column(table: str, beside: str, old: str, new: str) -> None:
    """Rename a column that is unique together with another one."""
    with op.batch_alter_table(table) as batch:
        batch.drop_constraint(f"uq_{table}_{beside}_{old}", type_="unique")
        batch.alter_column(old, new_column_name=new)
    with op.batch_alter_table(table) as batch:
        batch.create_unique_constraint(f"uq_{table}_{beside}_{new}", [beside, new])
