"""Rows that end with the user or API key that made them, unless somebody takes them over."""

from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, declared_attr, mapped_column


def is_key(id: str | None) -> bool:
    """Return True for the id of an API key, False for that of a user."""
    return id is not None and id.startswith("key_")


class Adoptable:
    """A row with its creator and the one who has taken it over: the ids of a user or a key."""

    @declared_attr
    def created_by(cls) -> Mapped[str | None]:  # noqa: N805
        return mapped_column(String(40))

    @declared_attr
    def adopted_by(cls) -> Mapped[str | None]:  # noqa: N805
        return mapped_column(String(40))

    @property
    def kept_by(self) -> str | None:
        """Return the user or key that the row belongs to now."""
        return self.adopted_by or self.created_by
