"""A post as a file with its images, in a folder that also contains other people's files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blogsvc.connectors._kit.images import OUR_NAME, ImageSource, fetch, relink
from blogsvc.connectors.base import Rejected
from blogsvc.connectors.folder.site_layouts import Layout
from blogsvc.lib import atomic_files
from blogsvc.lib.front_matter import text

MARK = "blogsvc_id"  # the front matter field of our files; files without it are never overwritten
HEAD_MOST = 64 * 1024  # bytes to search for that field


@dataclass(frozen=True)
class PostFiles:
    """The posts below `root`, as arranged by `layout`. Paths are relative, with "/"."""

    root: Path
    layout: Layout

    def write(self, body: Mapping[str, Any], album: ImageSource) -> None:
        """Write a post and its images, and delete images that it no longer uses.

        Raises Rejected if the path belongs to a file that is not ours, OutsideError, OSError.
        """
        target = self._at(body["path"])
        _require_ours(target, body["id"])
        found = dict(fetch(album, body["images"]))
        folder = self.layout.images(body["path"])
        for image in found.values():
            self._write(f"{folder}/{image.name}", image.data)
        links = {url: self.layout.link(body["path"], image.name) for url, image in found.items()}
        self._write(body["path"], _content_with_links(body, links).encode("utf-8", "replace"))
        self._tidy(body["path"], keep={image.name for image in found.values()})

    def remove(self, path: str, now_at: str | None = None) -> None:
        """Delete a post's file and its images, except images that the post at its new path uses."""
        atomic_files.remove(self._at(path), self.root)
        if now_at is None or self.layout.images(now_at) != self.layout.images(path):
            self._tidy(path, keep=set())

    def ours(self, path: str, tracked: Iterable[str] = ()) -> list[str]:
        """Return the paths of a post: its file and our images, on disk or in `tracked`."""
        folder = self.layout.images(path)
        named = {Path(other).name for other in tracked if str(Path(other).parent) == folder}
        directory = self._at(folder)
        on_disk = {entry.name for entry in directory.iterdir()} if directory.is_dir() else set()
        return [path, *sorted(f"{folder}/{name}" for name in named | on_disk if OUR_NAME.fullmatch(name))]

    def has(self, path: str) -> bool:
        return self._at(path).is_file()

    def version(self, path: str) -> str:
        """Return the git blob id of a file."""
        data = self._at(path).read_bytes()
        return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

    def _tidy(self, path: str, keep: set[str]) -> None:
        for image in self.ours(path)[1:]:
            if Path(image).name not in keep:
                atomic_files.remove(self._at(image), self.root)

    def _write(self, path: str, data: bytes) -> None:
        atomic_files.write(self._at(path), data)
        self._at(path)  # raises OutsideError if a directory became a link meanwhile

    def _at(self, path: str) -> Path:
        return atomic_files.inside(self.root, path)


def _content_with_links(body: Mapping[str, Any], links: Mapping[str, str]) -> str:
    """Return the content of the file with the new image URLs. In the front matter, a URL is a whole value."""
    head = body["head"]
    for url, link in links.items():
        head = head.replace(text(url), text(link))
    return f"{head}\n{relink(body['text'], links)}"


def _require_ours(target: Path, article_id: str) -> None:
    if not target.exists():
        return
    with target.open("rb") as file:
        head = file.read(HEAD_MOST).decode("utf-8", "replace")
    if f"\n{MARK}: {text(article_id)}\n" not in head:
        raise Rejected(f"Another file already exists at {target.name}. Change the slug of this post.")
