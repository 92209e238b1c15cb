"""Matrix with a real server: Synapse, installed from PyPI in an environment of its own."""

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

from blogsvc.connectors.base import Conflict, Disconnected, Figures, Gone, Misconfigured, Receipt
from blogsvc.connectors.matrix import Matrix
from tests.connectors.contract import AN_ARTICLE, FAMILY
from tests.connectors.test_matrix import HOSTILE, own_words
from tests.real.contract import RealContract
from tests.real.running import answers, free_port, pip_install, running

FOLDER = Path(__file__).parent / "synapse"
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
def a_synapse(folder):
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


class Server:
    """A Synapse with two accounts: one of the blog, and one that owns the rooms."""

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

    def send(self, room, kind, token, content):
        path = f"{self.url}/_matrix/client/v3/rooms/{quote(room)}/send/{kind}/by-hand-{next(numbers)}"
        ask("PUT", path, token, content)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with a_synapse(tmp_path_factory.mktemp("synapse")) as url:
        yield Server(url)


class TestSynapse(RealContract):
    too_long = own_words("word " * 4000)

    @pytest.fixture(autouse=True)
    def place(self, server):
        self.server = server
        self.room, self.alias = server.room()

    def settings(self):
        return {"homeserver": self.server.url, "token": self.server.blog, "room": self.alias}

    def connected(self, door):
        facts = Matrix(self.settings(), door).verify().facts
        return Matrix(self.settings(), door, facts)

    def nobody(self, door):
        return Matrix({**self.settings(), "token": "syt_wrong"}, door)

    def nowhere(self, door):
        return Matrix({**self.settings(), "homeserver": f"http://127.0.0.1:{free_port()}"}, door)

    def originals(self):
        contents = [one["content"] for one in self.server.events(self.room)]
        return [one for one in contents if one and "m.relates_to" not in one]

    def copies(self, outside):
        return len(self.originals())

    def the_copy(self):
        (copy,) = [one for one in self.server.events(self.room) if "m.relates_to" not in one["content"]]
        return copy["event_id"]

    def edit_on_platform(self, outside):
        new = {"msgtype": "m.text", "body": "ours"}
        relation = {"rel_type": "m.replace", "event_id": self.the_copy()}
        content = {**new, "m.new_content": new, "m.relates_to": relation}
        self.server.send(self.room, "m.room.message", self.server.blog, content)

    def add_readers(self, outside):
        relation = {"rel_type": "m.annotation", "event_id": self.the_copy(), "key": "🌳"}
        self.server.send(self.room, "m.reaction", self.server.owner, {"m.relates_to": relation})
        return Figures(likes=1)

    def publish(self, connector, article=AN_ARTICLE):
        return connector.publish(connector.compose(article, {}), {"operation": f"op-{next(numbers)}"})

    def test_a_hostile_title_is_sent_unchanged(self, connector):
        self.publish(connector, own_words(f"{HOSTILE.replace('&', '&amp;').replace('<', '&lt;')} {FAMILY}"))
        assert self.originals()[0]["body"].startswith(f"{HOSTILE} {FAMILY}")

    def test_the_longest_text_can_still_be_edited(self, connector):
        room = 14_000 - len(AN_ARTICLE.canonical_url) - 2
        receipt = self.publish(connector, own_words("x" * room))
        changed = connector.compose(own_words("y" * room), {})
        assert connector.update(changed, {"operation": "op-long"}, receipt).version != receipt.version

    def test_deleting_by_url_redacts_every_edit(self, connector):
        receipt = self.publish(connector)
        connector.update(connector.compose(own_words("Of bushes"), {}), {"operation": "op-change"}, receipt)
        for _ in range(2):
            connector.delete({"operation": "op-gone"}, Receipt(receipt.url, receipt.url))
        assert [one["content"] for one in self.server.events(self.room)] == [{}, {}]
        with pytest.raises(Gone):
            connector.look({}, receipt)

    def test_a_repeated_update_is_no_conflict(self, connector):
        receipt = self.publish(connector)
        changed = connector.compose(own_words("Of bushes"), {})
        first, second = (connector.update(changed, {"operation": "op-twice"}, receipt) for _ in range(2))
        assert first == second
        with pytest.raises(Conflict):
            connector.update(changed, {"operation": "op-other"}, receipt)

    def test_a_room_that_cannot_be_written_to_is_reported(self):
        encryption = {"algorithm": "m.megolm.v1.aes-sha2"}
        state = [{"type": "m.room.encryption", "state_key": "", "content": encryption}]
        rooms = {
            self.server.room(initial_state=state)[1]: Misconfigured,
            self.server.room(preset="private_chat")[1]: Disconnected,
            "#nowhere:trees.test": Misconfigured,
        }
        for room, error in rooms.items():
            with pytest.raises(error) as caught:
                Matrix({**self.settings(), "room": room}, self.door()).verify()
            assert caught.value.field == "room"
