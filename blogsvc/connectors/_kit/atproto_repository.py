"""Records and blobs in an AT Protocol repository, for connectors that store copies there.

Records are written with putRecord under a key that we choose, never with createRecord, so a repeated write
cannot create a second one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, ClassVar
from urllib.parse import urlencode

from blogsvc.connectors._kit import atproto_tid
from blogsvc.connectors._kit.atproto_session import AtprotoAccount, BlobLost
from blogsvc.connectors.base import (
    Article,
    Conflict,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Gone,
    ImageFile,
    Keys,
    Receipt,
    Rejected,
    TextPart,
)
from blogsvc.connectors.payload_parts import visible

MAX_BLOB_BYTES = 1_000_000  # bytes of an image in a card or a document
BLOB_TYPES = ("image/jpeg", "image/png", "image/webp", "image/gif")


@dataclass(frozen=True)
class RepositoryRecord:
    """A record in the repository. `cid` is its version, a hash of its content."""

    uri: str
    cid: str
    value: Any


@dataclass
class AtprotoRepository(AtprotoAccount):
    """Stores copies as records of one `collection` of an account."""

    collection: ClassVar[str]
    repeatable = frozenset({"create", "update", "delete"})
    # A PDS deletes blobs that no record shows, after an hour at the earliest.
    uploads_keep = timedelta(minutes=50)
    once = "blogsvc chooses the record key before the first attempt, so a repeated write changes the same record."

    _image: ImageFile | None = field(default=None, init=False, repr=False)

    def mint(self, article: Article) -> Keys:
        return {"rkey": atproto_tid.mint()}

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        """Delete the record. Repeating it does no harm."""
        self.ask("com.atproto.repo.deleteRecord", json=self._place(keys["rkey"]))

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        if not atproto_tid.is_one(keys.get("rkey", "")):
            return CopyUnknown()
        try:
            return CopyFound(self.receipt(self.get(keys["rkey"])))
        except Gone:
            return CopyNotFound()

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return self.receipt(self.get(keys["rkey"]))

    def read_back(self, keys: Keys, receipt: Receipt) -> tuple[TextPart, ...]:
        """Return the record. Apps render its text in their own way."""
        return tuple(visible(self.shows, {"record": self.get(keys["rkey"]).value}))

    def receipt(self, record: RepositoryRecord) -> Receipt:
        return Receipt(record.uri, self.page(record.uri), record.cid)

    def page(self, uri: str) -> str | None:
        """Return the URL where people can see the record."""
        return None

    def get(self, rkey: str, collection: str = "") -> RepositoryRecord:
        """Return the current record. Needs no session, because records are public. Raises Gone."""
        query = urlencode(self._place(rkey, collection))
        answer = self.call("GET", f"xrpc/com.atproto.repo.getRecord?{query}", need="cid").json()
        return RepositoryRecord(self.uri(rkey, collection), str(answer["cid"]), answer.get("value"))

    def put(
        self, rkey: str, record: Mapping[str, Any], swap: str | None = None, collection: str = ""
    ) -> RepositoryRecord:
        """Write a record; with `swap`, only if that is its current version. Raises Conflict."""
        body = {**self._place(rkey, collection), "record": record, **({"swapRecord": swap} if swap else {})}
        try:
            answer = self.ask("com.atproto.repo.putRecord", json=body, need="cid")
        except BlobLost:
            if self._image is not None:
                self.uploads.forget(self._image)
            raise
        return RepositoryRecord(self.uri(rkey, collection), str(answer["cid"]), record)

    def change(self, rkey: str, record: Mapping[str, Any], version: str | None) -> Receipt:
        """Replace the version `version` of a record. Accepts a record that an earlier attempt has already changed."""
        try:
            return self.receipt(self.put(rkey, record, version))
        except Conflict:
            current = self.get(rkey)
            if current.value != record:
                raise
            return self.receipt(current)

    def blob(self, url: str | None) -> Any:
        """Upload an image and return the blob reference, None if it is unavailable or rejected."""
        image = self.images.get(url, MAX_BLOB_BYTES, BLOB_TYPES) if url else None
        self._image = image
        reference = self.uploads.once(image, self._upload) if image else None
        return json.loads(reference) if reference else None

    def _upload(self, image: ImageFile) -> str | None:
        """Upload an image, and return the blob reference as JSON."""
        headers = {"Content-Type": image.media_type}
        try:
            answer = self.ask("com.atproto.repo.uploadBlob", content=image.data, headers=headers, need="blob")
        except Rejected:
            return None
        return json.dumps(answer["blob"])

    def uri(self, rkey: str, collection: str = "") -> str:
        return f"at://{self.did()}/{collection or self.collection}/{rkey}"

    def _place(self, rkey: str, collection: str = "") -> dict[str, str]:
        return {"repo": self.did(), "collection": collection or self.collection, "rkey": rkey}
