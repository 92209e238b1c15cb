"""What the page of a series or a tag begins with, as formats describe it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from blogsvc.transfer.formats.parsed_blog import ParsedBlog
from blogsvc.transfer.formats.parsed_media import ParsedMedia
from blogsvc.transfer.formats.parsed_post import (
    ParsedAuthor,
    ParsedLinks,
    ParsedPost,
    ParsedRedirect,
    SkippedItem,
    is_web,
)


@dataclass(frozen=True)
class ParsedPage:
    """What the page of a series or a tag begins with. `key` is the slug of the series, or the tag.

    `cover` is the URL of its image, and `file` the name of the image in the archive, "" for a URL on the web.
    """

    kind: Literal["series", "tag"]
    key: str
    title: str
    description: str = ""
    cover: str = ""
    file: str = ""
    is_complete: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def all_series_in(cls, listed: Any) -> Iterator[ParsedPage]:
        """Yield the series of a list in an export of blogsvc: `[{"slug": "boats", "title": "Boats"}]`."""
        yield from cls._all_in(listed, "series", "slug")

    @classmethod
    def all_tags_in(cls, listed: Any) -> Iterator[ParsedPage]:
        """Yield the tag pages of a list in an export of blogsvc: `[{"tag": "boats", "title": "All boats"}]`."""
        yield from cls._all_in(listed, "tag", "tag")

    @classmethod
    def _all_in(cls, listed: Any, kind: Literal["series", "tag"], key: str) -> Iterator[ParsedPage]:
        for row in listed if isinstance(listed, list) else ():
            if isinstance(row, dict):
                head = str(row.get(key)), str(row.get("title") or ""), str(row.get("description") or "")
                cover = str(row.get("coverImage") or "")
                file = "" if is_web(cover) else cover
                yield cls(kind, *head, cover, file, is_complete=row.get("isComplete") is True)


ParsedItem = (
    ParsedBlog | ParsedMedia | ParsedPost | ParsedAuthor | ParsedPage | ParsedRedirect | ParsedLinks | SkippedItem
)
