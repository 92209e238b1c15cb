"""Me: the key that is asking."""

from __future__ import annotations

from flask import g

from blogsvc.api import schemas, serializers
from blogsvc.api.framework import auth
from blogsvc.api.framework.operations import Reply, operation


@operation("GET", "/me", "The key that is asking", scope=None, answers={200: schemas.MeOut})
def get_me() -> Reply:
    """Its scopes and its limits, in calls a minute. A simple way to see whether a key is valid."""
    return Reply(serializers.key(g.key, auth.limits_of(g.key)))
