"""A test client that keeps cookies, follows redirects, and sends forms with their CSRF token."""

from __future__ import annotations

import re
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


class Pages:
    """`pages.get("/desk")`; `pages.post("/login", email=...)` sends a form."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.client.get(path, **options)

    def post(
        self, path: str, *, headers: dict[str, str] | None = None, follow: bool = False, **form: Any
    ) -> TestResponse:
        sent = {"X-CSRFToken": self.token(path), **(headers or {})}
        return self.client.post(path, data=form, headers=sent, follow_redirects=follow)

    def undo(self, page: str) -> TestResponse:
        """Press "Undo" in the notice of a page."""
        form = re.search(r'<form method="post" action="([^"]+)">(?:(?!</form>).)*>Undo</button>', page)
        assert form, "the page has no Undo"
        fields: Any = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form[0]))
        return self.post(form[1], follow=True, **fields)

    def prove(self, password: str = "a ferry in the fog") -> None:
        """Confirm the user's identity, for delicate actions more than ten minutes after the sign-in."""
        assert self.post("/desk/confirm", **{"reauthentication-password": password}).status_code == 303

    def fragment(self, path: str) -> TestResponse:
        """Return the response to an htmx request."""
        return self.client.get(path, headers={"HX-Request": "true", "HX-Request-Type": "partial"})

    def token(self, *more: str) -> str:
        """Return the CSRF token of this browser, from any page with a form."""
        for path in ("/desk", "/login", *more, "/desk/second-factor", "/desk/confirm"):
            found = TOKEN.search(self.client.get(path).text)
            if found:
                return found[1]
        raise AssertionError("no page has a form token")
