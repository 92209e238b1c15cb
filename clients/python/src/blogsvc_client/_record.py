"""Records: the objects that the API returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, ClassVar, NoReturn

from ._decode import camel_case, deep_copy, snake_case


@dataclass(frozen=True)
class Response:
    """The status and headers of an HTTP response. Header names are case-insensitive."""

    status: int
    headers: Mapping[str, str]

    @property
    def etag(self) -> str | None:
        """The ETag of the resource, for `if_match` and `if_none_match`."""
        return self.headers.get("etag")

    @property
    def request_id(self) -> str | None:
        """The id of the request in the server's log."""
        return self.headers.get("x-request-id")

    @property
    def is_replayed(self) -> bool:
        """Whether this is the stored response to an earlier request with the same idempotency key."""
        return self.headers.get("idempotency-replayed") == "true"


class Record(Mapping[str, Any]):
    """An object that the API returned, or an object nested in one. It is read-only.

    Attributes have Python names and types: `post.scheduled_at` is a `datetime`. Keys have the names and JSON values of
    the API: `post["scheduledAt"]` is a string. Fields that this version of the library does not know are available too.
    """

    # Decoders of fields that are more than plain JSON, by API name, and the fields that the API may omit.
    _decoders: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    _optional: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, document: Mapping[str, Any], response: Response | None = None) -> None:
        vars(self).update(_document=document, _response=response)

    @property
    def response(self) -> Response:
        """The status and headers of the HTTP response. Raises AttributeError on a nested object."""
        response: Response | None = self._response
        if response is None:
            raise AttributeError  # the caller sees the message of __getattr__
        return response

    def __getitem__(self, key: str) -> Any:
        return deep_copy(self._document[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def __repr__(self) -> str:
        """Show only the id or the name, since a record may contain a secret or a long text."""
        key = next((key for key in ("id", "name") if key in self._document), None)
        content = f"{key}={self._document[key]!r}" if key else ", ".join(self._document)
        return f"{type(self).__name__}({content})"

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *map(snake_case, self._document)]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} is read-only.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} is read-only.")

    if TYPE_CHECKING:
        # Without __getattr__, so that a type checker reports misspelt attributes.
        _document: Mapping[str, Any]
        _response: Response | None
    else:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):  # looked up by copy and pickle before __init__ has run
                raise AttributeError(name)
            key = camel_case(name)
            if key not in self._document and key not in self._optional:
                raise AttributeError(f"This {type(self).__name__} has no {name!r}. Its fields are {', '.join(self)}.")
            value = self._document.get(key)
            return self._decoders.get(key, deep_copy)(value) if value is not None else None
