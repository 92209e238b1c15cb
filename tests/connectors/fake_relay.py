"""A fake relay on loopback that behaves like nostr-relay 1.14, and misbehaves when told to.

    with FakeRelay() as relay:
        relay.will("lose")              # for the next events, one each; then "ok" again
        ...
        assert relay.articles()

Behaviours for events: "lose" (stored, and the connection closed without a response), "hang" and "hang-after" (no
response, before or after storing), "rubbish", "silent-refusal" (an error that names no event), or the message of an
error. For queries (`will_answer`): "hang", "rubbish", or the message that closes the subscription.
"""

from __future__ import annotations

import json
from threading import Event, Thread

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from blogsvc.connectors.nostr.identity import Identity, is_genuine, values


class FakeRelay:
    """`events` is what it stores, `told` every event that it received, `notices` what it sends
    before it answers a query."""

    def __init__(self, most=None, members=None, status=None):
        self.most, self.members, self.status = most, members, status
        self.events, self.told, self.notices = {}, [], []
        self.closing = Event()
        self._next, self._answers = [], []
        # Longer messages are ignored without a response, as real relays do.
        self._server = serve(self._meet, "127.0.0.1", 0, process_request=self._greet, max_size=None, close_timeout=0.5)
        self.port = self._server.socket.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"ws://{self.host}"

    def __enter__(self):
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.closing.set()
        self._server.shutdown()

    def will(self, *behaviours):
        self._next.extend(behaviours)

    def will_answer(self, *behaviours):
        self._answers.extend(behaviours)

    def articles(self):
        """Return the newest version of each article."""
        found = {}
        for event in sorted(self.events.values(), key=lambda event: (event["created_at"], event["id"])):
            if event["kind"] == 30023:
                found[event["pubkey"], *values(event, "d")] = event
        return list(found.values())

    def keep(self, event):
        """Store an event and return the response of the relay."""
        if not is_genuine(event):
            return ["OK", "", False, "invalid: Bad signature"]
        if event["id"] in self.events:
            return ["OK", event["id"], False, "duplicate: exists"]
        if event["kind"] == 30023:
            self._replace(event)
        if event["kind"] == 5:  # `a` is ignored
            for one in values(event, "e"):
                if one in self.events and self.events[one]["pubkey"] == event["pubkey"]:
                    del self.events[one]
        self.events[event["id"]] = event
        return ["OK", event["id"], True, ""]

    def _replace(self, event):
        """Remove older versions; a newer one, or one of the same second, stays beside it."""
        for other in list(self.events.values()):
            is_same = (other["kind"], other["pubkey"], values(other, "d")) == (
                30023,
                event["pubkey"],
                values(event, "d"),
            )
            if is_same and other["created_at"] < event["created_at"]:
                del self.events[other["id"]]
                return

    def _greet(self, connection, request):
        if request.headers.get("Accept") == "application/nostr+json":
            answer = connection.respond(200, json.dumps({"limitation": {"max_message_length": self.most}}))
            del answer.headers["Content-Type"]
            answer.headers["Content-Type"] = "application/nostr+json"
            return answer
        return connection.respond(self.status, "No") if self.status else None

    def _meet(self, connection):
        connection.is_member = self.members is None
        if self.members is not None:
            connection.send('["AUTH","challenge"]')
        try:
            for text in connection:
                self._hear(connection, text)
        except ConnectionClosed:
            pass

    def _hear(self, connection, text):
        if self.most is not None and len(text.encode()) > self.most:
            return
        verb, *rest = json.loads(text)
        getattr(self, f"_{verb.lower()}")(connection, *rest)

    def _auth(self, connection, event):
        is_right = is_genuine(event) and event["kind"] == 22242 and values(event, "relay") == [self.url]
        connection.is_member = (
            is_right and values(event, "challenge") == ["challenge"] and event["pubkey"] in self.members
        )
        connection.send(json.dumps(["OK", event["id"], connection.is_member, ""]))

    def _event(self, connection, event):
        self.told.append(event)
        behaviour = self._next.pop(0) if self._next else "ok"
        if not connection.is_member:
            return connection.send(json.dumps(["OK", event["id"], False, "auth-required: members only"]))
        if behaviour in ("ok", "lose", "hang-after"):
            answer = self.keep(event)
        return self._behave(connection, behaviour, json.dumps(answer if behaviour == "ok" else ["OK"]), event["id"])

    def _behave(self, connection, behaviour, answer, event_id):
        if behaviour == "ok":
            connection.send(answer)
        elif behaviour == "lose":
            connection.socket.close()
        elif behaviour == "rubbish":
            connection.send("<!doctype html>")
        elif behaviour == "silent-refusal":
            connection.send('["OK","",false,"invalid: Bad JSON"]')
        elif behaviour.startswith("hang"):
            self.closing.wait(10)
        else:
            connection.send(json.dumps(["OK", event_id, False, behaviour]))

    def _req(self, connection, name, *filters):
        for notice in self.notices:
            connection.send(json.dumps(["NOTICE", notice]))
        behaviour = self._answers.pop(0) if self._answers else "ok"
        if behaviour == "hang":
            self.closing.wait(10)
        elif behaviour == "rubbish":
            connection.send("7")
        elif behaviour != "ok":
            connection.send(json.dumps(["CLOSED", name, behaviour]))
        else:
            for event in list(self.events.values()):
                if any(_fits(event, one) for one in filters):
                    connection.send(json.dumps(["EVENT", name, event]))
            connection.send(json.dumps(["EOSE", name]))


def _fits(event, wanted):
    tags = all(set(values(event, name[1:])) & set(wanted[name]) for name in wanted if name.startswith("#"))
    is_author = event["pubkey"] in wanted.get("authors", [event["pubkey"]])
    return tags and is_author and event["kind"] in wanted["kinds"]


def react(relays, article, now):
    """Add two likes, a dislike, a comment with a reply, a mention and a repost to an article."""
    readers = [Identity(bytes(31) + bytes([n])) for n in (1, 2, 3)]
    address = f"30023:{article['pubkey']}:{values(article, 'd')[0]}"
    a, root = ["a", address], ["A", address]
    events = [reader.sign(7, now, [a], word) for reader, word in zip(readers, ("+", "❤️", "-"), strict=True)]
    events.append(readers[0].sign(7, now + 1, [a], "🤙"))  # again
    events += [readers[0].sign(1111, now, [root, a], "Fine"), readers[1].sign(1111, now, [root], "Indeed")]
    events += [readers[2].sign(1, now, [a], "Read this"), readers[2].sign(16, now, [a], "")]
    for relay in relays:
        for event in events:
            relay.keep(event)
