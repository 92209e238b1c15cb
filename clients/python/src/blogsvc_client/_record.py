"""What the API answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, ClassVar, NoReturn

from ._reading import camel, copied, snake


@dataclass(frozen=True)
class Response:
    """How an answer came. `headers` are found in any case."""

    status: int
    headers: Mapping[str, str]

    @property
    def etag(self) -> str | None:
        """The version of what was answered, for `if_match` and `if_none_match`."""
        return self.headers.get("etag")

    @property
    def request_id(self) -> str | None:
        """By this the server's log knows the request."""
        return self.headers.get("x-request-id")

    @property
    def is_replayed(self) -> bool:
        """Whether this is the answer to an earlier request with the same idempotency key."""
        return self.headers.get("idempotency-replayed") == "true"


class Record(Mapping[str, Any]):
    """An answer, or a part of one. It is read only.

    As attributes its fields have Python's names and kinds: `post.scheduled_at` is a `datetime`. By key they are as they
    were answered: `post["scheduledAt"]` is a text. A field that this version of the library does not know is there too.
    """

    # How fields are read that are more than JSON, by their names in the API; and which of them may be left out.
    _reads: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    _optional: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, document: Mapping[str, Any], response: Response | None = None) -> None:
        vars(self).update(_document=document, _response=response)

    @property
    def response(self) -> Response:
        """How it came. A part of an answer has none: AttributeError."""
        response: Response | None = self._response
        if response is None:
            raise AttributeError
        return response

    def __getitem__(self, key: str) -> Any:
        return copied(self._document[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def __repr__(self) -> str:
        """Its id or its name, and no more: a record may hold a secret, or a long text."""
        named = next((key for key in ("id", "name") if key in self._document), None)
        shown = f"{named}={self._document[named]!r}" if named else ", ".join(self._document)
        return f"{type(self).__name__}({shown})"

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *map(snake, self._document)]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} is read only.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} is read only.")

    if TYPE_CHECKING:
        # Not __getattr__, or a misspelt attribute would be as good as any to a type checker.
        _document: Mapping[str, Any]
        _response: Response | None
    else:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):  # asked while it is copied, before it has anything
                raise AttributeError(name)
            key = camel(name)
            if key not in self._document and key not in self._optional:
                raise AttributeError(f"This {type(self).__name__} has no {name!r}; it has {', '.join(self)}.")
            value = self._document.get(key)
            return self._reads.get(key, copied)(value) if value is not None else None
