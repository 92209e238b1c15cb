"""Destinations that a person posts to. They need no credentials, so a post that names one connects it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.exc import IntegrityError

from blogsvc.connections.adopt import link_settled
from blogsvc.connections.aliases import by_stored_name, without_aliases
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.connectors.base import Connector
from blogsvc.models import SITE, Connection, db, record


def names_to_store(names: Sequence[str], now: datetime) -> list[str]:
    """Return destinations under the names that posts store, and connect those by hand that are not yet.

    One that was removed stays so. Every write of a post uses it, in its transaction.
    """
    stored_names = without_aliases(names)
    if any(name != SITE for name in stored_names):
        known = KnownDestinations()
        for name in dict.fromkeys(stored_names):
            if (kind := known.connected_by_post(name)) is not None:
                _connect(name, kind, now)
    return stored_names


def fields_to_store(
    fields: Mapping[str, Any], platforms: Sequence[str] | None, now: datetime
) -> tuple[dict[str, Any], list[str] | None]:
    """Return fields of a post and its destinations under the names that posts store, as `names_to_store`."""
    fields = dict(fields)
    if fields.get("overrides"):
        fields["overrides"] = by_stored_name(fields["overrides"])
    return fields, None if platforms is None else names_to_store(platforms, now)


def _connect(name: str, kind: type[Connector], now: datetime) -> None:
    """Connect a destination by hand. What waited for it is adopted by the scheduler."""
    try:
        with db.session.begin_nested():
            row = Connection.add(name, kind.key, now)
            row.account, row.verified_at = kind().verify().name, now
            db.session.flush()
    except IntegrityError:  # another request has just connected it
        return
    link_settled(row)
    record("connection.connected", now, platform=name, account=row.account)
