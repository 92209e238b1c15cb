"""A real Synapse on loopback, installed from PyPI in an environment of its own."""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
import urllib.request
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.real.running import answers, pip_install, running
from tests.receiver import free_port

FOLDER = Path(__file__).parent
SECRET = "registration"
PLENTY = {"per_second": 1000, "burst_count": 1000}
SETTINGS = {
    "server_name": "trees.test",
    "registration_shared_secret": SECRET,
    "report_stats": False,
    "trusted_key_servers": [],
    "rc_message": PLENTY,
    "rc_room_creation": PLENTY,
    "rc_joins": {"local": PLENTY},
}
numbers = count(1)


@contextmanager
def running_synapse(folder):
    python, port = pip_install(FOLDER) / "bin/python", free_port()
    listener = {"port": port, "type": "http", "bind_addresses": ["127.0.0.1"], "resources": [{"names": ["client"]}]}
    kept = {"database": {"name": "sqlite3", "args": {"database": str(folder / "rows.db")}}}
    paths = {"signing_key_path": str(folder / "signing.key"), "media_store_path": str(folder / "media")}
    (folder / "synapse.yaml").write_text(json.dumps({**SETTINGS, **kept, **paths, "listeners": [listener]}))
    start = [python, "-m", "synapse.app.homeserver", "--config-path", folder / "synapse.yaml"]
    subprocess.run([*start, "--generate-keys"], check=True, capture_output=True, timeout=240)
    url = f"http://127.0.0.1:{port}"
    with running(start, lambda: answers(f"{url}/_matrix/client/versions"), folder / "synapse.log", cwd=folder):
        yield url


def ask(method, url, token=None, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=60) as answer:
        return json.load(answer)


class Synapse:
    """A running server with two accounts: one of the blog, and one that owns the rooms."""

    def __init__(self, url):
        self.url = url
        self.blog, self.owner = self.account("blog"), self.account("owner")

    def account(self, name):
        register = f"{self.url}/_synapse/admin/v1/register"
        nonce = ask("GET", register)["nonce"]
        mac = hmac.new(SECRET.encode(), f"{nonce}\0{name}\0pw\0notadmin".encode(), hashlib.sha1).hexdigest()
        body = {"nonce": nonce, "username": name, "password": "pw", "admin": False, "mac": mac}
        return ask("POST", register, body=body)["access_token"]

    def room(self, **settings):
        body = {"preset": "public_chat", "room_alias_name": f"blog{next(numbers)}", **settings}
        room = ask("POST", f"{self.url}/_matrix/client/v3/createRoom", self.owner, body)["room_id"]
        return room, f"#{body['room_alias_name']}:trees.test"

    def events(self, room):
        path = f"{self.url}/_matrix/client/v3/rooms/{quote(room)}/messages?dir=b&limit=100"
        return [one for one in ask("GET", path, self.owner)["chunk"] if one["type"] == "m.room.message"]

    def originals(self, room):
        """Return the messages of a room that are no edits, and are not redacted."""
        return [one for one in self.events(room) if one["content"] and "m.relates_to" not in one["content"]]

    def send(self, room, kind, token, content):
        path = f"{self.url}/_matrix/client/v3/rooms/{quote(room)}/send/{kind}/by-hand-{next(numbers)}"
        ask("PUT", path, token, content)


@pytest.fixture(scope="session")
def synapse(tmp_path_factory):
    with running_synapse(tmp_path_factory.mktemp("synapse")) as url:
        yield Synapse(url)
