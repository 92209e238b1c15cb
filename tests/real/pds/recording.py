"""Recorded responses of the PDS for the fake: of errors, the first of each name."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import httpx2

from tests.real.recorder import FOLDER

# Tokens, passwords and other values that are meaningless later.
HIDDEN = (
    (re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+"), "a.token"),
    (re.compile(r"did:plc:\w+"), "did:plc:alice"),
    (re.compile(r"http://localhost:\d+"), "https://pds.example"),
)


class Recording(httpx2.BaseTransport):
    """`{"com.atproto.repo.putRecord InvalidSwap": {"status": 400, "body": {...}}}`; of successes, `... ok`."""

    def __init__(self) -> None:
        self.wire = httpx2.HTTPTransport()
        self.answers: dict[str, Any] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self.wire.handle_request(request)
        body = response.read()
        said = json.loads(body or b"{}")
        name = f"{request.url.path.rpartition('/')[2]} {said.get('error', 'ok')}"
        self.answers.setdefault(name, {"status": response.status_code, "body": _trimmed(said)})
        return httpx2.Response(response.status_code, headers=response.headers, content=body)

    def close(self) -> None:
        self.wire.close()

    def save(self, key: str) -> None:
        """Save the responses if RECORD=1 is set."""
        if not os.environ.get("RECORD"):
            return
        text = json.dumps(self.answers, indent=1, ensure_ascii=False, sort_keys=True)
        for secret, name in HIDDEN:
            text = secret.sub(name, text)
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{key}.json").write_text(text + "\n")


def _trimmed(said: dict[str, Any]) -> dict[str, Any]:
    """Return the response without the identity document of the account."""
    return {name: value for name, value in said.items() if name != "didDoc"}
