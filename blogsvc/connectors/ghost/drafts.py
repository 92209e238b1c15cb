"""Drafts on Ghost: posts that only staff see, with their images. Only the request that publishes one may e-mail it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blogsvc.connectors.base import (
    Conflict,
    Connector,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Keys,
    Payload,
    Receipt,
)
from blogsvc.connectors.ghost.posts import GhostPost, changed, path_of


class GhostDrafts(Connector):
    """The methods for drafts. The methods that they use are those of the connector."""

    def stage(self, payload: Payload, keys: Keys, receipt: Receipt | None) -> Receipt:
        if receipt is None:
            post, images = self._with_images(payload.body, {})
            draft = self._write("POST", "posts/?source=html", {**post, "status": "draft"})
            return draft.receipt(images)
        draft = self._unchanged(receipt)
        post, images = self._with_images(payload.body, receipt.extra)
        sent = {**post, "status": "draft", "updated_at": draft.updated_at}
        return self._write("PUT", f"{path_of(draft.id)}?source=html", sent, safe=True).receipt(images)

    def publish_draft(self, payload: Payload, keys: Keys, receipt: Receipt, is_same: bool) -> Receipt:
        """Publish the draft. Ghost converts and checks a text that is sent, so an equal one is left out."""
        version = receipt.version or self._current_post(receipt.remote_id).updated_at
        post, images = ({}, receipt.extra) if is_same else self._with_images(payload.body, receipt.extra)
        post = {**post, **self._date(payload.body, keys)}
        draft = GhostPost(receipt.remote_id, "draft", None, version)
        try:
            return self._publish_draft(draft, post, payload.body["newsletter"]).receipt(images)
        except Conflict:
            copy = self._current_post(receipt.remote_id)
            if copy.is_out:  # by a former attempt, whose response was lost
                return copy.receipt(images)
            raise

    def find_draft(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        draft = next((post for post in self._find_all(keys) if not post.is_out), None)
        return CopyFound(draft.receipt()) if draft is not None else CopyNotFound()

    def discard_draft(self, keys: Keys, receipt: Receipt) -> None:
        self.call("DELETE", path_of(self._unchanged(receipt).id))

    def _unchanged(self, receipt: Receipt) -> GhostPost:
        """Return the draft as it is on Ghost. Raises Conflict if somebody changed or published it."""
        draft = self._current_post(receipt.remote_id)
        if draft.is_out or receipt.version not in (None, draft.updated_at):
            raise Conflict(changed(draft.updated_at))
        return draft

    def _current_post(self, post_id: str) -> GhostPost:
        """Return a post, published or not. Raises Gone."""
        raise NotImplementedError

    def _find_all(self, keys: Keys) -> list[GhostPost]:
        raise NotImplementedError

    def _date(self, body: Mapping[str, Any], keys: Keys) -> dict[str, Any]:
        raise NotImplementedError

    def _with_images(
        self, body: Mapping[str, Any], known_urls: Mapping[str, str]
    ) -> tuple[dict[str, Any], dict[str, str]]:
        raise NotImplementedError

    def _publish_draft(self, draft: GhostPost, post: Mapping[str, Any], newsletter: str) -> GhostPost:
        raise NotImplementedError

    def _write(self, method: str, path: str, post: Mapping[str, Any], safe: bool = False) -> GhostPost:
        raise NotImplementedError
