"""Find out whether a file is MDX, which Docusaurus reads in all files unless its settings say otherwise.

Source: https://docusaurus.io/docs/markdown-features#mdx-vs-commonmark
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from blogsvc.transfer.formats.archives import Archive

_SETTINGS = re.compile(r"docusaurus\.config\.\w{2,4}")
_FORMAT = re.compile(r"""^[ \t]*+["']?format["']?[ \t]*+:[ \t]*+["'](md|mdx|detect)["']""", re.MULTILINE)
_MAX_SETTINGS = 1024 * 1024  # bytes


def has_mdx(archive: Archive) -> bool:
    """Return True for the archive of a site of Docusaurus whose Markdown files are MDX, whatever their names are."""
    for name in archive.names:
        path = PurePosixPath(name)
        if len(path.parts) <= 2 and _SETTINGS.fullmatch(path.name):
            told = _FORMAT.search(archive.head(name, _MAX_SETTINGS).decode(errors="replace"))
            return told is None or told[1] == "mdx"
    return False


def is_mdx(name: str, values: Mapping[str, Any], *, site_has_mdx: bool) -> bool:
    """Return True for a file that is MDX, by its front matter or its name.

    Args:
        site_has_mdx: The program reads MDX in all its Markdown files.
    """
    own = values.get("mdx")
    told = own.get("format") if isinstance(own, Mapping) else None
    if told in ("md", "mdx"):
        return bool(told == "mdx")
    return name.lower().endswith(".mdx") or site_has_mdx
