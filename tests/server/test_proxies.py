"""Behind trusted proxies: whose request it is, and whether it came over TLS. Too little is never taken for much."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api_client import Api

PROXY = {"REMOTE_ADDR": "127.0.0.1"}
FIRST, SECOND = pytest.mark.settings(trusted_proxies=1), pytest.mark.settings(trusted_proxies=2)


def asked(client: FlaskClient, path: str = "/login", **forwarded: str) -> TestResponse:
    """Ask through a proxy on this machine: `asked(client, For="203.0.113.7", Proto="https")`."""
    headers = {f"X-Forwarded-{name}": value for name, value in forwarded.items()}
    return client.get(path, environ_overrides=PROXY, headers=headers)


@pytest.mark.parametrize(
    "forwarded",
    [
        pytest.param({}, marks=FIRST),
        pytest.param({"For": ""}, marks=FIRST),
        pytest.param({"For": "unknown"}, marks=FIRST),
        pytest.param({"For": "localhost"}, marks=FIRST),
        pytest.param({"For": "127.0.0.1, 203.0.113.7"}, marks=FIRST),
        pytest.param({"For": "127.0.0.1, 203.0.113.7", "Proto": "https, http"}, marks=FIRST),
        pytest.param({}, marks=SECOND),
        pytest.param({"For": "127.0.0.1"}, marks=SECOND),
        pytest.param({"For": "203.0.113.7"}, marks=SECOND),
        pytest.param({"For": "127.0.0.1, , 10.0.0.1"}, marks=SECOND),
        pytest.param({"For": "127.0.0.1, 203.0.113.7, 10.0.0.1"}, marks=SECOND),
        pytest.param({"For": "203.0.113.7, 10.0.0.1", "Proto": "http"}, marks=SECOND),
        pytest.param({"For": "203.0.113.7, 10.0.0.1", "Proto": "https, http, http"}, marks=SECOND),
        pytest.param({"For": "203.0.113.7, 10.0.0.1", "Proto": "gopher"}, marks=SECOND),
    ],
    ids=str,
)
def test_plain_http_and_unknown_clients_are_refused(client: FlaskClient, forwarded: dict[str, str]) -> None:
    assert asked(client, **forwarded).status_code == 403
    assert asked(client, "/", **forwarded).status_code == 200, "the blog itself can be read"


@pytest.mark.parametrize(
    "forwarded",
    [
        pytest.param({"For": "203.0.113.7", "Proto": "https"}, marks=FIRST),
        pytest.param({"For": "203.0.113.7", "Proto": "HTTPS"}, marks=FIRST),
        pytest.param({"For": "203.0.113.7:51234", "Proto": "https"}, marks=FIRST),
        pytest.param({"For": "127.0.0.1"}, marks=FIRST),
        pytest.param({"For": "203.0.113.7, 10.0.0.1", "Proto": "https"}, marks=SECOND),
        pytest.param({"For": "203.0.113.7, 10.0.0.1", "Proto": "https, http"}, marks=SECOND),
        pytest.param({"For": "[2001:db8::7]:51234, 10.0.0.1", "Proto": "https"}, marks=SECOND),
        pytest.param({"For": "203.0.113.7", "Proto": "https"}, marks=SECOND),
    ],
    ids=str,
)
def test_https_and_the_machine_of_the_server_are_allowed(client: FlaskClient, forwarded: dict[str, str]) -> None:
    assert asked(client, **forwarded).status_code in (200, 303)


@pytest.mark.settings(trusted_proxies=2, bad_keys_per_minute=1)
@pytest.mark.parametrize(
    ("first", "second", "are_one_client"),
    [
        ("203.0.113.7, 10.0.0.1", "203.0.113.8, 10.0.0.1", False),
        ("203.0.113.7, 10.0.0.1", "9.9.9.9, 203.0.113.7, 10.0.0.1", True),
        ("203.0.113.7:1, 10.0.0.1", "203.0.113.7:2, 10.0.0.2", True),
        ("203.0.113.7", "10.0.0.1", True),
        ('", 203.0.113.7, 10.0.0.1', '", 203.0.113.8, 10.0.0.1', False),
        ('"a, b", 203.0.113.7, 10.0.0.1', "203.0.113.7, 10.0.0.1", True),
    ],
)
def test_clients_are_counted_by_the_address_that_the_first_proxy_saw(
    api: Api, first: str, second: str, are_one_client: bool
) -> None:
    def answer(addresses: str) -> int:
        headers = {"Authorization": "Bearer bsk_wrong", "X-Forwarded-Proto": "https", "X-Forwarded-For": addresses}
        return api.client.get("/api/v1/me", headers=headers, environ_overrides=PROXY).status_code

    assert answer(first) == 401
    assert answer(second) == (429 if are_one_client else 401)


@pytest.mark.settings(trusted_proxies=3)  # of no other test, because an application says it once
def test_the_log_says_once_that_addresses_are_missing(client: FlaskClient, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        asked(client, For="203.0.113.7")
    (line,) = [line for line in caplog.messages if "X-Forwarded-For" in line]
    assert "had 1 of the 3 addresses" in line
