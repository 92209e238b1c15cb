"""Tell what the program that shows a Markdown file reads in another way than our pages."""

from __future__ import annotations

from dataclasses import dataclass

from blogsvc.transfer.formats.markdown_fields import Fields


@dataclass(frozen=True)
class Flavor:
    """What a text may have. With `is_hashnode`, Hashnode made the file."""

    is_hashnode: bool = False

    @classmethod
    def of(cls, fields: Fields) -> Flavor:
        return cls(is_hashnode=bool(fields.text("cuid")))
