"""Platforms: what can be connected, and what is."""

from __future__ import annotations

from blogsvc.api import documents, schemas
from blogsvc.api.operations import Reply, operation
from blogsvc.connectors import connectors
from blogsvc.models import Connection


@operation(
    "GET",
    "/platforms",
    "What is connected, and what can be",
    scope="platforms:read",
    answers={200: schemas.PlatformsOut},
)
def list_platforms() -> Reply:
    """`connected` are the names that a post's `platforms` may hold; `available` is what else can be connected."""
    connected = [documents.site(), *(documents.connection(row) for row in Connection.all())]
    available = [documents.connector(kind) for _, kind in sorted(connectors().items()) if not kind.is_local]
    return Reply(schemas.PlatformsOut.model_construct(connected=connected, available=available), has_etag=False)
