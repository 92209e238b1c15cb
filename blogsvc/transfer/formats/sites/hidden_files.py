"""Recognize files that programs leave out because their names, or those of their folders, begin with an underscore.

Sources: https://docusaurus.io/docs/api/plugins/@docusaurus/plugin-content-blog (`exclude`),
https://docs.astro.build/en/guides/routing/#excluding-pages, https://quarto.org/docs/websites/website-tools.html,
the `EntryFilter` of Jekyll, and https://hexo.io/docs/writing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

# Below the folder of the settings, or below folders that the program has.
_PROGRAMS = (
    (re.compile(r"(?:docusaurus\.config\.\w{2,4}|_quarto\.ya?ml)"), ""),
    (re.compile(r"astro\.config\.\w{2,4}"), "src/"),
)
_FOLDERS = re.compile(r"(?:^|/)(?:_posts|_drafts|src/content|src/pages)/")
_OF_JEKYLL = re.compile(r"_config\.ya?ml")


class HiddenFiles:
    """The files that the program of an archive never shows, by their names."""

    def __init__(self, names: Iterable[str]) -> None:
        self._roots: list[str] = []
        self._has_jekyll = False
        for name in names:
            path = PurePosixPath(name)
            if len(path.parts) > 2:
                continue
            folder = name.removesuffix(path.name)
            self._roots += [folder + below for pattern, below in _PROGRAMS if pattern.fullmatch(path.name)]
            self._has_jekyll = self._has_jekyll or _OF_JEKYLL.fullmatch(path.name) is not None

    def __contains__(self, name: str) -> bool:
        inside = _FOLDERS.search(name)
        places = [len(root) for root in self._roots if name.startswith(root)]
        places += [inside.end()] if inside else []
        if any(part.startswith("_") for place in places for part in name[place:].split("/")):
            return True
        return self._has_jekyll and PurePosixPath(name).name.startswith("_")
