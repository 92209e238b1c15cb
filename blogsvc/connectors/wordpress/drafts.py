"""Drafts on WordPress: posts that only editors see, with their images and terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blogsvc.connectors.base import (
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Keys,
    Payload,
    Receipt,
    Unsupported,
)
from blogsvc.connectors.wordpress.copy import COPY_FIELDS, POSTS, changed, path_of, receipt_of, version_of
from blogsvc.connectors.wordpress.site import WordPressSite

# The statuses that publish a post. With another one, the copy itself waits on WordPress.
PUBLISHING = frozenset({"publish", "private"})

OVERWRITE = "retry to overwrite the changes"


class WordPressDrafts(WordPressSite):
    """The methods for drafts. The methods that they use are those of the connector."""

    def stage(self, payload: Payload, keys: Keys, receipt: Receipt | None) -> Receipt:
        if payload.body["status"] not in PUBLISHING:
            raise Unsupported("This post is not published on WordPress, so it needs no draft.")
        if receipt is not None:
            self._unchanged(receipt)
        post = {**self._post(payload.body, keys), "status": "draft"}
        path = POSTS if receipt is None else path_of(receipt)
        query = {"_fields": COPY_FIELDS}
        return receipt_of(self.ask("POST", path, query, json=post, safe=receipt is not None, need="id").json())

    def publish_draft(self, payload: Payload, keys: Keys, receipt: Receipt, is_same: bool) -> Receipt:
        copy = self._current_copy(receipt)
        if copy.get("status") in PUBLISHING:  # by a former attempt, whose response was lost
            return receipt_of(copy)
        if receipt.version not in (None, version_of(copy)):
            raise changed(copy, OVERWRITE)
        status = {"status": payload.body["status"]}
        post = (status if is_same else self._post(payload.body, keys)) | self._date(payload.body, keys)
        query = {"_fields": COPY_FIELDS}
        return receipt_of(self.ask("POST", path_of(receipt), query, json=post, need="id").json())

    def find_draft(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        copies = self.find_all(keys)
        if not copies:
            outcome = self.find(keys)
            if not isinstance(outcome, CopyFound):
                return outcome
            copies = [outcome.receipt]
        draft = next((copy for copy in copies if self._current_copy(copy).get("status") == "draft"), None)
        return CopyNotFound() if draft is None else CopyFound(draft)

    def discard_draft(self, keys: Keys, receipt: Receipt) -> None:
        self._unchanged(receipt)
        self.delete(keys, receipt)

    def _unchanged(self, receipt: Receipt) -> None:
        """Raise Conflict if somebody changed or published the draft, Gone if it was deleted."""
        draft = self._current_copy(receipt)
        if draft.get("status") != "draft" or receipt.version not in (None, version_of(draft)):
            raise changed(draft, OVERWRITE)

    def _current_copy(self, receipt: Receipt) -> dict[str, Any]:
        raise NotImplementedError

    def _date(self, body: Mapping[str, Any], keys: Keys) -> dict[str, Any]:
        raise NotImplementedError

    def _post(self, body: Mapping[str, Any], keys: Keys) -> dict[str, Any]:
        raise NotImplementedError
