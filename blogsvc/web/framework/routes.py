"""The route decorator, which requires a role, a second factor, a CSRF token and re-authentication."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any, Literal, TypeVar

from flask import Blueprint, Response, request
from flask_wtf.csrf import CSRFProtect

from blogsvc.auth.reauthentication import Effect
from blogsvc.http import body_limits
from blogsvc.lib.workers.text_jobs import requester
from blogsvc.models.transactions import unsure_if_saved
from blogsvc.models.user import Role
from blogsvc.web.framework import current_user, reauthenticate
from blogsvc.web.framework.rendering import go, private

blueprint = Blueprint("desk", __name__)
csrf = CSRFProtect()

View = TypeVar("View", bound=Callable[..., Any])
# The role that each endpoint requires, None for public ones. A test checks that every route has an entry.
DEMANDS: dict[str, Role | None] = {}
# The effect of each endpoint that requires a role.
EFFECTS: dict[str, Effect] = {}
SAFE = ("GET", "HEAD", "OPTIONS")


def route(
    methods: str,
    rule: str,
    role: Role | None,
    *,
    effect: Effect = Effect.READ,
    second_factor: Literal["required", "sets up", "confirms"] = "required",
) -> Callable[[View], View]:
    """Register a view: `@route("GET POST", "/desk/media", role="author")`. The endpoint is "desk." and its name.

    `effect`: what the action does, which decides if the user must confirm their identity again if that was
    long ago. Signed-in routes that change something must declare it. Raises TypeError if it is missing.
    `second_factor`: what this route is for, while the blog requires a second factor and this session has none: routes
    that confirm the identity are open, and those that set one up are if the user has none yet.
    """

    if role is not None and effect is Effect.READ and not set(methods.split()) <= set(SAFE):
        raise TypeError(f"{methods} {rule} changes something: declare its effect.")

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(**arguments: Any) -> Any:
            if role is not None:
                if current_user.session() is None:
                    return private(current_user.to_sign_in())
                current_user.user().require_role(role)
                if second_factor != "confirms" and reauthenticate.lacks_second_factor(
                    can_set_up=second_factor == "sets up"
                ):
                    return private(go("desk.missing_second_factor"))
                requester.set(current_user.user().id)
                body_limits.allow(body_limits.MAX_BODY)
            if request.method not in SAFE:
                csrf.protect()
            if effect.needs_reauthentication and (question := reauthenticate.question()) is not None:
                return private(question)
            # Signing in only counts attempts before it fails.
            with nullcontext() if role is None or request.method in SAFE else unsure_if_saved():
                answer = view(**arguments)
            return private(answer) if isinstance(answer, Response) else answer

        assert view.__name__ not in DEMANDS, view.__name__
        DEMANDS[view.__name__] = role
        if role is not None:
            EFFECTS[view.__name__] = effect
        blueprint.add_url_rule(rule, view.__name__, guarded, methods=methods.split())
        return view

    return decorate
