"""The addresses that the settings of a Hugo site give to its pages: https://gohugo.io/configuration/permalinks/."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.sites.settings import settings_in
from blogsvc.transfer.formats.tags.hugo import INDEXES, as_path

_SETTINGS = tuple(f"{name}.{suffix}" for name in ("hugo", "config", "permalinks") for suffix in ("toml", "yaml", "yml"))
_PART = re.compile(r":(\w++)")


@dataclass(frozen=True)
class HugoPermalinks:
    """The patterns of addresses, such as `/:year/:month/:slug/`, by the sections of a site."""

    patterns: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, archive: Archive) -> HugoPermalinks:
        """Return the patterns of a site's settings; none if they can't be read."""
        found: dict[str, str] = {}
        for name in archive.names:
            path = PurePosixPath(name)
            if path.name in _SETTINGS and len(path.parts) < 5:
                values = settings_in(archive, name)
                patterns = values if path.stem == "permalinks" else values.get("permalinks")
                for section, pattern in _patterns(patterns).items():
                    found.setdefault(section, pattern)
        return cls(found)

    def addresses(self, name: str, title: str, slug: str, date: datetime | None) -> tuple[str, ...]:
        """Return the address of a page by the pattern of its section; none if it has none.

        Args:
            name: the path of the file in the archive.
            slug: that of the front matter.
        """
        _, content, path = f"/{name}".rpartition("/content/")
        file = PurePosixPath(path)
        pattern = self.patterns.get(file.parts[0], "") if content and len(file.parts) > 1 else ""
        stem = file.stem.partition(".")[0]
        is_bundle = stem in INDEXES
        file_name = file.parent.name if is_bundle else file.stem
        parts = {
            "title": title,
            "slug": slug or title,
            "slugorfilename": slug or file_name,
            "slugorcontentbasename": slug or file_name,
            "filename": file_name,
            "contentbasename": file_name,
            "section": file.parts[0] if file.parts else "",
            "sections": "/".join((file.parent.parent if is_bundle else file.parent).parts),
        }
        if date is not None:
            parts |= {
                "year": f"{date:%Y}",
                "month": f"{date:%m}",
                "day": f"{date:%d}",
                "yearday": str(int(f"{date:%j}")),
            }
            parts |= {"monthname": f"{date:%B}", "weekday": f"{date:%w}", "weekdayname": f"{date:%A}"}
        if not pattern or not set(_PART.findall(pattern)) <= parts.keys():
            return ()
        return (as_path(_PART.sub(lambda part: parts[part[1]], pattern)),)


def _patterns(values: Any) -> dict[str, str]:
    """Return the patterns of pages: those beside their section, and those of `[permalinks.page]`."""
    if not isinstance(values, Mapping):
        return {}
    found = {name: pattern for name, pattern in values.items() if isinstance(pattern, str)}
    pages = values.get("page")
    return found | (_patterns(pages) if isinstance(pages, Mapping) else {})
