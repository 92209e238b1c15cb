"""Roll-ups of page views by month, filled from those by day."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create("view_month", ["post_id", "month"], *(_count(name) for name in ("views", "visitors")))
    _create("referrer_month", ["post_id", "month", "host"], sa.Column("host", sa.String(253), nullable=False), _count())
    columns = ["month", "post_id", "views", "visitors"]
    op.create_index("ix_view_month_month_post_id_views_visitors", "view_month", columns)
    op.create_index("ix_referrer_month_month", "referrer_month", ["month"])
    _fill("view_month", "post_id", "views, visitors", "sum(views), sum(visitors)", "view_day")
    _fill("referrer_month", "post_id, host", "views", "sum(views)", "referrer_day")


def _fill(table: str, keys: str, columns: str, sums: str, source: str) -> None:
    """Add up the days, one month at a time, so that the memory that it takes does not grow with the years."""
    days = sa.table(source, sa.column("day", sa.Date()))
    first, last = op.get_bind().execute(sa.select(sa.func.min(days.c.day), sa.func.max(days.c.day))).one()
    month = first and first.replace(day=1)
    while month and month <= last:
        end = (month + timedelta(days=32)).replace(day=1)
        rows = f"SELECT {keys}, '{month}', {sums} FROM {source} WHERE day >= '{month}' AND day < '{end}'"  # noqa: S608
        op.execute(f"INSERT INTO {table} ({keys}, month, {columns}) {rows} GROUP BY {keys}")
        month = end


def downgrade() -> None:
    op.drop_table("referrer_month")
    op.drop_table("view_month")


def _create(table: str, unique: list[str], *columns: sa.Column[object]) -> None:
    op.create_table(
        table,
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=True),
        *columns,
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=f"fk_{table}_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        sa.UniqueConstraint(*unique, name=f"uq_{table}_{'_'.join(unique)}"),
    )


def _count(name: str = "views") -> sa.Column[object]:
    return sa.Column(name, sa.Integer(), nullable=False)
