"""The route decorator, which requires a role and a CSRF token before it calls the view."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import Blueprint, Response, request
from flask_wtf.csrf import CSRFProtect

from blogsvc.models.person import Role
from blogsvc.web import current_person
from blogsvc.web.rendering import private
from blogsvc.web.unchanged import note_version

blueprint = Blueprint("desk", __name__)
csrf = CSRFProtect()

View = TypeVar("View", bound=Callable[..., Any])
# The role that each endpoint requires, None for public ones. A test checks that every route has an entry.
DEMANDS: dict[str, Role | None] = {}
SAFE = ("GET", "HEAD", "OPTIONS")


def route(methods: str, rule: str, role: Role | None) -> Callable[[View], View]:
    """Register a view: `@route("GET POST", "/desk/media", role="author")`. The endpoint is "desk." and its name."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(**given: Any) -> Any:
            note_version()
            if role is not None:
                if current_person.session() is None:
                    return private(current_person.to_sign_in())
                current_person.person().require_role(role)
            if request.method not in SAFE:
                csrf.protect()
            answer = view(**given)
            return private(answer) if isinstance(answer, Response) else answer

        assert view.__name__ not in DEMANDS, view.__name__
        DEMANDS[view.__name__] = role
        blueprint.add_url_rule(rule, view.__name__, guarded, methods=methods.split())
        return view

    return decorate
