"""A request to the API, as a resource method builds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ._multipart import File


@dataclass(frozen=True)
class Request:
    method: str
    path: tuple[str | int, ...]
    query: Mapping[str, Any] = field(default_factory=dict)
    # The fields of a JSON body, or of a multipart form if there is a file. None: no body.
    body: Mapping[str, Any] | None = None
    file: File | None = None
    idempotency_key: str | None = None
    if_match: str | None = None
    if_none_match: str | None = None
    # Seconds the server may wait before it responds.
    wait: int | None = None
    # The id of the last event received on a stream; "" before the first one, None if this is not a stream.
    last_event_id: str | None = None

    @property
    def is_stream(self) -> bool:
        return self.last_event_id is not None

    def with_cursor(self, cursor: str) -> Request:
        """Return the request for another page."""
        return replace(self, query={**self.query, "cursor": cursor})

    def with_last_event_id(self, event_id: str) -> Request:
        """Return the request that continues the stream after this event."""
        return replace(self, last_event_id=event_id)
