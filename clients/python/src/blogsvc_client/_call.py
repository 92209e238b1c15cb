"""What a method of a resource asks for, in the words of the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ._form import File


@dataclass(frozen=True)
class Call:
    verb: str
    path: tuple[str | int, ...]
    query: Mapping[str, Any] = field(default_factory=dict)
    # The fields of a document, or those that go along with a file; without any, nothing is sent.
    body: Mapping[str, Any] | None = None
    file: File | None = None
    idempotency_key: str | None = None
    if_match: str | None = None
    if_none_match: str | None = None
    # Seconds for which the server may hold back its answer.
    wait: int | None = None
    # The last event that was heard on a stream; "" before the first. Nothing else is a stream.
    last_event_id: str | None = None

    @property
    def is_stream(self) -> bool:
        return self.last_event_id is not None

    def of_page(self, cursor: str) -> Call:
        """The same for another page."""
        return replace(self, query={**self.query, "cursor": cursor})

    def after(self, event_id: str) -> Call:
        """The same stream from there on."""
        return replace(self, last_event_id=event_id)
