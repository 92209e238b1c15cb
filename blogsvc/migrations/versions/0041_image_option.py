"""Name Mastodon's option for the cover image `image` instead of `picture`, in the overrides of posts."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

# No other connector has an option of these names. The options of a pending publish have no level `options`.
TABLES = (("post", "id", "overrides"), ("revision", "id", "overrides"), ("pending_publish", "post_id", "options"))


def upgrade() -> None:
    _rename("picture", "image")


def downgrade() -> None:
    _rename("image", "picture")


def _rename(old: str, new: str) -> None:
    rows = op.get_bind()
    for name, key, column in TABLES:
        table = sa.table(name, sa.column(key, sa.String), sa.column(column, sa.JSON))
        has_option = sa.cast(table.c[column], sa.Text).contains(f'"{old}"')
        for id, stored in rows.execute(sa.select(table.c[key], table.c[column]).where(has_option)).all():
            renamed = {where: _with_new_name(own, old, new) for where, own in stored.items()}
            rows.execute(table.update().where(table.c[key] == id).values({column: renamed}))


def _with_new_name(own: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return the overrides or options of one destination, with the option renamed."""
    if isinstance(options := own.get("options"), dict):
        return {**own, "options": _with_new_name(options, old, new)}
    return {new if option == old and own[old] in ("card", "attach") else option: own[option] for option in own}
