"""Roll-ups of page views by month, filled from those by day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

# The first day of the month.
MONTH = {"sqlite": "substr(day, 1, 8) || '01'", "postgresql": "CAST(date_trunc('month', day) AS DATE)"}


def upgrade() -> None:
    _create("view_month", ["post_id", "month"], *(_count(name) for name in ("views", "visitors")))
    _create("referrer_month", ["post_id", "month", "host"], sa.Column("host", sa.String(253), nullable=False), _count())
    columns = ["month", "post_id", "views", "visitors"]
    op.create_index("ix_view_month_month_post_id_views_visitors", "view_month", columns)
    op.create_index("ix_referrer_month_month", "referrer_month", ["month"])
    month = MONTH[op.get_bind().dialect.name]
    views = f"SELECT post_id, {month}, sum(views), sum(visitors) FROM view_day GROUP BY 1, 2"  # noqa: S608
    op.execute(f"INSERT INTO view_month (post_id, month, views, visitors) {views}")
    hosts = f"SELECT post_id, {month}, host, sum(views) FROM referrer_day GROUP BY 1, 2, 3"  # noqa: S608
    op.execute(f"INSERT INTO referrer_month (post_id, month, host, views) {hosts}")


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
