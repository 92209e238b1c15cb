"""Me: the key that is asking."""

from __future__ import annotations

from flask import g

from blogsvc.api import access, documents, schemas
from blogsvc.api.operations import Reply, operation


@operation("GET", "/me", "The key that is asking", scope=None, answers={200: schemas.MeOut})
def get_me() -> Reply:
    """Its scopes and its limits, in calls a minute. A simple way to see whether a key is valid."""
    return Reply(documents.key(g.key, access.limits_of(g.key)))
