"""Connectors: the platforms that accounts can be connected on, with the settings that each needs."""

from __future__ import annotations

from blogsvc.api import schemas, serializers
from blogsvc.api.framework import cursors
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.connectors import connectors


@operation(
    "GET",
    "/connectors",
    "List connectors",
    scope="platforms:read",
    query=cursors.PageQuery,
    answers={200: schemas.ConnectorsOut},
)
def list_connectors(query: cursors.PageQuery) -> Reply:
    """Returns the connectors with their fields, limits and abilities, sorted by key."""
    kinds = [kind for _, kind in sorted(connectors().items()) if not kind.is_local]
    rows, cursor = cursors.slice_of(kinds, query, lambda kind: (kind.key,))
    return cursors.listed(schemas.ConnectorsOut, map(serializers.connector, rows), cursor)
