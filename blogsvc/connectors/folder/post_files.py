"""A post as a file with its images, in a folder that also contains other people's files."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blogsvc.connectors._kit.images import OUR_NAME, ImageSource, fetch, relink
from blogsvc.connectors.base import Rejected
from blogsvc.connectors.folder.confined_files import ConfinedFiles
from blogsvc.connectors.folder.site_layouts import Layout
from blogsvc.lib.text.front_matter import text

MARK = "blogsvc_id"  # the front matter field of our files; files without it are never overwritten
HEAD_MOST = 64 * 1024  # bytes to search for that field


@dataclass(frozen=True)
class PostFiles:
    """The posts below `root`, as arranged by `layout`. Paths are relative, with "/"."""

    root: Path
    layout: Layout

    def write(self, body: Mapping[str, Any], images: ImageSource) -> None:
        """Write a post and its images, and delete images that it no longer uses.

        Raises Rejected if the path belongs to a file that is not ours, OutsideError, OSError.
        """
        self._require_ours(body["path"], body["id"])
        files = dict(fetch(images, body["images"]))
        folder = self.layout.images(body["path"])
        for image in files.values():
            self._files.write(f"{folder}/{image.name}", image.data)
        links = {url: self.layout.link(body["path"], image.name) for url, image in files.items()}
        self._files.write(body["path"], _content_with_links(body, links).encode("utf-8", "replace"))
        self._tidy(body["path"], keep={image.name for image in files.values()})

    def remove(self, path: str, now_at: str | None = None) -> None:
        """Delete a post's file and its images, except images that the post at its new path uses."""
        self._files.remove(path)
        if now_at is None or self.layout.images(now_at) != self.layout.images(path):
            self._tidy(path, keep=set())

    def paths(self, path: str, tracked: Iterable[str] = ()) -> list[str]:
        """Return the paths of a post: its file and our images, on disk or in `tracked`."""
        folder = self.layout.images(path)
        tracked_names = {Path(other).name for other in tracked if str(Path(other).parent) == folder}
        names = tracked_names | self._files.names(folder)
        return [path, *sorted(f"{folder}/{name}" for name in names if OUR_NAME.fullmatch(name))]

    def has(self, path: str) -> bool:
        return self._files.read(path, 0) is not None

    def version(self, path: str) -> str:
        """Return the git blob id of a file. Raises FileNotFoundError."""
        data = self._files.read(path)
        if data is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

    def _tidy(self, path: str, keep: set[str]) -> None:
        for image in self.paths(path)[1:]:
            if Path(image).name not in keep:
                self._files.remove(image)

    def _require_ours(self, path: str, article_id: str) -> None:
        head = self._files.read(path, HEAD_MOST)
        if head is not None and f"\n{MARK}: {text(article_id)}\n" not in head.decode("utf-8", "replace"):
            raise Rejected(f"Another file already exists at {Path(path).name}. Change the address of this post.")

    @property
    def _files(self) -> ConfinedFiles:
        return ConfinedFiles(self.root)


def _content_with_links(body: Mapping[str, Any], links: Mapping[str, str]) -> str:
    """Return the content of the file with the new image URLs. In the front matter, a URL is a whole value."""
    head = body["head"]
    for url, link in links.items():
        head = head.replace(text(url), text(link))
    return f"{head}\n{relink(body['text'], links)}"
