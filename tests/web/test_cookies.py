"""Cookies: on answers for one user only, which nothing caches."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask

from blogsvc.models import Post, User
from tests.conftest import Visitor
from tests.web.conftest import PASSWORD
from tests.web.page_walk import Pages
from tests.web.test_routes import rules


@pytest.fixture
def signed_in(app: Flask, owner: User) -> Pages:
    """A browser in which the owner signed in on the sign-in page."""
    pages = Pages(Visitor(app))
    assert pages.post("/login", email=owner.email, password=PASSWORD).status_code == 303
    return pages


def public_paths(app: Flask) -> list[str]:
    """Return a path of every route that is not one of the authoring pages, and some that no route has."""
    paths = {
        re.sub(r"<[^>]+>", "a-post", rule.rule)
        for rule in app.url_map.iter_rules()
        if not rule.endpoint.startswith("desk.") and "GET" in (rule.methods or ())
    }
    return [*sorted(paths), "/static/desk/app.css", "/media/x.webp", "/nothing", "/desk/nothing", "/api/v1/nothing"]


def test_no_public_answer_sets_or_depends_on_a_cookie(
    signed_in: Pages, app: Flask, a_post: Callable[..., Post]
) -> None:
    a_post(live=True)
    for path in public_paths(app):
        answer = signed_in.get(path)
        assert "Set-Cookie" not in answer.headers, path
        assert "Cookie" not in answer.headers.get("Vary", ""), path


def test_no_answer_with_a_cookie_may_be_cached(signed_in: Pages, app: Flask) -> None:
    answers = [signed_in.get(path) for _, method, path in rules(app) if method == "GET"]
    renewing = [answer for answer in answers if "Set-Cookie" in answer.headers]
    assert len(renewing) > 10, "each page renews the cookie of the session"
    for answer in renewing:
        assert answer.headers["Cache-Control"] == "no-store", answer.request.path
        assert "Cookie" in answer.headers["Vary"], answer.request.path


def test_a_redirect_of_a_page_is_not_stored(signed_in: Pages, visitor: Pages) -> None:
    answers = [signed_in.get("/login"), signed_in.get("/login/code"), visitor.get("/desk"), visitor.get("/login/code")]
    for answer in answers:
        assert (answer.status_code, answer.headers["Cache-Control"]) == (303, "no-store")
