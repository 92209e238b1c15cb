"""The Host header, which the client chooses."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api_client import Api
from tests.tiers import exhaustive


def paths(app: Flask) -> Iterator[str]:
    """Yield the path of every route, also with slashes doubled, left out and added."""
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<[^>]+>", "x", rule.rule)
        yield from (path, f"{path}/", path.rstrip("/") or "//", path.replace("/", "//"), f"//evil.example/..{path}")
        yield "/".join(part + "/" * (number > 0) for number, part in enumerate(path.split("/")))


def require_silence(client: FlaskClient, key: str, path: str) -> None:
    for method in ("GET", "POST"):
        answer = client.open(
            method=method,
            base_url="http://evil-host.example",
            environ_overrides={"PATH_INFO": path},
            headers={"Authorization": f"Bearer {key}"},
        )
        assert b"evil-host" not in str(answer.headers).encode() + answer.data, f"{method} {path}"
        assert not answer.headers.get("Location", "/").startswith(("//", "http://"))


@pytest.mark.parametrize(
    "path",
    ["//desk", "/desk//posts", "/login/", "//evil.example/..//login", "/tag//x", "/api//v1/posts", "/api/v1/problems"],
)
def test_a_corrected_path_does_not_repeat_the_host(api: Api, client: FlaskClient, path: str) -> None:
    require_silence(client, api.key, path)


@exhaustive
def test_no_route_repeats_the_host(app: Flask, api: Api, client: FlaskClient) -> None:
    for path in sorted(set(paths(app))):
        require_silence(client, api.key, path)
