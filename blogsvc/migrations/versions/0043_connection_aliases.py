"""Other names of connections. The only account of a connector answers to the connector's key, too."""

from __future__ import annotations

from collections import defaultdict

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("connection") as batch:
        batch.add_column(sa.Column("aliases", sa.JSON(), nullable=False, server_default="[]"))
    with op.batch_alter_table("connection") as batch:
        batch.alter_column("aliases", server_default=None)
    rows = sa.table("connection", sa.column("name"), sa.column("connector"), sa.column("aliases", sa.JSON()))
    names = defaultdict[str, list[str]](list)
    for name, connector in op.get_bind().execute(sa.select(rows.c.name, rows.c.connector)):
        names[connector].append(name)
    taken = {name for some in names.values() for name in some}
    for connector, some in names.items():
        if len(some) == 1 and connector not in taken:
            op.execute(rows.update().where(rows.c.name == some[0]).values(aliases=[connector]))


def downgrade() -> None:
    with op.batch_alter_table("connection") as batch:
        batch.drop_column("aliases")
