"""Access to routes: every route declares its role, and rejects everybody else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from flask import Flask

from blogsvc import create_app
from blogsvc.config import Config
from blogsvc.models import User
from blogsvc.models.user import ROLES
from blogsvc.web.framework.routes import DEMANDS
from tests.web.conftest import PASSWORD
from tests.web.page_walk import Pages


def rules(app: Flask) -> list[tuple[str, str, str]]:
    """Return endpoint, method and a path of every route of the pages."""
    return [
        (rule.endpoint.removeprefix("desk."), method, _path(rule.rule))
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("desk.")
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    ]


def _path(rule: str) -> str:
    parts = [
        f"{part.partition(':')[2].strip('<>') or part.strip('<>')}_1" if "<" in part else part
        for part in rule.split("/")
    ]
    return "/".join(parts)


def test_every_route_declares_the_required_role(app: Flask) -> None:
    assert {endpoint for endpoint, _, _ in rules(app)} == set(DEMANDS)


def test_every_protected_route_requires_signing_in(app: Flask, visitor: Pages, owner: User) -> None:
    for endpoint, method, path in rules(app):
        if DEMANDS[endpoint] is None:
            continue
        answer = visitor.client.open(path, method=method)
        assert answer.status_code == 303, f"{method} {path}"
        assert answer.headers["Location"].startswith("/login"), f"{method} {path}"


@pytest.mark.parametrize("role", ROLES)
def test_every_route_requires_its_role(
    role: str, app: Flask, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    user = somebody(role)
    browser = browser_of(user)
    token = browser.token()
    for endpoint, method, path in rules(app):
        demand = DEMANDS[endpoint]
        if demand is not None and not user.is_at_least(demand):
            answer = browser.client.open(path, method=method, headers={"X-CSRFToken": token})
            assert answer.status_code == 403, f"{method} {path}"


def test_every_change_requires_a_csrf_token(app: Flask, pages: Pages) -> None:
    for endpoint, method, path in rules(app):
        if method != "GET":
            answer = pages.client.open(path, method=method)
            assert answer.status_code in (401, 422), f"{endpoint}: {method} {path} answered {answer.status_code}"
            assert "form belongs to another session" in answer.text or "session has ended" in answer.text


def test_no_route_fails_on_a_deeply_nested_body(app: Flask, pages: Pages) -> None:
    token = pages.token()
    for endpoint, method, path in rules(app):
        if method != "GET" and endpoint != "logout":
            headers = {"X-CSRFToken": token, "Content-Type": "application/json"}
            answer = pages.client.open(path, method=method, data="[" * 100_000, headers=headers)
            assert answer.status_code < 500, f"{endpoint}: {method} {path} answered {answer.status_code}"


def test_signing_in_redirects_to_the_requested_page(visitor: Pages, owner: User) -> None:
    assert visitor.get("/desk").headers["Location"] == "/login?next=/desk"
    answer = visitor.post("/login?next=/desk", email=owner.email, password=PASSWORD)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/desk")


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example", "//evil.example", "/\\evil.example", "/desk\\@evil.example", "javascript:1"]
)
def test_signing_in_never_redirects_to_another_site(elsewhere: str, visitor: Pages, owner: User) -> None:
    answer = visitor.client.get("/login", query_string={"next": elsewhere})
    assert answer.status_code == 200
    token = visitor.token()
    answer = visitor.client.post(
        "/login",
        query_string={"next": elsewhere},
        data={"email": owner.email, "password": PASSWORD},
        headers={"X-CSRFToken": token},
    )
    assert answer.headers["Location"] == "/desk"


def test_the_content_security_policy_allows_nothing_inline(pages: Pages) -> None:
    policy = pages.get("/desk").headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


def test_cookies_are_bound_to_the_host_httponly_and_secure(visitor: Pages, owner: User, config: Config) -> None:
    cookies = visitor.post("/login", email=owner.email, password=PASSWORD).headers.getlist("Set-Cookie")
    assert config.public_url.startswith("https://")
    assert {cookie.partition("=")[0] for cookie in cookies} == {"__Host-blogsvc", "__Host-blogsvc-known"}
    for cookie in cookies:
        attributes = set(cookie.split("; "))
        assert {"HttpOnly", "Secure", "Path=/"} <= attributes
        assert attributes & {"SameSite=Lax", "SameSite=Strict"}
        assert "Domain" not in cookie


@pytest.mark.settings(base_url="")
def test_a_blog_without_https_has_cookies_without_the_prefix(visitor: Pages, owner: User) -> None:
    cookies = visitor.post("/login", email=owner.email, password=PASSWORD).headers.getlist("Set-Cookie")
    assert {cookie.partition("=")[0] for cookie in cookies} == {"blogsvc", "blogsvc-known"}
    assert not any("Secure" in cookie for cookie in cookies)


def test_no_page_has_an_id_twice(app: Flask, pages: Pages) -> None:
    addresses = {rule.rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith("desk.")}
    for address in sorted(one for one in addresses if "<" not in one):
        ids = Counter(re.findall(r'\sid="([^"]+)"', pages.get(address).text))
        assert [name for name, count in ids.items() if count > 1] == [], address


def test_pages_of_signed_in_users_are_not_cached(pages: Pages) -> None:
    assert pages.get("/desk").headers["Cache-Control"] == "no-store"


def test_a_new_application_has_all_routes(config: Config) -> None:
    assert rules(create_app(config)) != []
