"""the world outside"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("connection", sa.Column("facts", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("connection", sa.Column("session", sa.LargeBinary(), nullable=True))
    op.add_column("delivery", sa.Column("extra", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("delivery", sa.Column("drift", sa.String(length=20), nullable=True))
    for name in ("looked_at", "look_at", "measure_at"):
        op.add_column("delivery", sa.Column(name, sa.DateTime(timezone=True), nullable=True))
    op.create_index(op.f("ix_delivery_look_at"), "delivery", ["look_at"])
    op.create_index(op.f("ix_delivery_measure_at"), "delivery", ["measure_at"])
    op.create_table(
        "stat",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("delivery_id", sa.String(length=40), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("views", sa.BigInteger(), nullable=True),
        sa.Column("likes", sa.BigInteger(), nullable=True),
        sa.Column("comments", sa.BigInteger(), nullable=True),
        sa.Column("shares", sa.BigInteger(), nullable=True),
        sa.Column("clicks", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["delivery_id"], ["delivery.id"], name=op.f("fk_stat_delivery_id_delivery"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stat")),
    )
    op.create_index(op.f("ix_stat_delivery_id_taken_at"), "stat", ["delivery_id", "taken_at"])
    op.create_index(op.f("ix_stat_taken_at"), "stat", ["taken_at"])


def downgrade() -> None:
    op.drop_table("stat")
    for name in ("look_at", "measure_at"):
        op.drop_index(op.f(f"ix_delivery_{name}"), "delivery")
    for name in ("measure_at", "look_at", "looked_at", "drift", "extra"):
        op.drop_column("delivery", name)
    for name in ("session", "facts"):
        op.drop_column("connection", name)
