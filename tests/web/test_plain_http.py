"""The pages over plain HTTP from other machines: refused before anything is read, with what to do."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from blogsvc.auth import plain_http
from blogsvc.config import Config
from blogsvc.models import User
from tests.web.conftest import OVER_TLS
from tests.web.page_walk import Pages
from tests.web.test_routes import rules

STRANGER = {"REMOTE_ADDR": "203.0.113.7"}


def opened(client: FlaskClient, path: str, method: str = "GET", **headers: str) -> TestResponse:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.open(path, method=method, environ_overrides=STRANGER, headers=sent)


def test_every_page_is_refused_from_another_machine(app: Flask, owner: User, pages: Pages) -> None:
    for _, method, path in rules(app):
        answer = opened(pages.client, path, method)
        assert answer.status_code == 403, f"{method} {path}"
        assert "This page needs HTTPS" in answer.text
        assert owner.name not in answer.text
        assert "Set-Cookie" not in answer.headers


def test_the_page_leads_to_the_address_with_tls(client: FlaskClient) -> None:
    text = opened(client, "/login").text
    assert 'href="https://blog.example/desk"' in text
    assert "BLOGSVC_TRUSTED_PROXIES=1" in text


@pytest.mark.settings(base_url="")
def test_without_such_an_address_the_page_says_how_to_allow_it(client: FlaskClient) -> None:
    text = opened(client, "/login").text
    assert "BLOGSVC_ALLOW_HTTP=1" in text
    assert "SSH tunnel" in text


def test_scripts_get_a_notice(client: FlaskClient) -> None:
    answer = opened(client, "/desk", HX_Request="true")
    assert answer.status_code == 403
    assert "<html" not in answer.text
    assert answer.headers["HX-Retarget"] == "#notices"


@pytest.mark.parametrize("environ", [{}, {"REMOTE_ADDR": "::1"}, STRANGER | OVER_TLS], ids=str)
def test_pages_are_open_to_this_machine_and_over_tls(client: FlaskClient, environ: dict[str, str]) -> None:
    assert client.get("/login", environ_overrides=environ).status_code in {200, 303}


@pytest.mark.settings(allow_http=True)
def test_the_setting_allows_plain_http(client: FlaskClient) -> None:
    assert opened(client, "/login").status_code in {200, 303}


@pytest.mark.settings(trusted_proxies=1)
def test_a_trusted_proxy_says_how_the_client_is_connected(client: FlaskClient) -> None:
    forwarded = {"X_Forwarded_For": "198.51.100.1"}
    assert opened(client, "/login", X_Forwarded_Proto="https", **forwarded).status_code in {200, 303}
    assert opened(client, "/login", X_Forwarded_Proto="http", **forwarded).status_code == 403


def test_other_proxies_are_not_believed(client: FlaskClient) -> None:
    assert opened(client, "/login", X_Forwarded_Proto="https", X_Forwarded_For="127.0.0.1").status_code == 403


@pytest.mark.parametrize("path", ["/", "/feed.xml", "/robots.txt", "/health", "/static/desk/app.css"])
def test_the_blog_is_readable_over_plain_http(client: FlaskClient, path: str) -> None:
    assert opened(client, path).status_code not in {403, 404}


@pytest.mark.parametrize(
    ("settings", "is_told"),
    [
        ({"host": "127.0.0.1"}, False),
        ({"host": "localhost"}, False),
        ({"host": "::1"}, False),
        ({"host": "0.0.0.0"}, True),
        ({"host": "192.168.1.5"}, True),
        ({"host": "0.0.0.0", "allow_http": True}, False),
        ({"host": "0.0.0.0", "trusted_proxies": 1}, False),
        ({"host": "0.0.0.0", "base_url": "https://blog.example"}, False),
    ],
    ids=str,
)
def test_the_log_tells_owners_of_an_open_server_about_https(settings: dict[str, object], is_told: bool) -> None:
    advice = plain_http.advice(Config(**settings))  # type: ignore[arg-type]
    assert (advice is not None and "BLOGSVC_ALLOW_HTTP=1" in advice) == is_told
