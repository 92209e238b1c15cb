"""Roll-ups of page views, which the maintenance fills from the views that are there, and indexes for reports."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

WAS_UNSUCCESSFUL = sa.text("outcome != 'succeeded'")
TABLES = ("rolled_up_visitor", "referrer_day", "view_day", "view_hour")


def upgrade() -> None:
    _create("view_hour", "hour", sa.DateTime(timezone=True), *_counts())
    _create("view_day", "day", sa.Date(), *_counts())
    _create("referrer_day", "day", sa.Date(), sa.Column("host", sa.String(length=253), nullable=False), _counts()[0])
    op.create_table(
        "rolled_up_visitor",
        *_id_and_post("rolled_up_visitor"),
        sa.Column("visitor", sa.LargeBinary(length=16), nullable=False),
    )
    op.create_index("ix_view_hour_hour", "view_hour", ["hour"])
    op.create_index("ix_view_day_day_post_id_views_visitors", "view_day", ["day", "post_id", "views", "visitors"])
    op.create_index("ix_referrer_day_day", "referrer_day", ["day"])
    op.create_index("ix_rolled_up_visitor_visitor_post_id", "rolled_up_visitor", ["visitor", "post_id"])
    op.create_index("ix_rolled_up_visitor_post_id", "rolled_up_visitor", ["post_id"])
    op.create_index(
        "ix_delivery_due_at_destination_state_delivered_at",
        "delivery",
        ["due_at", "destination", "state", "delivered_at"],
    )
    op.create_index(
        "ix_attempt_unsuccessful",
        "attempt",
        ["delivery_id"],
        sqlite_where=WAS_UNSUCCESSFUL,
        postgresql_where=WAS_UNSUCCESSFUL,
    )


def downgrade() -> None:
    op.drop_index("ix_attempt_unsuccessful", "attempt")
    op.drop_index("ix_delivery_due_at_destination_state_delivered_at", "delivery")
    for table in TABLES:
        op.drop_table(table)


def _create(table: str, period: str, kind: sa.DateTime | sa.Date, *columns: sa.Column[object]) -> None:
    unique = ["post_id", period, *(column.name for column in columns if column.name == "host")]
    op.create_table(
        table,
        *_id_and_post(table),
        sa.Column(period, kind, nullable=False),
        *columns,
        sa.UniqueConstraint(*unique, name=f"uq_{table}_{'_'.join(unique)}"),
    )


def _id_and_post(table: str) -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=f"fk_{table}_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
    ]


def _counts() -> list[sa.Column[object]]:
    return [sa.Column(name, sa.Integer(), nullable=False) for name in ("views", "visitors")]
