"""Roll-ups of deliveries by day, which the scheduler fills, and triggers that mark days as stale."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

TRIGGERS_IN_SQLITE = (
    "CREATE TRIGGER delivery_day_added AFTER INSERT ON delivery BEGIN"
    " INSERT OR IGNORE INTO stale_delivery_day (day) VALUES (date(new.due_at)); END",
    "CREATE TRIGGER delivery_day_changed AFTER UPDATE OF due_at, destination, state, delivered_at ON delivery BEGIN"
    " INSERT OR IGNORE INTO stale_delivery_day (day) VALUES (date(old.due_at)), (date(new.due_at)); END",
    "CREATE TRIGGER delivery_day_removed AFTER DELETE ON delivery BEGIN"
    " INSERT OR IGNORE INTO stale_delivery_day (day) VALUES (date(old.due_at)); END",
)
TRIGGERS_IN_POSTGRESQL = (
    "CREATE FUNCTION mark_delivery_day() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " IF TG_OP <> 'INSERT' THEN INSERT INTO stale_delivery_day (day)"
    " VALUES ((OLD.due_at AT TIME ZONE 'UTC')::date) ON CONFLICT DO NOTHING; END IF;"
    " IF TG_OP <> 'DELETE' THEN INSERT INTO stale_delivery_day (day)"
    " VALUES ((NEW.due_at AT TIME ZONE 'UTC')::date) ON CONFLICT DO NOTHING; END IF;"
    " RETURN NULL; END $$",
    "CREATE TRIGGER delivery_day_changed AFTER INSERT OR DELETE OR UPDATE OF due_at, destination, state, delivered_at"
    " ON delivery FOR EACH ROW EXECUTE FUNCTION mark_delivery_day()",
)


def upgrade() -> None:
    op.create_table(
        "delivery_day",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("destination", sa.String(length=64), nullable=False),
        sa.Column("states", sa.JSON(), nullable=False),
        sa.Column("lateness", sa.JSON(), nullable=False),
        sa.Column("retried", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_delivery_day"),
        sa.UniqueConstraint("day", "destination", name="uq_delivery_day_day_destination"),
    )
    op.create_table(
        "stale_delivery_day",
        sa.Column("day", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("day", name="pk_stale_delivery_day"),
    )
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in TRIGGERS_IN_SQLITE if is_sqlite else TRIGGERS_IN_POSTGRESQL:
        op.execute(statement)
    day = "date(due_at)" if is_sqlite else "(due_at AT TIME ZONE 'UTC')::date"
    op.execute(f"INSERT INTO stale_delivery_day (day) SELECT DISTINCT {day} FROM delivery")  # noqa: S608


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for change in ("added", "changed", "removed"):
            op.execute(f"DROP TRIGGER delivery_day_{change}")
    else:
        op.execute("DROP TRIGGER delivery_day_changed ON delivery")
        op.execute("DROP FUNCTION mark_delivery_day")
    op.drop_table("stale_delivery_day")
    op.drop_table("delivery_day")
