"""The setting of the look: the name of the theme, its options, and custom CSS.

Charter and the blue of links were the defaults, and the theme Harbour has others, so they become its defaults.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

SETTING = sa.table("setting", sa.column("name", sa.String), sa.column("value", sa.JSON))
IS_THEME = SETTING.c.name == "blog_theme"
# The defaults before, and those of Harbour.
COLORS, FACES = {"#006b9f": "#0b5c80"}, {"charter": "harbour"}


def upgrade() -> None:
    if stored := _stored():
        color, face = stored["accent"], stored["face"]
        options = {"color": COLORS.get(color, color), "face": FACES.get(face, face), "width": stored["width"]}
        _write({"name": "harbour", "options": {**options, "layout": "list", "scheme": "auto"}, "css": ""})


def downgrade() -> None:
    op.get_bind().execute(sa.delete(SETTING).where(SETTING.c.name == "blog_former_theme"))
    if stored := _stored():
        color, face, width = (stored["options"][name] for name in ("color", "face", "width"))
        colors, faces = ({new: old for old, new in names.items()} for names in (COLORS, FACES))
        _write({"accent": colors.get(color, color), "face": faces.get(face, face), "width": width})


def _stored() -> dict[str, Any] | None:
    return op.get_bind().scalar(sa.select(SETTING.c.value).where(IS_THEME))


def _write(value: dict[str, Any]) -> None:
    op.get_bind().execute(sa.update(SETTING).where(IS_THEME).values(value=value))
