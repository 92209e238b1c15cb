"""Recorded responses of real servers for the fakes: the first response to each kind of request.

    recorder = Recorder()
    http = HttpClient(allow_private=True, transport=recorder)
    ...
    recorder.save("wordpress")            # tests/connectors/recorded/wordpress.json

An error is stored for each code in its body, and a list with items replaces an empty one. The
fakes in `tests/connectors/` use these files (`recorded("wordpress")`), so they cannot drift from the servers.
`make test-real` writes them if RECORD=1 is set.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2

FOLDER = Path(__file__).parents[1] / "connectors/recorded"
VARYING = re.compile(r"\d+|did:plc:\w+|[0-9a-f]{24,}|[234567a-z]{13}(?=$|[/&])")
PORT = re.compile(r"(127\.0\.0\.1|localhost):\d+")
KEPT_HEADERS = ("content-type", "location", "link", "x-wp-total", "retry-after")


def recorded(key: str) -> dict[str, Any]:
    """`{"POST /wp-json/wp/v2/posts 201": {"headers": {...}, "body": ...}}`"""
    answers: dict[str, Any] = json.loads((FOLDER / f"{key}.json").read_text())
    return answers


class Recorder(httpx2.BaseTransport):
    """A transport that records responses. `hidden` maps a placeholder to a secret that must not be stored."""

    def __init__(self, hidden: Mapping[str, str] | None = None) -> None:
        self.wire = httpx2.HTTPTransport()
        self.hidden = dict(hidden or {})
        self.answers: dict[str, Any] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self.wire.handle_request(request)
        body = response.read()
        said = _readable(body)
        name = f"{request.method} {VARYING.sub('N', request.url.path)} {response.status_code}{_code(said)}"
        if name not in self.answers or self.answers[name]["body"] == []:
            headers = {one: response.headers[one] for one in KEPT_HEADERS if one in response.headers}
            self.answers[name] = {"headers": headers, "body": said}
        return httpx2.Response(response.status_code, headers=response.headers, content=body)

    def close(self) -> None:
        self.wire.close()

    def save(self, key: str) -> None:
        if not os.environ.get("RECORD"):
            return
        text = json.dumps(self.answers, indent=1, ensure_ascii=False, sort_keys=True)
        for secret, name in self.hidden.items():
            text = text.replace(secret, name)
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{key}.json").write_text(PORT.sub(r"\1:9400", text) + "\n")


def _readable(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body[:300].decode(errors="replace")


def _code(said: Any) -> str:
    """Return ` term_exists` if the body has such a code: one status stands for many errors."""
    code = said.get("code") if isinstance(said, dict) else None
    return f" {code}" if isinstance(code, str) else ""
