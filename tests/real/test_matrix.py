"""Matrix with a real server: Synapse, installed from PyPI in an environment of its own."""

from __future__ import annotations

from itertools import count

import pytest

from blogsvc.connectors.base import Conflict, Disconnected, Figures, Gone, Misconfigured
from blogsvc.connectors.matrix import Matrix
from tests.connectors.contract import AN_ARTICLE, FAMILY
from tests.connectors.test_matrix import HOSTILE, own_words
from tests.real.contract import RealContract
from tests.real.synapse.server import synapse
from tests.receiver import free_port

__all__ = ["synapse"]
numbers = count(1)


class TestSynapse(RealContract):
    too_long = own_words("word " * 4000)

    @pytest.fixture(autouse=True)
    def place(self, synapse):
        self.server = synapse
        self.room, self.alias = synapse.room()

    def settings(self):
        return {"homeserver": self.server.url, "token": self.server.blog, "room": self.alias}

    def connected(self, http):
        facts = Matrix(self.settings(), http).verify().facts
        return Matrix(self.settings(), http, facts)

    def nobody(self, http):
        return Matrix({**self.settings(), "token": "syt_wrong"}, http)

    def nowhere(self, http):
        return Matrix({**self.settings(), "homeserver": f"http://127.0.0.1:{free_port()}"}, http)

    def originals(self):
        return [one["content"] for one in self.server.originals(self.room)]

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
        self.publish(connector, own_words(f"{HOSTILE} {FAMILY}"))
        assert self.originals()[0]["body"].startswith(f"{HOSTILE} {FAMILY}")

    def test_the_longest_text_can_still_be_edited(self, connector):
        room = 14_000 - len(AN_ARTICLE.canonical_url) - 2
        receipt = self.publish(connector, own_words("x" * room))
        changed = connector.compose(own_words("y" * room), {})
        assert connector.update(changed, {"operation": "op-long"}, receipt).version != receipt.version

    def test_deleting_redacts_every_edit(self, connector):
        receipt = self.publish(connector)
        connector.update(connector.compose(own_words("Of bushes"), {}), {"operation": "op-change"}, receipt)
        for _ in range(2):
            connector.delete({"operation": "op-gone"}, receipt)
        assert [one["content"] for one in self.server.events(self.room)] == [{}, {}]
        with pytest.raises(Gone):
            connector.fetch_version({}, receipt)

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
                Matrix({**self.settings(), "room": room}, self.http()).verify()
            assert caught.value.field == "room"
