"""Connectors to the fake platform (`tests/faulty_platform.py`), which use different features of it.

A package as a third party would write it: this directory on the path is all that a server needs.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from blogsvc.connectors.base import (
    Account,
    Article,
    Conflict,
    Connector,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Field,
    Gone,
    Keys,
    Payload,
    Receipt,
)


class Faulty(Connector):
    """The common base of the connectors."""

    checked_on = "2026-11-21"
    docs = "https://faulty.example/docs"
    accepts = "markdown"
    carries = frozenset({"title"})
    fields = (Field("url", "Address", help="Where the fake platform listens"),)
    once = "That is what it is here to test."
    key_header: ClassVar[str | None] = None

    def verify(self) -> Account:
        return Account(self.call("GET", "me", need="name").json()["name"])

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        body = {"post": article.id, "title": article.title, "text": article.markdown}
        return Payload({**body, "original": article.canonical_url or ""})

    def mint(self, article: Article) -> Keys:
        """Random, so that minting twice instead of once shows as a second copy."""
        return {"marker": secrets.token_hex(8)}

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        headers = {self.key_header: keys["marker"]} if self.key_header else {}
        body = {**payload.body, "marker": keys["marker"]}
        answer = self.call("POST", "copies", json=body, headers=headers, safe=self._is_safe(), need="id")
        return Receipt(answer.json()["id"], answer.json()["url"])

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        self.call("PUT", f"copies/{receipt.remote_id}", json=dict(payload.body), need="id")
        return receipt

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self.call("DELETE", f"copies/{receipt.remote_id}")

    def _is_safe(self) -> bool:
        return "create" in self.repeatable


class FaultyKey(Faulty):
    """Uses idempotency keys."""

    key = "faulty-key"
    label = "Faulty with a key"
    key_header = "Idempotency-Key"
    repeatable = frozenset({"create", "update", "delete"})


class FaultyFind(Faulty):
    """Uses no idempotency key, but can look up a copy by its marker."""

    key = "faulty-find"
    label = "Faulty with a look-up"

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        copies = self.find_all(keys)
        return CopyFound(copies[0]) if copies else CopyNotFound()

    def find_all(self, keys: Keys) -> list[Receipt]:
        copies = self.call("GET", f"copies?marker={keys['marker']}", need="found").json()["copies"]
        return [Receipt(copy["id"], copy["url"]) for copy in copies]


class FaultyDraft(FaultyFind):
    """Keeps withdrawn copies as drafts. The version of a copy is its title, its link to the original and its status."""

    key = "faulty-draft"
    label = "Faulty with drafts"

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return Payload({**super().compose(article, options).body, "status": "published"})

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        return replace(super().publish(payload, keys), version=_version(payload.body))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        self._require_version(keys, receipt, _version(payload.body))
        return replace(super().update(payload, keys, receipt), version=_version(payload.body))

    def unpublish(self, keys: Keys, receipt: Receipt) -> Receipt:
        current = self.fetch_version(keys, receipt)
        if current.version is not None and current.version.endswith(" draft"):
            return current
        if receipt.version not in (None, current.version):
            raise Conflict("The copy was edited.")
        answer = self.call("PUT", f"copies/{receipt.remote_id}", json={"status": "draft"}, need="id")
        return replace(receipt, version=_version(answer.json()))

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        copies = self.call("GET", f"copies?marker={keys['marker']}", need="found").json()["copies"]
        there = next((copy for copy in copies if copy["id"] == receipt.remote_id), None)
        if there is None:
            raise Gone("The copy is gone.")
        return replace(receipt, version=_version(there))

    def _require_version(self, keys: Keys, receipt: Receipt, wanted: str | None = None) -> None:
        """Raise Conflict if the copy has another version than the receipt, and is not as wanted already."""
        if receipt.version is not None and self.fetch_version(keys, receipt).version not in (receipt.version, wanted):
            raise Conflict("The copy was edited.")


def _version(copy: Mapping[str, Any]) -> str:
    return f"{copy['title']} {copy['original']} {copy['status']}"


class FaultyStage(FaultyFind):
    """Finds a copy by its marker, published or not, and has drafts. A draft's version is what it says."""

    key = "faulty-stage"
    label = "Faulty with staging"

    def stage(self, payload: Payload, keys: Keys, receipt: Receipt | None) -> Receipt:
        body = {**payload.body, "marker": keys["marker"], "is_draft": True}
        if receipt is None:
            return _receipt(self.call("POST", "copies", json=body, need="id").json())
        self._unchanged(keys, receipt)
        return _receipt(self.call("PUT", f"copies/{receipt.remote_id}", json=body, need="id").json())

    def publish_draft(self, payload: Payload, keys: Keys, receipt: Receipt, is_same: bool) -> Receipt:
        there = self._there(keys, receipt)
        if not there["is_draft"]:
            return _receipt(there)
        self._unchanged(keys, receipt)
        body = {"is_draft": False, **({} if is_same else payload.body)}
        return _receipt(self.call("PUT", f"copies/{receipt.remote_id}", json=body, safe=False, need="id").json())

    def find_draft(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        drafts = [copy for copy in self._marked(keys) if copy.get("is_draft")]
        return CopyFound(_receipt(drafts[0])) if drafts else CopyNotFound()

    def discard_draft(self, keys: Keys, receipt: Receipt) -> None:
        self._unchanged(keys, receipt)
        self.delete(keys, receipt)

    def _unchanged(self, keys: Keys, receipt: Receipt) -> None:
        there = self._there(keys, receipt)
        if not there["is_draft"] or receipt.version not in (None, _receipt(there).version):
            raise Conflict("Somebody changed the draft.")

    def _there(self, keys: Keys, receipt: Receipt) -> dict[str, Any]:
        found = [copy for copy in self._marked(keys) if copy["id"] == receipt.remote_id]
        if not found:
            raise Gone("Somebody deleted the draft.")
        return found[0]

    def _marked(self, keys: Keys) -> list[dict[str, Any]]:
        copies: list[dict[str, Any]] = self.call("GET", f"copies?marker={keys['marker']}", need="found").json()[
            "copies"
        ]
        return copies


def _receipt(copy: Mapping[str, Any]) -> Receipt:
    return Receipt(copy["id"], copy["url"], f"{copy['title']} {copy['text']}")


class FaultyBlind(Faulty):
    """Uses neither a key nor a look-up."""

    key = "faulty-blind"
    label = "Faulty without a look-up"


class FaultyBroken(Faulty):
    """Cannot compose any post."""

    key = "faulty-broken"
    label = "Faulty and broken"

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        raise IndexError("no post can be composed")


class FaultyNone(Faulty):
    """Uses neither, and cannot update a copy."""

    key = "faulty-none"
    label = "Faulty with neither"
    # Restores the default: this platform does not support it.
    update = Connector.update
