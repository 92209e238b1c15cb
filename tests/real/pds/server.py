"""A real Personal Data Server on loopback, with accounts that tests make as they need them.

with running_pds(log_file) as pds:
    settings = pds.account()          # what a connector is given
    pds.records(settings, "app.bsky.feed.post")
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.real.running import npm_install, running
from tests.receiver import free_port

FOLDER = Path(__file__).parent
PASSWORD = "the-accounts-own-password"


@dataclass
class PDS:
    """`directory` stores identities, as plc.directory does."""

    url: str
    directory: str
    owners: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)
    numbers: Iterator[int] = field(default_factory=lambda: count(1), repr=False)

    def account(self) -> dict[str, str]:
        """Create an account, and return the settings of a connector: handle and app password."""
        handle = f"alice-{next(self.numbers)}.test"
        wish = {"email": f"{handle}@example.org", "handle": handle, "password": PASSWORD}
        owner = self.ask("POST", "com.atproto.server.createAccount", wish)[1]
        self.owners[handle] = owner
        made = self.ask("POST", "com.atproto.server.createAppPassword", {"name": "blog"}, owner["accessJwt"])[1]
        return {"handle": handle, "password": made["password"], "url": self.url}

    def records(self, settings: dict[str, str], collection: str) -> list[dict[str, Any]]:
        query = {"repo": self.did(settings), "collection": collection}
        return self.ask("GET", "com.atproto.repo.listRecords", query)[1]["records"]

    def edit(self, settings: dict[str, str], record: dict[str, Any], **changed: Any) -> None:
        """Edit a record with another app."""
        did, collection, rkey = record["uri"].removeprefix("at://").split("/")
        wish = {"repo": did, "collection": collection, "rkey": rkey, "record": {**record["value"], **changed}}
        status, said = self.ask("POST", "com.atproto.repo.putRecord", wish, self.token(settings))
        assert status == 200, said

    def did(self, settings: dict[str, str]) -> str:
        return self.owners[settings["handle"]]["did"]

    def token(self, settings: dict[str, str]) -> str:
        return self.owners[settings["handle"]]["accessJwt"]

    def ask(self, method: str, name: str, what: dict[str, Any], token: str = "") -> tuple[int, dict[str, Any]]:
        url, data = f"{self.url}/xrpc/{name}", json.dumps(what).encode() if method == "POST" else None
        url = url if data else f"{url}?{urllib.parse.urlencode(what)}"
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        try:
            with urllib.request.urlopen(
                urllib.request.Request(url, data, headers, method=method), timeout=30
            ) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())


@contextmanager
def running_pds(log: Path) -> Iterator[PDS]:
    installed = npm_install(FOLDER)
    ports = free_port(), free_port()
    command = ["node", FOLDER / "server.mjs", *ports]
    is_up = lambda: "ready http" in log.read_text(errors="replace")  # noqa: E731
    with running(command, is_up, log, cwd=installed, env={"NODE_ENV": "development", "LOG_ENABLED": "false"}):
        yield PDS(*(f"http://localhost:{port}" for port in ports))


@pytest.fixture(scope="module")
def pds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PDS]:
    with running_pds(tmp_path_factory.mktemp("pds") / "pds.log") as server:
        yield server
