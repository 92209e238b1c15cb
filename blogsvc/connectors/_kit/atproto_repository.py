"""A repository of the AT Protocol: its records and its pictures. For connectors that keep their copies in one.

A record is written with putRecord under a key of ours, never with createRecord: written twice, it is there once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlencode

from blogsvc.connectors._kit.atproto_session import AtprotoAccount
from blogsvc.connectors.base import (
    Article,
    Conflict,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Gone,
    Keys,
    Receipt,
    Rejected,
)
from blogsvc.lib import atproto_tid

MOST_PICTURE = 1_000_000  # bytes of the picture of a card, or of a document
PICTURES = ("image/jpeg", "image/png", "image/webp", "image/gif")


@dataclass(frozen=True)
class RepositoryRecord:
    """What the repository has under a key. `cid` is its version: the hash of its content."""

    uri: str
    cid: str
    value: Any


@dataclass
class AtprotoRepository(AtprotoAccount):
    """An account's records of one `collection`."""

    collection: ClassVar[str]
    repeatable = frozenset({"create", "update", "delete"})
    once = "The record's key is chosen here before the first attempt; written twice, it is the same record."

    def mint(self, article: Article) -> Keys:
        return {"rkey": atproto_tid.mint()}

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        """The platform takes a second deletion for as good as the first."""
        self.ask("com.atproto.repo.deleteRecord", json=self._place(keys["rkey"]))

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        if not atproto_tid.is_one(keys.get("rkey", "")):
            return CopyUnknown()
        try:
            return CopyFound(self.receipt(self.get(keys["rkey"])))
        except Gone:
            return CopyNotFound()

    def look(self, keys: Keys, receipt: Receipt) -> Receipt:
        return self.receipt(self.get(keys["rkey"]))

    def receipt(self, record: RepositoryRecord) -> Receipt:
        return Receipt(record.uri, self.page(record.uri), record.cid)

    def page(self, uri: str) -> str | None:
        """Where people see the record."""
        return None

    def get(self, rkey: str, collection: str = "") -> RepositoryRecord:
        """The record as it stands there. Raises Gone. Anybody may read it: it needs no session."""
        query = urlencode(self._place(rkey, collection))
        said = self.call("GET", f"xrpc/com.atproto.repo.getRecord?{query}", need="cid").json()
        return RepositoryRecord(self.uri(rkey, collection), str(said["cid"]), said.get("value"))

    def put(
        self, rkey: str, record: Mapping[str, Any], swap: str | None = None, collection: str = ""
    ) -> RepositoryRecord:
        """Write a record, over the version `swap` alone where one is given. Raises Conflict."""
        wish = {**self._place(rkey, collection), "record": record, **({"swapRecord": swap} if swap else {})}
        said = self.ask("com.atproto.repo.putRecord", json=wish, need="cid")
        return RepositoryRecord(self.uri(rkey, collection), str(said["cid"]), record)

    def change(self, rkey: str, record: Mapping[str, Any], version: str | None) -> Receipt:
        """Write it over `version`. What is there already as we want it came from us, by an answer that got lost."""
        try:
            return self.receipt(self.put(rkey, record, version))
        except Conflict:
            there = self.get(rkey)
            if there.value != record:
                raise
            return self.receipt(there)

    def blob(self, url: str | None) -> Any:
        """A picture as a record refers to it; None where it cannot be had, or is not taken."""
        picture = self.album.get(url, MOST_PICTURE, PICTURES) if url else None
        if picture is None:
            return None
        try:
            headers = {"Content-Type": picture.media_type}
            return self.ask("com.atproto.repo.uploadBlob", content=picture.data, headers=headers, need="blob")["blob"]
        except Rejected:
            return None

    def uri(self, rkey: str, collection: str = "") -> str:
        return f"at://{self.did()}/{collection or self.collection}/{rkey}"

    def _place(self, rkey: str, collection: str = "") -> dict[str, str]:
        return {"repo": self.did(), "collection": collection or self.collection, "rkey": rkey}
