"""Detect the format of an uploaded file by its content, and parse its posts."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import tzinfo
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from blogsvc.transfer.formats import Format, blogsvc_json, ghost, markdown, wordpress
from blogsvc.transfer.formats.archives import Archive, opened
from blogsvc.transfer.formats.parsed_post import ParsedPost, SkippedItem, UnreadableFile, counted, decoded

MIB = 1024 * 1024
MAX_JSON_BYTES = 100 * MIB  # loaded into memory as a whole
HINT = (
    "Use a zip of Markdown files, an export of Ghost (.json) or WordPress (.xml), or a complete export of blogsvc"
    " (.json)."
)


def read(path: Path, zone: tzinfo, most_unpacked: int, wanted: Format | None = None) -> tuple[Format, Iterator[Any]]:
    """Return the format and an iterator of ParsedPost and SkippedItem. Raises UnreadableFile, also during iteration."""
    if not zipfile.is_zipfile(path):
        return _plain(path, zone, wanted)
    with opened(path, most_unpacked) as archive:
        form, name = _kind(archive, wanted)
    return form, _from_zip(path, zone, most_unpacked, form, name)


def _plain(path: Path, zone: tzinfo, wanted: Format | None) -> tuple[Format, Iterator[Any]]:
    with path.open("rb") as file:
        head = file.read(4096)
    start = decoded(head[:1000])[0].lstrip("\ufeff \t\r\n")
    if not start:
        raise UnreadableFile("This file is empty.")
    if start.startswith("PK"):
        raise UnreadableFile("This zip is damaged or incomplete.")
    if wanted == "wordpress" or (wanted is None and start.startswith("<")):
        return "wordpress", wordpress.read(path, zone)
    if wanted in ("ghost", "blogsvc") or start.startswith("{"):
        return _of_json(_loaded(path.read_bytes() if path.stat().st_size <= MAX_JSON_BYTES else b"", path.name), zone)
    if wanted == "markdown" or not _is_binary(head):
        return "markdown", _one_file(path, zone)
    raise UnreadableFile(f"This file type can't be imported. {HINT}")


def _is_binary(head: bytes) -> bool:
    return b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff"))


def _loaded(data: bytes, name: str) -> Any:
    if not data:
        raise UnreadableFile(f"{name} is larger than {MAX_JSON_BYTES // MIB} MiB, or empty.")
    try:
        return json.loads(decoded(data)[0])
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{name} is not valid JSON. It is damaged or incomplete. Export it again.") from error


def _of_json(document: Any, zone: tzinfo, archive: Archive | None = None) -> tuple[Format, Iterator[Any]]:
    if blogsvc_json.is_export(document):
        return "blogsvc", blogsvc_json.read(document, zone)
    if ghost.is_export(document):
        return "ghost", ghost.read(document, zone, archive)
    raise UnreadableFile(f"This JSON file is neither an export of Ghost nor of blogsvc. {HINT}")


def _kind(archive: Archive, wanted: Format | None) -> tuple[Format, str]:
    """Return the format of a zip, and the file to parse; "" if all files are parsed."""
    names = archive.names
    posts = [name for name in names if markdown.is_post(name)]
    if posts and wanted in (None, "markdown"):
        return "markdown", ""
    for suffix, form in ((".xml", "wordpress"), (".json", "ghost")):
        found = [name for name in names if name.lower().endswith(suffix)]
        if (found and wanted in (None, form)) or (wanted == "blogsvc" and form == "ghost" and found):
            return form, found[0]  # type: ignore[return-value]
    raise UnreadableFile(f"This zip has no files that can be imported. {HINT}")


def _from_zip(path: Path, zone: tzinfo, most: int, form: Format, name: str) -> Iterator[Any]:
    with opened(path, most) as archive:
        if archive.strangers:
            number = counted(len(archive.strangers), "file", "files")
            yield SkippedItem(number, "Skipped: a link, an encrypted file, or a path that leads outside of the zip.")
        if form == "markdown":
            yield from markdown.read(archive, zone)
        elif form == "wordpress":
            with TemporaryDirectory(dir=path.parent) as folder:
                file = Path(folder) / "export.xml"
                file.write_bytes(archive.read(name, most))
                yield from wordpress.read(file, zone)
        else:
            yield from _of_json(_loaded(archive.read(name, MAX_JSON_BYTES), name), zone, archive)[1]


def _one_file(path: Path, zone: tzinfo) -> Iterator[Any]:
    """Parse a single Markdown file, as if it were in a zip."""
    with TemporaryDirectory(dir=path.parent) as folder:
        packed = Path(folder) / "one.zip"
        name = path.name if markdown.is_post(path.name) else f"{path.stem}.md"
        with zipfile.ZipFile(packed, "w") as zipped:
            zipped.write(path, name)
        with opened(packed, MIB * 100) as archive:
            yield from markdown.read(archive, zone)


@contextmanager
def image_archive(path: Path, most_unpacked: int) -> Iterator[Archive | None]:
    """Open the zip that contains the images. None if the file is not a zip."""
    if not zipfile.is_zipfile(path):
        yield None
        return
    with opened(path, most_unpacked) as archive:
        yield archive


__all__ = ["ParsedPost", "SkippedItem", "UnreadableFile", "image_archive", "read"]
