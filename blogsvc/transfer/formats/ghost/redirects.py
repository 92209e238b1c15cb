"""Read the redirects that the owner of a Ghost blog has set up: redirects.yaml or, in older backups, redirects.json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from blogsvc.lib.text.front_matter import BadFrontMatter, parse_yaml
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.decoding import decoded
from blogsvc.transfer.formats.parsed_post import ParsedPost, SkippedItem, UnreadableFile, counted, old_path

NAMES = ("redirects.yaml", "redirects.yml", "redirects.json")
MAX_BYTES = 1024 * 1024
_PATTERN = re.compile(r"[\\^$*+?()\[\]{}|]")


class GhostRedirects:
    """The redirects from a path to the page of a post or a tag, by the path that they lead to."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._sources: dict[str, list[str]] = {}
        self._used: set[str] = set()
        self._patterns = 0
        for source, target in pairs:
            if path := _plain(source):
                self._sources.setdefault(_key(target), []).append(path)
            else:
                self._patterns += 1

    @classmethod
    def of(cls, archive: Archive | None) -> GhostRedirects:
        """Return the redirects in an archive. A file that can't be read has none."""
        names = [] if archive is None else [name for name in archive.names if PurePosixPath(name).name in NAMES]
        if archive is None or not names:
            return cls(())
        try:
            return cls(_pairs(decoded(archive.read(names[0], MAX_BYTES))[0], names[0]))
        except (UnreadableFile, BadFrontMatter, ValueError, RecursionError):
            return cls(())

    def added_to(self, post: ParsedPost) -> ParsedPost:
        """Return the post with the paths that lead to it, or to the pages of its tags."""
        own = [source for path in post.old_paths for source in self._sources_of(path)]
        of_tags = [(source, tag) for path, tag in post.tag_paths for source in self._sources_of(path)]
        return replace(post, addresses=(*post.addresses, *own), tag_paths=(*post.tag_paths, *of_tags))

    def _sources_of(self, path: str) -> list[str]:
        self._used.add(_key(path))
        return self._sources.get(_key(path), [])

    def skipped(self) -> Iterator[SkippedItem]:
        """Yield the redirects that no post has, once all posts are read."""
        if self._patterns:
            reason = "Redirects from patterns are not imported, only those from single paths."
            yield SkippedItem(counted(self._patterns, "redirect", "redirects"), reason)
        left = [path for key, sources in self._sources.items() if key not in self._used for path in sources]
        if left:
            reason = "Only redirects to posts and tags of the file are imported."
            yield SkippedItem(counted(len(left), "redirect", "redirects"), reason, tuple(left))


def _pairs(text: str, name: str) -> Iterator[tuple[str, str]]:
    if name.endswith(".json"):
        rows: Any = json.loads(text)
        rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        yield from ((str(row.get("from") or ""), str(row.get("to") or "")) for row in rows)
        return
    fields = parse_yaml(text)
    for status in ("301", "302"):
        section = fields.get(status)
        if isinstance(section, dict):
            yield from ((str(source), str(target)) for source, target in section.items())


def _plain(source: str) -> str:
    """Return the path that a redirect is from; "" if it is a pattern for several paths."""
    path = re.sub(r"\(?/\??\)?\??\$?$|\$$", "", source.replace("\\/", "/")).removeprefix("^")
    return path if path.startswith("/") and not _PATTERN.search(path) else ""


def _key(path: str) -> str:
    return old_path(path).rstrip("/")
