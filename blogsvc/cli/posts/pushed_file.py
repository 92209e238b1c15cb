"""A Markdown file that is pushed, with its images."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from blogsvc.cli.posts import files
from blogsvc.lib.markdown import image_links
from blogsvc.lib.time import utc_now


class PushedFile:
    """A file below a directory. Raises BadFile if it can't be read as a post."""

    def __init__(self, path: Path, directory: Path) -> None:
        self.path, self.directory = path, directory.resolve()
        try:
            text = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise files.BadFile("The file is not UTF-8.") from error
        self._fields, self.head = files.parsed(text)
        if not self._fields.get("title"):
            raise files.BadFile("The post has no title. Write `title: ...` in the front matter.")

    @cached_property
    def images(self) -> dict[str, Path]:
        """The images that are files below the directory, by the address that the post has for them."""
        addresses = [*image_links.addresses(self._fields["content"]), self._fields.get("cover_image") or ""]
        found = ((address, self._file_of(address)) for address in addresses)
        return {address: file for address, file in found if file is not None}

    def _file_of(self, address: str) -> Path | None:
        """Return the file of a relative address, or of one from the top of the directory. None for other addresses."""
        parts = urlsplit(address)
        if parts.scheme or parts.netloc or not parts.path:
            return None
        path = unquote(parts.path)
        file = (self.directory / path.lstrip("/") if path.startswith("/") else self.path.parent / path).resolve()
        return file if file.is_relative_to(self.directory) and file.is_file() else None

    @cached_property
    def digest(self) -> str:
        """What the post consists of, images included. A scheduled time counts also after it has passed."""
        fields = self._fields | self.arguments(digest_of)
        return hashlib.sha256(json.dumps(fields, sort_keys=True, default=str).encode()).hexdigest()

    @property
    def post_id(self) -> str:
        """The id of the post that the file names, as the files of an export do, or ""."""
        return str(self.head.get("blogsvc_id") or "")

    @property
    def names(self) -> set[str]:
        """The arguments that the file sets."""
        return set(self._fields)

    @property
    def is_scheduled(self) -> bool:
        """Whether the server publishes it, at a time to come."""
        at: datetime | None = self._fields.get("scheduled_at")
        return at is not None and at > utc_now()

    @property
    def is_publishable(self) -> bool:
        """Whether `--publish` publishes it: it is neither marked as a draft nor scheduled."""
        return str(self.head.get("draft", "")).lower() not in ("true", "yes") and not self.is_scheduled

    def arguments(self, url_of: Callable[[Path], str]) -> dict[str, Any]:
        """Return the arguments of the client, with the URLs of the images, and without a time that has passed."""
        urls = {address: url_of(file) for address, file in self.images.items()}
        content = image_links.rewritten(self._fields["content"], lambda address: urls.get(address, address))
        cover = self._fields.get("cover_image")
        covers = {"cover_image": urls[cover]} if cover in urls else {}
        fields = self._fields | {"content": content} | covers
        if fields.get("scheduled_at") and not self.is_scheduled:
            del fields["scheduled_at"]
        return fields


def digest_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
