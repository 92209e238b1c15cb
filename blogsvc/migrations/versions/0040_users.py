"""Name the table of users `user` instead of `person`, and the columns that refer to it `user_id`."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

# The tables with a foreign key to the users, and those that keep only an id.
REFERRING = ("passkey", "recovery_code", "session")
NOTING = ("import_job", "pending_publish")


def upgrade() -> None:
    _rename("person", "user")


def downgrade() -> None:
    _rename("user", "person")


def _rename(old: str, new: str) -> None:
    op.rename_table(old, new)
    with op.batch_alter_table(new) as batch:
        batch.drop_constraint(f"uq_{old}_email", type_="unique")
        batch.create_unique_constraint(f"uq_{new}_email", ["email"])
    for table in (*REFERRING, *NOTING):
        op.execute(sa.text(f"ALTER TABLE {table} RENAME COLUMN {old}_id TO {new}_id"))
    for table in REFERRING:
        op.drop_index(f"ix_{table}_{old}_id", table)
        op.create_index(f"ix_{table}_{new}_id", table, [f"{new}_id"])
    if op.get_bind().dialect.name == "postgresql":  # SQLite cannot rename a constraint, and never needs its name
        op.execute(sa.text(f'ALTER TABLE "{new}" RENAME CONSTRAINT pk_{old} TO pk_{new}'))
        for table in REFERRING:
            op.execute(sa.text(f"ALTER TABLE {table} RENAME CONSTRAINT fk_{table}_{old}_id TO fk_{table}_{new}_id"))
