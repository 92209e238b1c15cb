"""An image of the media library, as an export of blogsvc lists it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from blogsvc.lib.media_names import key_in
from blogsvc.transfer.formats.parsed_post import clean

MAX_LENGTH = 2000  # characters of a field; longer ones are cut to what an image can have later


@dataclass(frozen=True)
class ParsedMedia:
    """An image: where its file is, and what the library had.

    `place` is the name of the file in the archive, or its URL. `key` is in its address in texts, "" in old exports.
    """

    place: str
    key: str
    filename: str
    alt: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def all_in(cls, listed: Any) -> Iterator[ParsedMedia]:
        """Yield the images of a list in an export of blogsvc.

        `[{"url": "https://...", "path": "/media/ferry-7k3m9q2xvb.jpg", "filename": "Ferry.jpg", "alt": "A ferry"}]`, or
        with `file`, the name in the zip file, in place of `url`.
        """
        for row in listed if isinstance(listed, list) else ():
            if isinstance(row, dict) and (place := _text(row, "file") or _text(row, "url")):
                key = key_in(_text(row, "path").removeprefix("/media/")) or ""
                yield cls(place, key, _text(row, "filename") or place.rpartition("/")[2], _text(row, "alt"))


def _text(row: Mapping[str, Any], name: str) -> str:
    return clean(str(row.get(name) or ""))[:MAX_LENGTH]
