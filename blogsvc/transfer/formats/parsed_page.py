"""What the page of a series begins with, as formats describe it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from blogsvc.transfer.formats.parsed_post import is_web


@dataclass(frozen=True)
class ParsedPage:
    """What the page of a series begins with. `key` is its slug.

    `cover` is the URL of its image, `file` the name of the image in the archive, "" for a URL on the web, and `alt` its
    alt text in the library.
    """

    kind: Literal["series"]
    key: str
    title: str
    description: str = ""
    cover: str = ""
    file: str = ""
    is_complete: bool = False
    alt: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def all_series_in(cls, listed: Any) -> Iterator[ParsedPage]:
        """Yield the series of a list in an export of blogsvc: `[{"slug": "boats", "title": "Boats"}]`."""
        for row in listed if isinstance(listed, list) else ():
            if isinstance(row, dict):
                head = str(row.get("slug")), str(row.get("title") or ""), str(row.get("description") or "")
                cover = str(row.get("coverImage") or "")
                yield cls("series", *head, cover, "" if is_web(cover) else cover, row.get("isComplete") is True)
