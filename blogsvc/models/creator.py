"""The user or API key that created a key, a webhook, an invitation or a connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from blogsvc.models.adoptable import is_key
from blogsvc.models.base import db
from blogsvc.models.key import ApiKey
from blogsvc.models.user import User


@dataclass(frozen=True)
class Creator:
    """A user or an API key. `name` is None for a user who was removed."""

    type: Literal["user", "key"]
    id: str
    name: str | None

    @classmethod
    def of(cls, id: str | None) -> Creator | None:
        """Return the user or key with this id; None for the command line."""
        if id is None:
            return None
        if is_key(id):
            key = db.session.get(ApiKey, id)
            return cls("key", id, key.name if key else None)
        user = db.session.get(User, id)
        return cls("user", id, user.name if user else None)
