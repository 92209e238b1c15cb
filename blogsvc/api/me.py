"""Me: the API key of the request."""

from __future__ import annotations

from flask import g

from blogsvc.api import schemas, serializers
from blogsvc.api.framework import auth
from blogsvc.api.framework.operations import Reply, operation


@operation("GET", "/me", "Get the current key", scope=None, answers={200: schemas.MeOut})
def get_me() -> Reply:
    """Returns the scopes and limits of the key that sends the request. Use it to test a key.

    `scopes` has only those that count now: those that the present role of the user who made the key allows.
    """
    me = serializers.key(g.key, auth.limits_of(g.key))
    return Reply(me.model_copy(update={"scopes": g.key.present_scopes}))
