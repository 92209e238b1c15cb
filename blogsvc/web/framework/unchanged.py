"""What pages read from the database, kept in memory for each user as long as nothing in the database changes.

Any commit ends that, so a change shows at once. On PostgreSQL, which has no version of the data, nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from flask import g

from blogsvc.context import InMemory, data_version
from blogsvc.lib.bounded_cache import BoundedCache, equal_weight
from blogsvc.models import db
from blogsvc.web.framework import current_user

T = TypeVar("T")
# The number of values that are kept.
MAX_KEPT = 100

_kept = InMemory(lambda _tools: BoundedCache[Hashable, tuple[int, Any]](MAX_KEPT, equal_weight))


def note_version() -> None:
    """Note the version of the data for this request, before anything is read."""
    g.data_version = None if db.session().in_transaction() else data_version().current()


def unchanged(name: str, read: Callable[[], T], *key_parts: Hashable) -> T:
    """Return what `read` returns, from memory if nothing has changed since this user read it.

    The value may depend only on the user, the data and `given`: not on the time. It is shared by requests, so it has
    no rows of the session, and nobody changes it.
    """
    version = g.get("data_version")
    # If something has changed during this request, its transaction may have begun before that.
    if version is None or version != data_version().current():
        return read()
    session = current_user.session()
    key = (name, session and session.user_id, *key_parts)
    kept = _kept().get(key)
    if kept is None or kept[0] != version:
        kept = _kept().put(key, (version, read()))
    value: T = kept[1]
    return value
