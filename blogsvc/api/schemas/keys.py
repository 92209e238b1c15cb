"""Schemas of API keys and of the users and keys that made something."""

from __future__ import annotations

from typing import Literal

from blogsvc.api.schemas.fields import Instant, Out


class CreatorOut(Out):
    """The user or API key that made something."""

    type: Literal["user", "key"]
    """`user` or `key`."""
    id: str
    """The id of the user or key."""
    name: str | None
    """The name. Null for a user who was removed."""


class RatesOut(Out):
    """Requests per minute."""

    read: int
    """The limit of read requests per minute."""
    write: int
    """The limit of write requests per minute."""
    publish: int
    """The limit of publish requests per minute."""


class MeOut(Out):
    """The API key of this request."""

    id: str
    """The id, for example `key_01m86a3kq7f2h9x4c5v8b1n6de`."""
    name: str
    """The name that its creator gave it, for example `CI`."""
    prefix: str
    """The first characters of the key, to recognize it."""
    scopes: list[str]
    """The scopes. `all` includes every scope."""
    limits: RatesOut
    """The limits of the key in requests per minute: its own, or else those of the server's settings."""
    created_at: Instant
    """When the key was created."""
    last_used_at: Instant | None
    """When the key was last used, to within a minute. Null if it never was."""
    expires_at: Instant | None
    """When the key expires. Null if it doesn't expire."""
