"""The object that Granian passes for each request."""

from __future__ import annotations

from typing import Any, Protocol


class DisconnectWatcher(Protocol):
    """The interface of the object that Granian passes for each request."""

    scope: Any
    proto: Any

    def done(self) -> None: ...
    def err(self, error: BaseException) -> None: ...
