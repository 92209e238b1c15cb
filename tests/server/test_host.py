"""The Host header, which the client chooses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flask import Flask
from flask.testing import FlaskClient

from tests.api_client import Api


def paths(app: Flask) -> Iterator[str]:
    """Yield the path of every route, also with slashes doubled, left out and added."""
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<[^>]+>", "x", rule.rule)
        yield from (path, f"{path}/", path.rstrip("/") or "//", path.replace("/", "//"), f"//evil.example/..{path}")
        yield "/".join(part + "/" * (number > 0) for number, part in enumerate(path.split("/")))


def test_no_route_repeats_the_host(app: Flask, api: Api, client: FlaskClient) -> None:
    for path in sorted(set(paths(app))):
        for method in ("GET", "POST"):
            answer = client.open(
                method=method,
                base_url="http://evil-host.example",
                environ_overrides={"PATH_INFO": path},
                headers={"Authorization": f"Bearer {api.key}"},
            )
            assert "evil-host" not in f"{answer.headers}{answer.text}", f"{method} {path}"
            assert not answer.headers.get("Location", "/").startswith(("//", "http://"))
