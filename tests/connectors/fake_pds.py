"""A fake PDS with one account, a directory of identities and an AppView that counts readers.

It returns recorded responses of a real one (`recorded/bluesky.json`) and checks what that checks: tokens, record keys,
versions, and the length, time and image of a post.
"""

from __future__ import annotations

import hashlib
import json
from urllib.parse import parse_qs, urlsplit

import regex

from blogsvc.connectors._kit import atproto_tid
from blogsvc.connectors.base import dumps
from tests.outside import Outside, Reply
from tests.real.recorder import recorded

URL = "https://pds.example"
DID = "did:plc:alice"
HANDLE = "alice.example"
PASSWORD = "abcd-efgh-ijkl-mnop"
SETTINGS = {"handle": HANDLE, "password": PASSWORD, "url": URL}
APPVIEW = "https://public.api.bsky.app"
POSTS = "app.bsky.feed.post"
MOST_REQUEST = 150 * 1024
SAID = recorded("bluesky")


class Refused(Exception):
    """A recorded error response; `words` replaces its message."""

    def __init__(self, name, words=None):
        answer = SAID[name]
        body = {**answer["body"], **({"message": words} if words else {})}
        self.reply = Reply(answer["status"], json=body)


class FakePDS:
    def __init__(self, outside: Outside):
        self.records = {}  # (collection, rkey): (cid, record)
        self.blobs = {}  # cid: media type
        self.figures = {}
        self.access, self.refresh = set(), set()
        self.sign_ins, self.renewals, self.commits = 0, 0, 0
        for method, name, answer in (
            ("POST", "com.atproto.server.createSession", self.create_session),
            ("POST", "com.atproto.server.refreshSession", self.refresh_session),
            ("POST", "com.atproto.repo.putRecord", self.put_record),
            ("POST", "com.atproto.repo.deleteRecord", self.delete_record),
            ("POST", "com.atproto.repo.uploadBlob", self.upload_blob),
            ("GET", "com.atproto.repo.getRecord", self.get_record),
        ):
            outside.teach(method, f"{URL}/xrpc/{name}", self.guarded(answer))
        outside.teach("GET", f"{APPVIEW}/xrpc/com.atproto.identity.resolveHandle", self.guarded(self.resolve))
        outside.teach("GET", f"{APPVIEW}/xrpc/app.bsky.feed.getPosts", self.guarded(self.get_posts))
        service = {"id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": URL}
        outside.teach("GET", f"https://plc.directory/{DID}", json={"id": DID, "service": [service]})

    def of(self, collection):
        return {rkey: record for (where, rkey), (_, record) in self.records.items() if where == collection}

    def edit(self, collection, **changed):
        [(rkey, record)] = self.of(collection).items()
        self.write(collection, rkey, {**record, **changed})

    def expire(self):
        """Expire the access tokens."""
        self.access = set()

    def guarded(self, answer):
        def answering(seen):
            try:
                return Reply(json=answer(seen))
            except Refused as refused:
                return refused.reply

        return answering

    def create_session(self, seen):
        self.sign_ins += 1
        wish = seen.json()
        if (wish["identifier"], wish["password"]) not in {(HANDLE, PASSWORD), (DID, PASSWORD)}:
            raise Refused("com.atproto.server.createSession AuthenticationRequired")
        return self.session()

    def refresh_session(self, seen):
        if seen.body:
            raise Refused("com.atproto.server.refreshSession InvalidRequest")
        token = bearer(seen)
        if token not in self.refresh:
            raise Refused("com.atproto.server.refreshSession InvalidToken")
        self.refresh.remove(token)
        self.renewals += 1
        return self.session()

    def session(self):
        number = self.sign_ins * 100 + self.renewals
        tokens = {"accessJwt": f"access-{number}", "refreshJwt": f"refresh-{number}"}
        self.access.add(tokens["accessJwt"])
        self.refresh.add(tokens["refreshJwt"])
        return {**SAID["com.atproto.server.createSession ok"]["body"], **tokens, "did": DID, "handle": HANDLE}

    def put_record(self, seen):
        self.check_token(seen)
        wish = seen.json()
        assert wish["repo"] == DID
        assert len(seen.body) <= MOST_REQUEST
        where, record = (wish["collection"], wish["rkey"]), wish["record"]
        assert record["$type"] == wish["collection"]
        if not atproto_tid.is_one(wish["rkey"]):
            invalid(f'Invalid record key for {where[0]}: Invalid TID string (got "{wish["rkey"]}") at $')
        if where[0] == POSTS:
            self.check_post(record)
        self.check_blobs(record)
        there, _ = self.records.get(where, (None, None))
        cid = cid_of(record)
        if there != cid and wish.get("swapRecord") not in (None, there):
            raise Refused("com.atproto.repo.putRecord InvalidSwap", f"Record was at {there or 'null'}")
        self.write(*where, record)
        return {**SAID["com.atproto.repo.putRecord ok"]["body"], "uri": f"at://{DID}/{where[0]}/{where[1]}", "cid": cid}

    def write(self, collection, rkey, record):
        cid = cid_of(record)
        self.commits += self.records.get((collection, rkey), ("",))[0] != cid
        self.records[collection, rkey] = cid, record

    def check_post(self, record):
        if (count := len(regex.findall(r"\X", record["text"]))) > 300:
            invalid(f"Invalid {POSTS} record: grapheme too big (maximum 300, got {count}) at $.record.text")
        if (count := len(record["text"].encode())) > 3000:
            invalid(f"Invalid {POSTS} record: string too big (maximum 3000, got {count}) at $.record.text")
        if not record.get("createdAt", "").endswith("Z"):
            invalid(f'Invalid {POSTS} record: Missing required key "createdAt" at $.record')
        if (count := len(record.get("tags", ()))) > 8:
            invalid(f"Invalid {POSTS} record: array too big (maximum 8, got {count}) at $.record.tags")

    def check_blobs(self, record):
        card = record.get("embed", {}).get("external", {})
        for blob in filter(None, (card.get("thumb"), record.get("coverImage"))):
            if blob["size"] > 1_000_000:
                invalid(f"Invalid record: blob too big (maximum 1000000, got {blob['size']}) at $.record")
            if blob["ref"]["$link"] not in self.blobs:
                raise Refused("com.atproto.repo.putRecord BlobNotFound")

    def delete_record(self, seen):
        self.check_token(seen)
        wish = seen.json()
        was_there = self.records.pop((wish["collection"], wish["rkey"]), None)
        return SAID["com.atproto.repo.deleteRecord ok"]["body"] if was_there else {}

    def get_record(self, seen):
        query = asked(seen)
        where = query["collection"], query["rkey"]
        if where not in self.records:
            raise Refused("com.atproto.repo.getRecord RecordNotFound")
        cid, record = self.records[where]
        return {"uri": f"at://{DID}/{where[0]}/{where[1]}", "cid": cid, "value": record}

    def upload_blob(self, seen):
        self.check_token(seen)
        cid = "bafkrei" + hashlib.sha256(seen.body).hexdigest()[:52]
        self.blobs[cid] = seen.headers["content-type"]
        blob = {"$type": "blob", "ref": {"$link": cid}, "mimeType": self.blobs[cid], "size": len(seen.body)}
        return {"blob": blob}

    def resolve(self, seen):
        if asked(seen)["handle"] != HANDLE:
            raise Refused("com.atproto.identity.resolveHandle InvalidRequest")
        return {"did": DID}

    def get_posts(self, seen):
        """Return posts only once they have figures: the real index lags as well."""
        assert not seen.headers.get("authorization")
        uri = asked(seen)["uris"]
        return {"posts": [{"uri": uri, **self.figures}] if self.figures else []}

    def check_token(self, seen):
        token = bearer(seen)
        if token.startswith("access-") and token not in self.access:
            raise Refused("com.atproto.repo.putRecord ExpiredToken")
        if token not in self.access:
            raise Refused("com.atproto.repo.putRecord InvalidToken")


def invalid(words):
    raise Refused("com.atproto.repo.putRecord InvalidRequest", words)


def bearer(seen):
    return seen.headers.get("authorization", "").removeprefix("Bearer ")


def asked(seen):
    return {name: values[0] for name, values in parse_qs(urlsplit(seen.url).query).items()}


def cid_of(record):
    return "bafyrei" + hashlib.sha256(dumps(json.loads(json.dumps(record)))).hexdigest()[:52]
